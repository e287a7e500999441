/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gnomon/path.h>
#include "process/files.h"
#include "process/inside.h"
#include "process/regular.h"

#define HEAD	"gnomon-"
#define BLOCK	(16u << 10)
#define FOLDERS 4

void gn_copy_init(struct gn_copy *c)
{
	*c = (struct gn_copy){.file = -1, .folder = -1};
}

/* Folder 0 is the process's own. The file's name contains the folder's number,
 * because the kernel shows a removed file of another mount without its
 * folder. */
static int folder_of(pid_t pid, unsigned int number, char folder[PATH_MAX])
{
	static const char *const others[FOLDERS - 1] = {"/tmp", "/var/tmp",
							"/dev/shm"};

	if (!number)
		return gn_inside_folder(pid, folder);
	strcpy(folder, others[number - 1]);
	return 0;
}

static int put_path(struct gn_copy *c, pid_t pid, unsigned int number)
{
	char folder[PATH_MAX];
	int err = folder_of(pid, number, folder);

	if (err)
		return err;
	if ((size_t)snprintf(c->path, sizeof(c->path), "%s/%s", folder,
			     c->name) >= sizeof(c->path))
		return -ENAMETOOLONG;
	return 0;
}

/* What act_as() changed. */
struct rights {
	gid_t *groups;
	int n; /* -1: not changed */
};

/* By system call: the C library's setgroups() changes all threads. */
static bool take_groups(struct rights *before, gid_t gid)
{
	int n = getgroups(0, NULL);

	before->groups = n > 0 ? calloc((size_t)n, sizeof(gid_t)) : NULL;
	if (n < 0 ||
	    (n > 0 && (!before->groups || getgroups(n, before->groups) != n)) ||
	    syscall(SYS_setgroups, 1, &gid))
		return false;
	before->n = n;
	return true;
}

/* Gives this thread the file access rights of the user, and drops gnomon's
 * supplementary groups. If gnomon runs as the same user, nothing changes. Call
 * act_as_before() in any case. */
static bool act_as(const struct gn_copy *c, struct rights *before)
{
	*before = (struct rights){.n = -1};
	if (geteuid() == c->uid && getegid() == c->gid)
		return true;
	if (!take_groups(before, c->gid))
		return false;
	setfsgid(c->gid);
	setfsuid(c->uid);
	return (uid_t)setfsuid((uid_t)-1) == c->uid &&
	       (gid_t)setfsgid((gid_t)-1) == c->gid;
}

static void act_as_before(struct rights *before)
{
	setfsuid(geteuid());
	setfsgid(getegid());
	if (before->n >= 0)
		syscall(SYS_setgroups, before->n, before->groups);
	free(before->groups);
}

static bool is_same(int a, int b)
{
	char x[BLOCK], y[BLOCK];
	struct stat of_a, of_b;
	off_t at = 0;
	ssize_t n;

	if (fstat(a, &of_a) || fstat(b, &of_b) || of_a.st_size != of_b.st_size)
		return false;
	while ((n = pread(a, x, sizeof(x), at)) > 0) {
		if (pread(b, y, (size_t)n, at) != n ||
		    memcmp(x, y, (size_t)n) != 0)
			return false;
		at += n;
	}
	return !n && at == of_a.st_size;
}

/* Takes the name that a mapping shows, if it is a copy's. */
static bool take_name(struct gn_copy *c, const char *shown,
		      unsigned int *number)
{
	const char *name = gn_base_name(shown);
	uint64_t id;
	char letter;
	int end = 0;

	if (sscanf(name, HEAD "%c%16" SCNx64 ".so%n", &letter, &id, &end) < 2 ||
	    !end || letter < 'a' || letter >= 'a' + FOLDERS ||
	    (size_t)end >= sizeof(c->name))
		return false;
	memcpy(c->name, name, (size_t)end);
	c->name[end] = '\0';
	*number = (unsigned int)(letter - 'a');
	return true;
}

void gn_copy_by_descriptor(struct gn_copy *c, pid_t pid)
{
	int folder = gn_inside_proc(pid, "fd", O_RDONLY | O_DIRECTORY);
	DIR *dir = folder < 0 ? NULL : fdopendir(folder);
	const struct dirent *e;
	struct stat ours, its;

	if (!dir || fstat(c->file, &ours)) {
		if (dir)
			closedir(dir);
		else if (folder >= 0)
			close(folder);
		return;
	}
	while ((e = readdir(dir)))
		if (!fstatat(folder, e->d_name, &its, 0) &&
		    its.st_dev == ours.st_dev && its.st_ino == ours.st_ino)
			snprintf(c->path, sizeof(c->path), "/proc/self/fd/%s",
				 e->d_name);
	closedir(dir);
}

int gn_copy_find(struct gn_copy *c, pid_t pid, int from)
{
	unsigned int number = 0;
	struct gn_mapping m;
	struct gn_maps maps;
	int fd = -1, err;

	if (gn_maps_open(&maps, pid))
		return 0; /* the next steps report the error */
	while (fd < 0 && gn_maps_next(&maps, &m) > 0)
		if (m.exec && m.file.ino && take_name(c, m.name, &number))
			fd = gn_file_of_mapping(pid, &m);
	gn_maps_close(&maps);
	if (fd < 0)
		return 0;
	err = is_same(fd, from) ? put_path(c, pid, number) : -ESTALE;
	if (err) {
		close(fd);
		return err;
	}
	c->file = fd;
	return 1;
}

static int find_user(struct gn_copy *c, pid_t pid)
{
	char status[8192];

	gn_inside_read(pid, "status", status, sizeof(status));
	return gn_inside_user(status, &c->uid, &c->gid)
		       ? 0
		       : gn_inside_why(pid, "status");
}

int gn_copy_is_needless(pid_t pid, const char *path)
{
	int root = gn_inside_proc(pid, "root", O_PATH), fd, err;
	struct rights before;
	struct gn_copy c;
	bool cannot;

	if (root < 0)
		return root == -ENOENT ? -ESRCH : root;
	err = find_user(&c, pid);
	if (err) {
		close(root);
		return err;
	}
	cannot = !act_as(&c, &before);
	fd = cannot ? -1 : gn_regular_open_in(root, path);
	act_as_before(&before);
	if (fd >= 0)
		close(fd);
	close(root);
	return cannot || fd >= 0;
}

int gn_copy_may_write(pid_t pid, const char *folder)
{
	int root = gn_inside_proc(pid, "root", O_PATH), dir = -1, err;
	struct rights before;
	struct gn_copy c;
	bool cannot;

	if (root < 0)
		return root;
	err = find_user(&c, pid);
	if (err) {
		close(root);
		return err;
	}
	cannot = !act_as(&c, &before);
	if (!cannot)
		dir = gn_inside_open(root, folder, O_PATH | O_DIRECTORY);
	err = cannot ? -EPERM : dir < 0 ? dir : 0;
	if (!err && faccessat(dir, ".", W_OK | X_OK, AT_EACCESS))
		err = -errno;
	act_as_before(&before);
	if (dir >= 0)
		close(dir);
	close(root);
	return err;
}

/* A file system without blocks does not report its free space. */
static bool has_room(const struct statvfs *st, off_t size)
{
	return !st->f_blocks ||
	       (uint64_t)st->f_bavail * st->f_frsize >= (uint64_t)size;
}

/*
 * Whether no other user can replace a file in the folder. The owner of the
 * process's root can replace anything, so that owner is accepted.
 */
static bool is_safe(const struct gn_copy *c, int root, int folder)
{
	struct stat of_root, st;

	if (fstat(root, &of_root) || fstat(folder, &st))
		return false;
	if (st.st_mode & (S_IWGRP | S_IWOTH) && !(st.st_mode & S_ISVTX))
		return false;
	return !st.st_uid || st.st_uid == c->uid || st.st_uid == of_root.st_uid;
}

/* Whether the current user can write `size` bytes there and run programs from
 * it. */
static bool is_fit(int folder, off_t size)
{
	struct statvfs st;

	return !fstatvfs(folder, &st) &&
	       !(st.f_flag & (ST_NOEXEC | ST_RDONLY)) && has_room(&st, size) &&
	       !faccessat(folder, ".", W_OK | X_OK, AT_EACCESS);
}

static int choose_in(struct gn_copy *c, pid_t pid, int root, off_t size)
{
	for (unsigned int i = 0; i < FOLDERS; i++) {
		char folder[PATH_MAX];
		int err = folder_of(pid, i, folder);
		uint64_t id;

		if (err)
			return err;
		c->folder =
			gn_inside_open(root, folder, O_RDONLY | O_DIRECTORY);
		if (c->folder >= 0 && is_safe(c, root, c->folder) &&
		    is_fit(c->folder, size)) {
			if (getrandom(&id, sizeof(id), 0) != sizeof(id))
				return -EIO;
			snprintf(c->name, sizeof(c->name),
				 HEAD "%c%016" PRIx64 ".so", 'a' + (char)i, id);
			return put_path(c, pid, i);
		}
		if (c->folder >= 0)
			close(c->folder);
		c->folder = -1;
	}
	return -EACCES;
}

int gn_copy_choose(struct gn_copy *c, pid_t pid, int from)
{
	int root = gn_inside_proc(pid, "root", O_PATH);
	int err = root < 0 ? root : find_user(c, pid);
	struct rights before;
	struct stat st;

	if (!err && fstat(from, &st))
		err = -errno;
	if (!err) {
		err = act_as(c, &before) ? choose_in(c, pid, root, st.st_size)
					 : -EPERM;
		act_as_before(&before);
	}
	if (root >= 0)
		close(root);
	return err;
}

static int fill(int to, int from)
{
	char block[BLOCK];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(from, block, sizeof(block), at)) > 0) {
		ssize_t put = pwrite(to, block, (size_t)n, at);

		if (put <= 0)
			return put ? -errno : -EIO;
		at += put;
	}
	return n ? -errno : 0;
}

int gn_copy_make(struct gn_copy *c, int from)
{
	struct rights before;
	int err = -EPERM;

	if (act_as(c, &before)) {
		c->file = openat(c->folder, c->name,
				 O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0500);
		err = c->file < 0 ? -errno : fill(c->file, from);
	}
	act_as_before(&before);
	return err;
}

int gn_copy_become(const struct gn_copy *c)
{
	struct rights before;
	bool can = act_as(c, &before);

	free(before.groups);
	return can ? 0 : -EPERM;
}

void gn_copy_remove(const struct gn_copy *c)
{
	if (c->folder >= 0)
		unlinkat(c->folder, c->name, 0);
}

void gn_copy_close(struct gn_copy *c)
{
	if (c->folder >= 0)
		close(c->folder);
	if (c->file >= 0)
		close(c->file);
	c->folder = c->file = -1;
}
