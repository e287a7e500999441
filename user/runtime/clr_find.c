/* SPDX-License-Identifier: BSD-2-Clause */
/* Where .NET is installed, and in which versions. */
#include "runtime/clr_find.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/target.h"

#define PLACES_MAX 16
#define SHARED	   "shared/Microsoft.NETCore.App"

/* Real paths without duplicates. */
struct places {
	char *path[PLACES_MAX];
	size_t n;
};

static int add_place(struct places *p, const char *path)
{
	char *real = realpath(path, NULL);

	if (!real)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (size_t i = 0; i < p->n; i++) {
		if (!strcmp(p->path[i], real)) {
			free(real);
			return 0;
		}
	}
	if (p->n == PLACES_MAX) {
		free(real);
		return -E2BIG;
	}
	p->path[p->n++] = real;
	return 0;
}

/* The folder of the `dotnet` that the shell would start. In the current folder,
 * too, if PATH says so: nothing is run here, only named. */
static int add_command(struct places *p)
{
	char path[PATH_MAX], real[PATH_MAX];

	if (gn_target_resolve("dotnet", path) || !realpath(path, real))
		return 0;
	*strrchr(real, '/') = '\0';
	return add_place(p, *real ? real : "/");
}

/* The line that an installer leaves for programs that look for it. */
static int add_noted(struct places *p)
{
	char line[PATH_MAX];
	FILE *f = fopen("/etc/dotnet/install_location", "re");
	bool got = f && fgets(line, sizeof(line), f);

	if (f)
		fclose(f);
	if (!got)
		return 0;
	line[strcspn(line, "\n")] = '\0';
	return *line == '/' ? add_place(p, line) : 0;
}

static int find_places(struct places *p, const char *home)
{
	static const char *const usual[] = {
		"/usr/share/dotnet", "/usr/lib/dotnet", "/usr/lib64/dotnet",
		"/usr/local/share/dotnet", "/opt/dotnet"};
	const char *root = getenv("DOTNET_ROOT");
	char own[PATH_MAX];
	int err = root && *root ? add_place(p, root) : 0;

	if (!err)
		err = add_command(p);
	if (!err)
		err = add_noted(p);
	for (size_t i = 0; !err && i < sizeof(usual) / sizeof(*usual); i++)
		err = add_place(p, usual[i]);
	if (!err && home && *home &&
	    snprintf(own, sizeof(own), "%s/.dotnet", home) < (int)sizeof(own))
		err = add_place(p, own);
	return err;
}

static int not_hidden(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* Reports the versions of one place, in their order. */
static int tell_versions(const char *root, gn_runtime_found_fn each, void *ctx)
{
	char dir[PATH_MAX], file[PATH_MAX * 2];
	struct dirent **list = NULL;
	int n, err = 0;

	if (snprintf(dir, sizeof(dir), "%s/" SHARED, root) >= (int)sizeof(dir))
		return 0;
	n = scandir(dir, &list, not_hidden, versionsort);
	if (n < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (int i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "%s/%s/libcoreclr.so", dir,
			 list[i]->d_name);
		if (!err && !access(file, R_OK))
			err = each(ctx, root, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return err;
}

int gn_clr_find(const char *home, gn_runtime_found_fn each, void *ctx)
{
	struct places p = {.n = 0};
	int err = find_places(&p, home);

	for (size_t i = 0; !err && i < p.n; i++)
		err = tell_versions(p.path[i], each, ctx);
	for (size_t i = 0; i < p.n; i++)
		free(p.path[i]);
	return err;
}
