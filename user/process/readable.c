/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds whether another user could open a file, by the permission bits of all
 * folders that lead to it. */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "process/target.h"

#define GROUPS_MAX 256

struct identity {
	uid_t uid;
	gid_t group[GROUPS_MAX];
	int ngroups;
};

/* The groups that the command will have; more than fit are left out. */
static void identify(const struct gn_user *u, struct identity *id)
{
	int n = GROUPS_MAX;

	id->uid = u->uid;
	id->group[0] = u->gid;
	id->ngroups = 1;
	if (!u->name[0])
		return;
	getgrouplist(u->name, u->gid, id->group, &n);
	id->ngroups = n < GROUPS_MAX ? n : GROUPS_MAX;
}

static bool in_group(const struct identity *id, gid_t gid)
{
	for (int i = 0; i < id->ngroups; i++)
		if (id->group[i] == gid)
			return true;
	return false;
}

/* `bits`: as for "other", such as 04 to read. */
static bool allows(const struct identity *id, const char *path, mode_t bits)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	if (st.st_uid == id->uid)
		bits <<= 6;
	else if (in_group(id, st.st_gid))
		bits <<= 3;
	return (st.st_mode & bits) == bits;
}

bool gn_user_can_read(const struct gn_user *u, const char *path)
{
	char folder[PATH_MAX];
	struct identity id;
	size_t len = strlen(path);

	if (!u->uid)
		return true;
	if (*path != '/' || len >= sizeof(folder))
		return false;
	identify(u, &id);
	memcpy(folder, path, len + 1);
	for (size_t i = 1; i <= len; i++) {
		char kept = folder[i];
		bool can;

		if (path[i - 1] != '/')
			continue;
		folder[i] = 0;
		can = allows(&id, folder, 01);
		folder[i] = kept;
		if (!can)
			return false;
	}
	return allows(&id, path, 04);
}
