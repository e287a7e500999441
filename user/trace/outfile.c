/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/blocking.h"
#include "trace/outdir.h"
#include "trace/outfile.h"

#define TEMP_TRIES 16
/* How often to check whether a FIFO has a reader. */
#define ASK_MS 50

/* How to write the target. */
enum way {
	WAY_RENAME,	 /* a new file replaces it */
	WAY_DIRECT,	 /* a device or FIFO, opened itself */
	WAY_DIRECT_LINK, /* the same, behind a symbolic link */
	WAY_OPEN_FILE,	 /* a link to one of gnomon's open files */
};

static bool is_own(const struct stat *st)
{
	return !st->st_uid || st->st_uid == geteuid();
}

/* Whether the maker of a FIFO or device can be trusted with the output: in a
 * directory like /tmp, anybody can have made it. */
static bool trusted(const struct stat *dir, const struct stat *st, uid_t uid)
{
	return !(dir->st_mode & S_IWOTH) || st->st_uid == dir->st_uid ||
	       is_own(st) || (uid != (uid_t)-1 && st->st_uid == uid);
}

static bool is_direct(const struct stat *st)
{
	return S_ISCHR(st->st_mode) || S_ISFIFO(st->st_mode);
}

/* If a link's text leads to one of gnomon's own open files, returns its
 * descriptor; else -1. */
static int open_file_of(int dir, const char *base)
{
	static const char open_files[] = "/proc/self/fd/";
	char text[sizeof(open_files) + 12], *end;
	ssize_t n = readlinkat(dir, base, text, sizeof(text) - 1);
	long fd;

	if (n < (ssize_t)sizeof(open_files) ||
	    memcmp(text, open_files, sizeof(open_files) - 1))
		return -1;
	text[n] = '\0';
	fd = strtol(text + sizeof(open_files) - 1, &end, 10);
	return *end || fd < 0 || fd > INT_MAX ? -1 : (int)fd;
}

/* The same for an entry of /proc/self/fd itself, such as /dev/fd/3. */
static int open_file_in(int dir, const char *base)
{
	struct stat here, own;
	char *end;
	long fd;

	if (fstat(dir, &here) || stat("/proc/self/fd", &own) ||
	    here.st_dev != own.st_dev || here.st_ino != own.st_ino)
		return -1;
	fd = strtol(base, &end, 10);
	return *end || fd < 0 || fd > INT_MAX ? -1 : (int)fd;
}

static int choose_link(struct gn_outfile *f, const struct stat *link,
		       enum way *way)
{
	struct stat st;

	if (fstatat(f->dir, f->base, &st, 0))
		return 0;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!is_own(link))
		return 0;
	f->fd = open_file_of(f->dir, f->base);
	if (f->fd < 0)
		f->fd = open_file_in(f->dir, f->base);
	if (f->fd >= 0)
		*way = WAY_OPEN_FILE;
	else if (is_direct(&st))
		*way = WAY_DIRECT_LINK;
	else if (!S_ISREG(st.st_mode))
		return -EPERM;
	return 0;
}

static int choose(struct gn_outfile *f, uid_t uid, enum way *way)
{
	struct stat st, parent;

	*way = WAY_RENAME;
	if (fstatat(f->dir, f->base, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	f->older = !S_ISREG(st.st_mode) || st.st_size;
	if (S_ISREG(st.st_mode))
		return 0;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (S_ISLNK(st.st_mode))
		return choose_link(f, &st, way);
	if (!is_direct(&st))
		return -EPERM;
	if (fstat(f->dir, &parent))
		return -errno;
	*way = WAY_DIRECT;
	return trusted(&parent, &st, uid) ? 0 : -EACCES;
}

/* Whether a signal that would end gnomon is pending and blocked. */
static bool is_called_off(void)
{
	sigset_t came;

	return !sigpending(&came) &&
	       (sigismember(&came, SIGINT) || sigismember(&came, SIGTERM) ||
		sigismember(&came, SIGHUP) || sigismember(&came, SIGQUIT));
}

/* Like openat(), which waits for the reader of a FIFO, but no longer than until
 * a signal is pending: a capture blocks them. */
static int open_at(int dir, const char *base, int flags)
{
	bool nofollow = flags & O_NOFOLLOW;
	struct stat st;
	int fd;

	if (fstatat(dir, base, &st, nofollow ? AT_SYMLINK_NOFOLLOW : 0) ||
	    !S_ISFIFO(st.st_mode))
		return openat(dir, base, flags);
	while ((fd = openat(dir, base, flags | O_NONBLOCK)) < 0 &&
	       errno == ENXIO) {
		if (is_called_off()) {
			errno = EINTR;
			return -1;
		}
		poll(NULL, 0, ASK_MS);
	}
	if (fd >= 0)
		fcntl(fd, F_SETFL, 0);
	return fd;
}

static int open_direct(struct gn_outfile *f, enum way way)
{
	int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
	struct stat st;
	int err = 0;

	if (way == WAY_DIRECT)
		flags |= O_NOFOLLOW;
	f->fd = way == WAY_OPEN_FILE ? fcntl(f->fd, F_DUPFD_CLOEXEC, 0)
				     : open_at(f->dir, f->base, flags);
	if (f->fd < 0)
		return -errno;
	/* It may have been replaced since the check. */
	if (fstat(f->fd, &st))
		err = -errno;
	else if (way != WAY_OPEN_FILE && !is_direct(&st))
		err = -EPERM;
	if (err) {
		close(f->fd);
		f->fd = -1;
	} else if (way == WAY_OPEN_FILE) {
		gn_make_blocking(f->fd);
	}
	return err;
}

/* Gives the file a free name in the target's directory: by link() if it is open
 * without a name, else by open(). */
static int make_temp(struct gn_outfile *f)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	char name[sizeof(f->temp)], own[32];
	uint64_t id;
	int i, err;

	snprintf(own, sizeof(own), "/proc/self/fd/%d", f->fd);
	for (i = 0; i < TEMP_TRIES; i++) {
		if (getrandom(&id, sizeof(id), 0) != sizeof(id))
			return -EIO;
		snprintf(name, sizeof(name), ".gnomon-%016" PRIx64, id);
		if (f->fd >= 0) {
			err = linkat(AT_FDCWD, own, f->dir, name,
				     AT_SYMLINK_FOLLOW);
		} else {
			f->fd = openat(f->dir, name, flags, 0600);
			err = f->fd < 0 ? -1 : 0;
		}
		if (!err) {
			memcpy(f->temp, name, sizeof(name));
			return 0;
		}
		if (errno != EEXIST)
			break;
	}
	return -errno;
}

/* Nothing can be created in a removed directory. Some file systems report that
 * as EPERM. */
static int reason(const struct gn_outfile *f, int err)
{
	struct stat st;

	return err == -EPERM && !fstat(f->dir, &st) && !st.st_nlink ? -ENOENT
								    : err;
}

static int open_new(struct gn_outfile *f)
{
	f->regular = true;
	f->pending = true;
	f->fd = openat(f->dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (f->fd >= 0)
		return 0;
	/* file systems and kernels without O_TMPFILE return one of these */
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT &&
	    errno != EINVAL)
		return reason(f, -errno);
	return make_temp(f);
}

/* The owner can read and write the new file, whatever the umask is, unless the
 * file system has modes of its own. */
static int give(struct gn_outfile *f, uid_t uid, gid_t gid)
{
	struct stat st;

	if (fstat(f->fd, &st))
		return -errno;
	if ((st.st_mode & 0600) != 0600)
		fchmod(f->fd, 0600);
	if ((uid != (uid_t)-1 || gid != (gid_t)-1) && fchown(f->fd, uid, gid))
		return -errno;
	return 0;
}

static int open_dir(struct gn_outfile *f, const char *path)
{
	int err;

	memset(f, 0, sizeof(*f));
	f->fd = -1;
	f->dir = -1;
	f->path = strdup(path);
	err = f->path ? gn_outdir_open(path, &f->dir, &f->base) : -ENOMEM;
	if (err) {
		free(f->path);
		f->path = NULL;
	}
	return err;
}

int gn_outfile_open(struct gn_outfile *f, const char *path, uid_t uid,
		    gid_t gid)
{
	int err = open_dir(f, path);
	enum way way;

	if (err)
		return err;
	err = choose(f, uid, &way);
	if (!err && way != WAY_RENAME) {
		err = open_direct(f, way);
		close(f->dir);
		f->dir = -1;
	} else if (!err) {
		err = open_new(f);
		if (!err)
			err = give(f, uid, gid);
	}
	if (err)
		gn_outfile_close(f, false);
	return err;
}

int gn_outfile_create(struct gn_outfile *f, const char *path, uid_t uid,
		      gid_t gid)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int err = open_dir(f, path);

	if (err)
		return err;
	f->regular = true;
	f->fd = openat(f->dir, f->base, flags, 0600);
	err = f->fd < 0 ? -errno : give(f, uid, gid);
	if (err && f->fd >= 0)
		unlinkat(f->dir, f->base, 0);
	if (err)
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
		/* a write of 0 bytes would loop for ever */
		err = got < 0 ? -errno : -EIO;
		goto fail;
	}
	f->size += n;
	return 0;
fail:
	/* If this fails, too, readers stop at the torn chunk. */
	if (f->regular && done && ftruncate(f->fd, (off_t)f->size))
		f->size += done;
	return err;
}

int gn_outfile_publish(struct gn_outfile *f)
{
	int err = 0;

	if (!f->pending)
		return 0;
	if (fdatasync(f->fd))
		return -errno;
	if (!f->temp[0])
		err = make_temp(f);
	if (err)
		return err;
	if (renameat(f->dir, f->temp, f->dir, f->base))
		return -errno;
	f->temp[0] = '\0';
	f->pending = false;
	return 0;
}

/* Checks that the path still leads to this file. */
static int check_name(const struct gn_outfile *f)
{
	struct stat own, named;

	if (f->dir < 0)
		return 0;
	if (fstat(f->fd, &own))
		return -errno;
	return lstat(f->path, &named) || own.st_dev != named.st_dev ||
			       own.st_ino != named.st_ino
		       ? -ESTALE
		       : 0;
}

void gn_outfile_remove(struct gn_outfile *f)
{
	if (f->dir >= 0 && !f->pending && !check_name(f))
		unlinkat(f->dir, f->base, 0);
}

int gn_outfile_close(struct gn_outfile *f, bool sync)
{
	int err = 0;

	if (sync && f->regular && fsync(f->fd))
		err = -errno;
	if (sync && !err)
		err = check_name(f);
	if (f->fd >= 0 && close(f->fd) && !err)
		err = -errno;
	if (f->temp[0])
		unlinkat(f->dir, f->temp, 0);
	if (f->dir >= 0)
		close(f->dir);
	free(f->base);
	free(f->path);
	f->fd = -1;
	f->dir = -1;
	f->base = NULL;
	f->path = NULL;
	f->temp[0] = '\0';
	return err;
}
