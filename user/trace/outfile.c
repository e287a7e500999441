/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/outfile.h"

#define TEMP_TRIES 16

/* How the target is written. */
enum way {
	WAY_RENAME,	 /* a new file takes its name */
	WAY_DIRECT,	 /* a device or FIFO, opened as it is */
	WAY_DIRECT_LINK, /* the same, behind a symbolic link */
	WAY_OPEN_FILE,	 /* a link to an open file, whatever it is */
};

static int split(const char *path, int *dir, char **base)
{
	const char *slash = strrchr(path, '/');
	char *parent;
	int err = 0;

	if (!*path)
		return -ENOENT;
	if (slash && !slash[1])
		return -EISDIR;
	*base = strdup(slash ? slash + 1 : path);
	if (!*base)
		return -ENOMEM;
	if (!slash)
		parent = strdup(".");
	else
		parent = strndup(path, slash == path ? 1 : slash - path);
	if (!parent) {
		err = -ENOMEM;
		goto fail;
	}
	*dir = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*dir < 0)
		err = -errno;
	free(parent);
	if (!err)
		return 0;
fail:
	free(*base);
	*base = NULL;
	return err;
}

/* Whether what is in the directory was put there by someone to whom the trace
 * can be entrusted: in a directory like /tmp everybody can have made it. */
static bool trusted(const struct stat *dir, const struct stat *st, uid_t uid)
{
	return !(dir->st_mode & S_IWOTH) || st->st_uid == dir->st_uid ||
	       st->st_uid == geteuid() ||
	       (uid != (uid_t)-1 && st->st_uid == uid);
}

static bool is_direct(const struct stat *st)
{
	return S_ISCHR(st->st_mode) || S_ISFIFO(st->st_mode);
}

static int choose_link(int dir, const char *base, bool yes, enum way *way)
{
	static const char open_files[] = "/proc/self/fd/";
	char text[sizeof(open_files)];
	struct stat st;
	ssize_t n;

	if (fstatat(dir, base, &st, 0))
		return 0;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!yes)
		return 0;
	if (is_direct(&st)) {
		*way = WAY_DIRECT_LINK;
		return 0;
	}
	if (!S_ISREG(st.st_mode))
		return -EPERM;
	n = readlinkat(dir, base, text, sizeof(text));
	if (n == sizeof(text) &&
	    !memcmp(text, open_files, sizeof(open_files) - 1))
		*way = WAY_OPEN_FILE;
	return 0;
}

static int choose(int dir, const char *base, uid_t uid, enum way *way)
{
	struct stat st, parent;
	bool yes;

	*way = WAY_RENAME;
	if (fstatat(dir, base, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISREG(st.st_mode))
		return 0;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (fstat(dir, &parent))
		return -errno;
	yes = trusted(&parent, &st, uid);
	if (S_ISLNK(st.st_mode))
		return choose_link(dir, base, yes, way);
	if (!is_direct(&st))
		return -EPERM;
	*way = WAY_DIRECT;
	return yes ? 0 : -EACCES;
}

static int open_direct(struct gn_outfile *f, int dir, enum way way)
{
	int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
	struct stat st;
	int err = 0;

	if (way == WAY_DIRECT)
		flags |= O_NOFOLLOW;
	f->fd = openat(dir, f->base, flags);
	if (f->fd < 0)
		return -errno;
	/* It may have been exchanged since it was looked at. */
	if (fstat(f->fd, &st))
		err = -errno;
	else if (way == WAY_OPEN_FILE && S_ISREG(st.st_mode))
		f->regular = true;
	else if (!is_direct(&st))
		err = -EPERM;
	if (!err && f->regular && ftruncate(f->fd, 0))
		err = -errno;
	if (err) {
		close(f->fd);
		f->fd = -1;
	}
	return err;
}

static int open_temp(struct gn_outfile *f)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	char name[sizeof(f->temp)];
	uint64_t id;
	int i;

	f->regular = true;
	for (i = 0; i < TEMP_TRIES; i++) {
		if (getrandom(&id, sizeof(id), 0) != sizeof(id))
			return -EIO;
		snprintf(name, sizeof(name), ".gnomon-%016" PRIx64, id);
		f->fd = openat(f->dir, name, flags, 0600);
		if (f->fd >= 0) {
			memcpy(f->temp, name, sizeof(name));
			return 0;
		}
		if (errno != EEXIST)
			break;
	}
	return -errno;
}

int gn_outfile_open(struct gn_outfile *f, const char *path, uid_t uid,
		    gid_t gid)
{
	enum way way;
	int err;

	memset(f, 0, sizeof(*f));
	f->fd = -1;
	f->dir = -1;
	err = split(path, &f->dir, &f->base);
	if (err)
		return err;
	err = choose(f->dir, f->base, uid, &way);
	if (err)
		goto fail;
	if (way != WAY_RENAME) {
		err = open_direct(f, f->dir, way);
		if (err)
			goto fail;
		close(f->dir);
		f->dir = -1;
		return 0;
	}
	err = open_temp(f);
	if (err)
		goto fail;
	if ((uid != (uid_t)-1 || gid != (gid_t)-1) && fchown(f->fd, uid, gid)) {
		err = -errno;
		goto fail;
	}
	return 0;
fail:
	gn_outfile_close(f, false);
	return err;
}

int gn_outfile_write(struct gn_outfile *f, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	size_t done = 0;
	ssize_t got;
	int err;

	while (done < n) {
		got = write(f->fd, p + done, n - done);
		if (got > 0) {
			done += (size_t)got;
			continue;
		}
		if (got < 0 && errno == EINTR)
			continue;
		/* A write of nothing would go on for ever. */
		err = got < 0 ? -errno : -EIO;
		goto fail;
	}
	f->size += n;
	return 0;
fail:
	/* If this fails too, a reader finds the torn chunk and stops there. */
	if (f->regular && done && ftruncate(f->fd, (off_t)f->size))
		f->size += done;
	return err;
}

int gn_outfile_publish(struct gn_outfile *f)
{
	if (!f->temp[0])
		return 0;
	if (fdatasync(f->fd))
		return -errno;
	if (renameat(f->dir, f->temp, f->dir, f->base))
		return -errno;
	f->temp[0] = '\0';
	return 0;
}

int gn_outfile_close(struct gn_outfile *f, bool sync)
{
	int err = 0;

	if (sync && f->regular && fsync(f->fd))
		err = -errno;
	if (f->fd >= 0 && close(f->fd) && !err)
		err = -errno;
	if (f->temp[0])
		unlinkat(f->dir, f->temp, 0);
	if (f->dir >= 0)
		close(f->dir);
	free(f->base);
	f->fd = -1;
	f->dir = -1;
	f->base = NULL;
	f->temp[0] = '\0';
	return err;
}
