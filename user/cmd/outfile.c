/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/options.h"

/* A user or group id of the environment that sudo sets. */
static bool read_id(const char *name, uint32_t *id)
{
	const char *text = getenv(name);
	uint64_t value;

	/* the all-ones id means "leave it" to chown */
	if (!text || gn_parse_u64(text, &value) || value >= UINT32_MAX)
		return false;
	*id = (uint32_t)value;
	return true;
}

bool gn_invoker(uid_t *uid, gid_t *gid)
{
	uint32_t user, group;

	if (geteuid() != 0 || !read_id("SUDO_UID", &user) ||
	    !read_id("SUDO_GID", &group))
		return false;
	*uid = user;
	*gid = group;
	return true;
}

/* A temporary file beside `path`; its descriptor or -errno. */
static int open_temp(struct gn_textfile *o)
{
	uid_t uid;
	gid_t gid;
	int fd, err;

	if (asprintf(&o->temp, "%s.XXXXXX", o->path) < 0) {
		o->temp = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(o->temp, O_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		free(o->temp);
		o->temp = NULL;
		return err;
	}
	if (gn_invoker(&uid, &gid) && fchown(fd, uid, gid)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

static int open_path(struct gn_textfile *o)
{
	struct stat st;
	int fd;

	if (lstat(o->path, &st)) {
		if (errno != ENOENT)
			return -errno;
		return open_temp(o);
	}
	if (S_ISREG(st.st_mode))
		return open_temp(o);
	/* renaming over /dev/null or a link would replace it */
	fd = open(o->path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int gn_textfile_open(struct gn_textfile *o, const char *path)
{
	int fd, err;

	*o = (struct gn_textfile){0};
	if (!path || strcmp(path, "-") == 0) {
		o->f = stdout;
		return 0;
	}
	o->path = strdup(path);
	if (!o->path)
		return -ENOMEM;
	fd = open_path(o);
	err = fd < 0 ? fd : 0;
	if (!err) {
		o->f = fdopen(fd, "w");
		if (!o->f) {
			err = -errno;
			close(fd);
		}
	}
	if (err)
		gn_textfile_abort(o);
	return err;
}

static int flush(FILE *f)
{
	errno = 0;
	if (!fflush(f) && !ferror(f))
		return 0;
	return errno > 0 ? -errno : -EIO;
}

int gn_textfile_commit(struct gn_textfile *o)
{
	int err = flush(o->f);

	if (!o->path)
		return err;
	if (!err && o->temp && fsync(fileno(o->f)))
		err = -errno;
	if (fclose(o->f) && !err)
		err = -errno;
	o->f = NULL;
	if (!err && o->temp && rename(o->temp, o->path))
		err = -errno;
	if (!err) {
		free(o->temp);
		o->temp = NULL;
	}
	gn_textfile_abort(o);
	return err;
}

void gn_textfile_abort(struct gn_textfile *o)
{
	if (o->path && o->f)
		fclose(o->f);
	if (o->temp)
		unlink(o->temp);
	free(o->temp);
	free(o->path);
	*o = (struct gn_textfile){0};
}
