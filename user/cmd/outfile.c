/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/clock.h"
#include "cmd/cmd.h"
#include "output/text.h"
#include "trace/trace.h"

/* Reads a user or group id from the environment that sudo sets. */
static bool read_id(const char *name, uint32_t *id)
{
	const char *text = getenv(name);
	uint64_t value;

	/* chown() takes this id as "do not change" */
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

typedef int (*open_fn)(struct gn_outfile *f, const char *path, uid_t uid,
		       gid_t gid);

/* Duplicates the descriptor for the stream, so that each is closed once. */
static int open_stream(struct gn_textfile *o)
{
	int err, fd = fcntl(o->file.fd, F_DUPFD_CLOEXEC, 0);

	o->f = fd < 0 ? NULL : fdopen(fd, "w");
	if (o->f)
		return 0;
	err = -errno;
	if (fd >= 0)
		close(fd);
	gn_outfile_close(&o->file, false);
	return err;
}

static int open_by(struct gn_textfile *o, const char *path, open_fn open)
{
	uid_t uid = (uid_t)-1;
	gid_t gid = (gid_t)-1;
	int err;

	*o = (struct gn_textfile){.file = {.fd = -1, .dir = -1}};
	if (!path || strcmp(path, "-") == 0) {
		o->f = stdout;
		o->is_stdout = true;
		return gn_trace_closed(STDOUT_FILENO) ? -EBADF : 0;
	}
	gn_invoker(&uid, &gid);
	err = open(&o->file, path, uid, gid);
	return err ? err : open_stream(o);
}

/* The estimated final size of the file, if the other rows are as long as those
 * so far. 0: unknown. */
static uint64_t whole_size(const struct gn_textfile *o)
{
	const struct gn_steps *s = o->steps;

	if (!s || !s->done || s->done > s->all)
		return 0;
	return (uint64_t)((double)o->written / (double)s->done *
			  (double)s->all);
}

static ssize_t write_watched(void *ctx, const char *bytes, size_t n)
{
	struct gn_textfile *o = ctx;
	int err = gn_outfile_write(&o->file, bytes, n);

	if (err) {
		errno = -err;
		return 0;
	}
	o->written += n;
	gn_progress_show(o->progress, gn_now_ns(), "writing", "MiB", o->written,
			 whole_size(o), 1 << 20);
	return (ssize_t)n;
}

/* From now on, `write` writes what the stream gets. */
static int write_by(struct gn_textfile *o, cookie_write_function_t *write)
{
	cookie_io_functions_t calls = {.write = write};
	FILE *f = fopencookie(o, "w", calls);

	if (!f)
		return -ENOMEM;
	fclose(o->f);
	o->f = f;
	return 0;
}

int gn_textfile_watch(struct gn_textfile *o, struct gn_progress *progress,
		      const struct gn_steps *steps)
{
	if (o->is_stdout || !progress->on)
		return 0;
	if (write_by(o, write_watched))
		return -ENOMEM;
	o->progress = progress;
	o->steps = steps;
	gn_progress_restart(progress, gn_now_ns());
	return 0;
}

/* A pipe that is ready has room for PIPE_BUF bytes, so no write can wait. */
static ssize_t write_asked(void *ctx, const char *bytes, size_t n)
{
	struct gn_textfile *o = ctx;
	size_t done = 0, piece;

	while (done < n && !o->err) {
		piece = n - done < PIPE_BUF ? n - done : PIPE_BUF;
		o->err = o->writable(o->writable_ctx, o->file.fd);
		if (!o->err)
			o->err =
				gn_outfile_write(&o->file, bytes + done, piece);
		done += piece;
	}
	if (!o->err)
		return (ssize_t)n;
	errno = -o->err;
	return 0;
}

int gn_textfile_ask(struct gn_textfile *o, gn_writable_fn writable, void *ctx)
{
	if (o->is_stdout || o->file.regular)
		return 0;
	if (write_by(o, write_asked))
		return -ENOMEM;
	o->writable = writable;
	o->writable_ctx = ctx;
	return 0;
}

int gn_textfile_open(struct gn_textfile *o, const char *path)
{
	return open_by(o, path, gn_outfile_open);
}

int gn_textfile_create(struct gn_textfile *o, const char *path)
{
	return open_by(o, path, gn_outfile_create);
}

bool gn_is_terminal(const char *path)
{
	struct stat st;
	bool is;
	int fd;

	if (!path || !strcmp(path, "-"))
		return isatty(STDOUT_FILENO);
	if (stat(path, &st) || !S_ISCHR(st.st_mode))
		return false;
	fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	is = fd >= 0 && isatty(fd);
	if (fd >= 0)
		close(fd);
	return is;
}

bool gn_overwrites(const char *output, const char *input)
{
	struct stat out, in;

	if (!output || !strcmp(output, "-") || stat(output, &out) ||
	    !S_ISREG(out.st_mode))
		return false;
	if (strcmp(input, "-") ? stat(input, &in) : fstat(STDIN_FILENO, &in))
		return false;
	if (out.st_dev != in.st_dev || out.st_ino != in.st_ino)
		return false;
	gn_error("%s is read, so it cannot be written; give another file",
		 output);
	return true;
}

/* The folder of a path, and the name in it. */
static bool find_name(const char *path, struct stat *dir, const char **base)
{
	const char *slash = strrchr(path, '/');
	char *folder =
		slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");
	bool found = folder && !stat(folder, dir);

	free(folder);
	*base = slash ? slash + 1 : path;
	return found;
}

bool gn_outputs_collide(const char *a, const char *b)
{
	const char *name, *other;
	struct stat in, also, st;

	if (!a || !b || !find_name(a, &in, &name) ||
	    !find_name(b, &also, &other) || in.st_dev != also.st_dev ||
	    in.st_ino != also.st_ino || strcmp(name, other) != 0 ||
	    !strcmp(a, "-") || (!stat(a, &st) && !S_ISREG(st.st_mode)))
		return false;
	gn_error("two outputs would be %s; give each a file of its own", a);
	return true;
}

static int flush(FILE *f)
{
	errno = 0;
	fflush(f);
	return gn_stream_status(f);
}

int gn_textfile_commit(struct gn_textfile *o)
{
	int err = flush(o->f);

	if (o->is_stdout)
		return err;
	if (fclose(o->f) && !err)
		err = -errno;
	o->f = NULL;
	if (!err)
		err = gn_outfile_publish(&o->file);
	gn_textfile_abort(o);
	return err;
}

void gn_textfile_abort(struct gn_textfile *o)
{
	if (o->is_stdout) {
		/* exit() would write the rest, and SIGPIPE would end the
		 * program */
		__fpurge(o->f);
		return;
	}
	if (o->f)
		fclose(o->f);
	o->f = NULL;
	gn_outfile_close(&o->file, false);
}

int gn_textfile_begin(struct gn_textfile *o, const char *path)
{
	int err = gn_textfile_open(o, path);

	if (!err)
		return GN_EXIT_OK;
	return gn_textfile_refused(path, err, "-o");
}

int gn_textfile_refused(const char *path, int err, const char *option)
{
	bool memory = err == -ENOMEM;

	gn_error("cannot write %s: %s; %s%s", path ? path : "stdout",
		 gn_trace_strerror(err),
		 memory ? "free some memory" : "give another file with ",
		 memory ? "" : option);
	return GN_EXIT_FAILED;
}

int gn_textfile_end(struct gn_textfile *o, const char *path, int err)
{
	if (err)
		gn_textfile_abort(o);
	else
		err = gn_textfile_commit(o);
	/* the stream does not keep the error of write_asked() */
	if (err && o->err)
		err = o->err;
	if (!err || err == -EPIPE)
		return GN_EXIT_OK;
	gn_error("cannot write %s: %s; write it elsewhere",
		 path ? path : "stdout", gn_trace_strerror(err));
	return GN_EXIT_FAILED;
}
