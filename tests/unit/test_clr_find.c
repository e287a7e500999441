// SPDX-License-Identifier: BSD-2-Clause
/* Where .NET is looked for: also beside the `dotnet` that PATH leads to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/clr_find.h"

#define VERSION "199.9.9"

/* What a folder of .NET has, from the outer to the inner. */
static const char *const folders[] = {
	"shared", "shared/Microsoft.NETCore.App",
	("shared/Microsoft.NETCore.App/" VERSION)};
static const char *const files[] = {
	"dotnet", "shared/Microsoft.NETCore.App/" VERSION "/libcoreclr.so"};

struct found {
	char *here;
	bool is;
};

static int note(void *ctx, const char *root, const char *version)
{
	struct found *f = ctx;

	f->is |= !strcmp(root, f->here) && !strcmp(version, VERSION);
	return 0;
}

static bool finds(const char *path)
{
	struct found f = {.here = getcwd(NULL, 0)};

	assert_non_null(f.here);
	setenv("PATH", path, 1);
	assert_int_equal(gn_clr_find(NULL, note, &f), 0);
	free(f.here);
	return f.is;
}

/* An empty part of PATH, at any place, is the current folder. */
static void in_the_current_folder(void **state)
{
	(void)state;
	assert_false(finds("/none"));
	assert_true(finds("."));
	assert_true(finds(":/none"));
	assert_true(finds("/none::/none"));
	assert_true(finds("/none:"));
}

static int make(void **state)
{
	char *folder = strdup(GN_BUILD_DIR "/dotnet.XXXXXX");
	bool made = folder && mkdtemp(folder) && !chdir(folder);

	*state = folder;
	for (size_t i = 0; made && i < sizeof(folders) / sizeof(*folders); i++)
		made = !mkdir(folders[i], 0755);
	for (size_t i = 0; made && i < sizeof(files) / sizeof(*files); i++) {
		int fd = open(files[i], O_CREAT | O_WRONLY | O_CLOEXEC, 0755);

		made = fd >= 0 && !close(fd);
	}
	unsetenv("DOTNET_ROOT");
	return made ? 0 : -1;
}

static int clear(void **state)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		unlink(files[i]);
	for (size_t i = sizeof(folders) / sizeof(*folders); i-- > 0;)
		rmdir(folders[i]);
	if (chdir("/") || rmdir(*state))
		return -1;
	free(*state);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_the_current_folder),
	};

	return cmocka_run_group_tests(tests, make, clear);
}
