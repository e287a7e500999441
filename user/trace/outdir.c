/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/outdir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "trace/trace.h"

#define LINKS_MAX 40 /* same as the kernel's limit */
#define NOBODY	  ((uid_t)-1)

struct walk {
	int fd;	     /* the directory reached so far */
	int links;   /* number of links followed */
	uid_t maker; /* who made the untrusted links; NOBODY: none */
	bool mixed;  /* several users made untrusted links */
};

static int walk_text(struct walk *w, const char *text);

static void move(struct walk *w, int fd)
{
	close(w->fd);
	w->fd = fd;
}

/* Notes that `uid` made a link. */
static void note_maker(struct walk *w, uid_t uid)
{
	if (!uid || uid == geteuid())
		return;
	w->mixed |= w->maker != NOBODY && w->maker != uid;
	w->maker = uid;
}

/* Links in /proc lead elsewhere than their text says. */
static bool is_magic(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

static int follow_magic(struct walk *w, const char *name)
{
	int fd = openat(w->fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	move(w, fd);
	return 0;
}

/* `link` is an open symbolic link in the directory. */
static int follow(struct walk *w, int link)
{
	char text[PATH_MAX];
	ssize_t n = readlinkat(link, "", text, sizeof(text));
	int fd;

	if (n < 0)
		return -errno;
	if (n == sizeof(text))
		return -ENAMETOOLONG;
	text[n] = '\0';
	if (*text == '/') {
		fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		move(w, fd);
	}
	return walk_text(w, text);
}

/* The component is not a directory: follows it if it is a link. */
static int step_link(struct walk *w, const char *name)
{
	int fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISLNK(st.st_mode))
		err = -ENOTDIR;
	else if (++w->links > LINKS_MAX)
		err = -ELOOP;
	if (!err) {
		note_maker(w, st.st_uid);
		err = is_magic(fd) ? follow_magic(w, name) : follow(w, fd);
	}
	close(fd);
	return err;
}

/* O_DIRECTORY triggers an automount. */
static int step(struct walk *w, const char *name)
{
	int fd = openat(w->fd, name,
			O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP ? step_link(w, name)
							  : -errno;
	move(w, fd);
	return 0;
}

static int walk_text(struct walk *w, const char *text)
{
	char name[NAME_MAX + 1];
	int err = 0;

	while (!err && *(text += strspn(text, "/"))) {
		size_t n = strcspn(text, "/");

		if (n > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(name, text, n);
		name[n] = '\0';
		text += n;
		err = step(w, name);
	}
	return err;
}

/* Checks that those who made the links own the directory: what happens there,
 * they could do without gnomon. */
static int check_makers(const struct walk *w)
{
	struct stat st;

	if (w->maker == NOBODY)
		return 0;
	if (fstat(w->fd, &st))
		return -errno;
	return w->mixed || st.st_uid != w->maker ? -GN_TRACE_UNSAFE : 0;
}

static int walk_parent(const char *parent, int *dir)
{
	struct walk w = {.maker = NOBODY};
	int err;

	w.fd = open(*parent == '/' ? "/" : ".",
		    O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w.fd < 0)
		return -errno;
	err = walk_text(&w, parent);
	if (!err)
		err = check_makers(&w);
	if (err)
		close(w.fd);
	else
		*dir = w.fd;
	return err;
}

int gn_outdir_open(const char *path, int *dir, char **base)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char *parent;
	int err;

	if (!*path)
		return -ENOENT;
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return -EISDIR;
	parent = strndup(path, (size_t)(name - path));
	*base = strdup(name);
	err = parent && *base ? walk_parent(parent, dir) : -ENOMEM;
	free(parent);
	if (!err)
		return 0;
	free(*base);
	*base = NULL;
	return err;
}
