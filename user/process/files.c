/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the files that a program or a process maps. */
#include "process/files.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/parent.h"
#include "process/regular.h"

#define MAX_FILES 4096
#define LOADER	  "/lib64/ld-linux-x86-64.so.2"
#define DELETED	  " (deleted)"

const char *gn_file_place(int fd, char *place)
{
	/* "self" is the process's table, also in a thread with its own file
	 * table */
	snprintf(place, GN_FILE_PLACE, "/proc/self/fd/%d", fd);
	return place;
}

void gn_files_raise(rlim_t *was)
{
	struct rlimit lim;

	*was = 0;
	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur == lim.rlim_max)
		return;
	*was = lim.rlim_cur;
	lim.rlim_cur = lim.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &lim))
		/* a later failure for lack of descriptors is reported there */
		*was = 0;
}

static struct gn_file *find_file(const struct gn_files *f,
				 const struct gn_file_id *id)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->file[i].fd >= 0 && gn_file_same(&f->file[i].id, id))
			return &f->file[i];
	return NULL;
}

const char *gn_files_program(const struct gn_files *f)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->file[i].program)
			return f->file[i].path;
	return NULL;
}

bool gn_files_have(const struct gn_files *f, const struct gn_file_id *id)
{
	return find_file(f, id) != NULL;
}

bool gn_file_on_overlay(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* A file that overlayfs copied up keeps its inode number, but its change time
 * is that of the copying. */
struct gn_file *gn_files_twin(const struct gn_files *f, int fd)
{
	struct stat st, its;

	if (!gn_file_on_overlay(fd) || fstat(fd, &st))
		return NULL;
	for (size_t i = 0; i < f->count; i++) {
		int other = f->file[i].fd;

		if (other >= 0 && !fstat(other, &its) &&
		    its.st_ino == st.st_ino && its.st_size == st.st_size &&
		    same_time(&its.st_ctim, &st.st_ctim) &&
		    same_time(&its.st_mtim, &st.st_mtim))
			return &f->file[i];
	}
	return NULL;
}

int gn_files_move(struct gn_files *f, struct gn_file *file)
{
	struct gn_file *list = f->file;

	if (f->count >= MAX_FILES)
		return -E2BIG;
	if (f->count == f->room) {
		size_t room = f->room ? f->room * 2 : 16;

		list = reallocarray(list, room, sizeof(*list));
		if (!list)
			return -ENOMEM;
		f->file = list;
		f->room = room;
	}
	list[f->count++] = *file;
	*file = (struct gn_file){.fd = -1};
	return 0;
}

static struct gn_file *find_open(const struct gn_files *f, int fd,
				 const struct gn_file_id *id)
{
	struct gn_file *known = find_file(f, id);

	return known ? known : gn_files_twin(f, fd);
}

/* Takes ownership of `fd`; closes it on an error. */
static int add_file(struct gn_files *f, const char *path, int fd,
		    const struct gn_file_id *id, bool program)
{
	struct gn_file file = {
		.path = strdup(path), .fd = fd, .id = *id, .program = program};
	int err = file.path ? gn_files_move(f, &file) : -ENOMEM;

	if (err && fd >= 0)
		close(fd);
	free(file.path); /* NULL when it was taken over */
	return err;
}

int gn_files_add(struct gn_files *f, const char *path, bool program, size_t *at)
{
	int err, fd = gn_regular_open(path);
	struct gn_file *known;
	struct gn_file_id id;

	if (fd < 0)
		return fd;
	err = gn_maps_name(fd, &id);
	known = err ? NULL : find_open(f, fd, &id);
	if (err || known) {
		close(fd);
		if (err)
			return err;
		known->program |= program;
	} else {
		err = add_file(f, path, fd, &id, program);
		if (err)
			return err;
		known = &f->file[f->count - 1];
	}
	if (at)
		*at = (size_t)(known - f->file);
	return 0;
}

void gn_files_free(struct gn_files *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->file[i].path);
		if (f->file[i].fd >= 0)
			close(f->file[i].fd);
	}
	free(f->file);
	memset(f, 0, sizeof(*f));
}

/*
 * Lets the system's own dynamic linker list the libraries. Neither the
 * program's linker nor the program is run, and nothing with gnomon's
 * privileges.
 */
static void list_child(int out, const char *program, const struct gn_user *u)
{
	int null = open("/dev/null", O_RDWR);
	char real[PATH_MAX];

	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 ||
	    dup2(null, 2) < 0)
		_exit(127);
	if (u->other &&
	    (setgroups(1, &u->gid) || setgid(u->gid) || setuid(u->uid)))
		_exit(127);
	/* with a link the linker uses the link's folder for $ORIGIN, but a
	 * process uses the real one */
	execl(LOADER, LOADER, "--list",
	      realpath(program, real) ? real : program, (char *)NULL);
	_exit(127);
}

/* A file that exists and cannot be opened: only its path is listed. */
static int add_unread(struct gn_files *f, const char *path, int err)
{
	if (err == -EMFILE || err == -ENFILE || err == -ENOMEM)
		return err;
	for (size_t i = 0; i < f->count; i++)
		if (f->file[i].fd < 0 && !strcmp(f->file[i].path, path))
			return 0;
	return add_file(f, path, -1, &(struct gn_file_id){0, 0}, false);
}

/* Adds a listed file by its absolute path, because a process's mappings have
 * absolute paths. */
static int add_listed(struct gn_files *f, const char *path)
{
	char cwd[PATH_MAX], full[2 * PATH_MAX];
	int err;

	if (*path != '/' && getcwd(cwd, sizeof(cwd))) {
		snprintf(full, sizeof(full), "%s/%s", cwd,
			 path + (strncmp(path, "./", 2) ? 0 : 2));
		path = full;
	}
	err = gn_files_add(f, path, false, NULL);
	return err ? add_unread(f, path, err) : 0;
}

/* "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x...)" */
static int take_line(struct gn_files *f, char *line)
{
	char *arrow = strstr(line, " => ");
	char *path = arrow ? arrow + 4 : line + strspn(line, "\t");
	char *end = strstr(path, " (0x");

	if (!end)
		return 0;
	*end = 0;
	/* the vdso is in no file */
	return strchr(path, '/') ? add_listed(f, path) : 0;
}

static int take_lines(struct gn_files *f, FILE *in)
{
	char line[PATH_MAX + 256];
	size_t lines = 0;
	int err = 0;

	for (; !err && fgets(line, sizeof(line), in); lines++)
		err = take_line(f, line);
	f->unlisted = !lines || ferror(in);
	return err;
}

/* If gnomon was started with SIGCHLD ignored, the exit status is lost. Then the
 * lines must do. */
static bool has_succeeded(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return errno == ECHILD;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

int gn_files_of_program(const char *program, const struct gn_user *u,
			struct gn_files *f)
{
	int fds[2], err;
	pid_t pid;
	FILE *in;

	err = gn_files_add(f, program, true, NULL);
	if (err)
		return err;
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	in = fdopen(fds[0], "r");
	if (!in) {
		err = -errno;
		close(fds[0]);
		close(fds[1]);
		return err;
	}
	fflush(NULL);
	pid = fork();
	if (!pid)
		list_child(fds[1], program, u);
	err = pid < 0 ? -errno : 0;
	close(fds[1]);
	if (!err)
		err = take_lines(f, in);
	fclose(in);
	if (pid > 0 && !has_succeeded(pid))
		f->unlisted = true;
	return err;
}

const char *gn_file_own_name(pid_t pid, int fd, char *name)
{
	char link[64], root[PATH_MAX];
	size_t len = strlen(name), at = sizeof(DELETED) - 1;
	struct stat st;
	ssize_t n;

	if (len > at && !strcmp(name + len - at, DELETED) && fd >= 0 &&
	    !fstat(fd, &st) && !st.st_nlink)
		name[len - at] = '\0';
	snprintf(link, sizeof(link), "/proc/%d/root", (int)pid);
	n = readlink(link, root, sizeof(root) - 1);
	if (n > 1 && !strncmp(name, root, (size_t)n) && name[n] == '/')
		name += n;
	return name;
}

/* Uses stat(2) if it agrees with the mapping's id, because gn_maps_name() has
 * to make a mapping. */
static bool is_named(int fd, const struct gn_file_id *want)
{
	struct gn_file_id id;
	struct stat st;

	if (fstat(fd, &st))
		return false;
	id.dev = (uint64_t)major(st.st_dev) << 32 | minor(st.st_dev);
	id.ino = st.st_ino;
	return gn_file_same(&id, want) ||
	       (!gn_maps_name(fd, &id) && gn_file_same(&id, want));
}

/* Opens the mapped file itself. Only if the kernel does not allow that, opens
 * the path, if it is the same file. */
int gn_file_of_mapping(pid_t pid, const struct gn_mapping *m)
{
	char path[PATH_MAX + 64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 (int)pid, m->start, m->end);
	fd = gn_regular_open(path);
	if (fd == -EPERM || fd == -EACCES) {
		snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid,
			 m->name);
		fd = gn_regular_open(path);
	}
	if (fd < 0)
		return fd;
	if (is_named(fd, &m->file))
		return fd;
	close(fd);
	return -ESTALE;
}

bool gn_mapping_is_of(const struct gn_mapping *m, const char *path)
{
	size_t len = strlen(path);

	return m->file.ino && !strncmp(m->name, path, len) &&
	       (!m->name[len] || !strcmp(m->name + len, DELETED));
}

/* Mappings that the kernel puts into every process. */
static bool is_kernels(const struct gn_mapping *m)
{
	return !strcmp(m->name, "[vdso]") || !strcmp(m->name, "[vsyscall]") ||
	       !strcmp(m->name, "[uprobes]");
}

static int take_mapping(pid_t pid, struct gn_files *f,
			const struct gn_mapping *m)
{
	char name[PATH_MAX];
	int fd;

	/* a writable mapping can differ from the file */
	if (m->exec && !is_kernels(m) &&
	    (!m->file.ino || m->name[0] != '/' || m->write))
		f->loose_code = true;
	if (!m->exec || !m->file.ino || m->name[0] != '/' ||
	    find_file(f, &m->file))
		return 0;
	fd = gn_file_of_mapping(pid, m);
	if (fd == -EISDIR || fd == -ENOEXEC) {
		f->loose_code = true;
		return 0; /* a device has no functions */
	}
	if (fd >= 0 && gn_files_twin(f, fd)) {
		close(fd);
		return 0;
	}
	snprintf(name, sizeof(name), "%s", m->name);
	if (fd < 0)
		return add_unread(f, gn_file_own_name(pid, fd, name), fd);
	return add_file(f, gn_file_own_name(pid, fd, name), fd, &m->file,
			false);
}

static int take_program(pid_t pid, struct gn_files *f)
{
	char link[64], name[PATH_MAX];
	struct gn_file_id id;
	struct gn_file *known;
	ssize_t len;
	int fd, err;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	fd = gn_regular_open(link);
	if (fd < 0)
		return fd == -ENOENT ? -ESRCH : fd;
	/* from the descriptor, because the process can execute another program
	 * at any time */
	len = readlink(gn_file_place(fd, link), name, sizeof(name) - 1);
	err = len < 0 ? -errno : gn_maps_name(fd, &id);
	known = err ? NULL : find_open(f, fd, &id);
	if (err || known) {
		if (known)
			known->program = true;
		close(fd);
		return err;
	}
	name[len] = '\0';
	return add_file(f, gn_file_own_name(pid, fd, name), fd, &id, true);
}

int gn_files_of_process(pid_t pid, struct gn_files *f)
{
	struct gn_mapping m;
	struct gn_maps maps;
	int err = take_program(pid, f), got;

	if (!err)
		err = gn_maps_open(&maps, pid);
	if (err)
		return err;
	while (!err && (got = gn_maps_next(&maps, &m)))
		err = got < 0 ? got : take_mapping(pid, f, &m);
	gn_maps_close(&maps);
	return err;
}

/* The process of a thread that is not the process's first one, else 0. */
static uint32_t process_of(pid_t tid)
{
	uint32_t parent, pid = gn_process_and_parent((uint32_t)tid, &parent);

	return pid == (uint32_t)tid ? 0 : pid;
}

int gn_files_of_running(pid_t pid, struct gn_files *f)
{
	int err = process_of(pid) ? -ESRCH : gn_files_of_process(pid, f);
	char link[32], to[1];

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	if (!err && readlink(link, to, sizeof(to)) < 0)
		err = -ESRCH;
	return err;
}

/* Whether threads are left after the first one, which alone shows the
 * program. */
static bool has_threads(pid_t pid)
{
	char path[32];
	struct stat st;

	/* link count: two of the folder itself, and one per thread */
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return !stat(path, &st) && st.st_nlink > 3;
}

static bool is_shown(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return !access(path, F_OK);
}

bool gn_files_missing(pid_t pid, int err, char why[GN_MISSING_MAX])
{
	const char *text = NULL;
	uint32_t process = process_of(pid);
	/* read before kill(), because the process can end in between */
	bool shown = is_shown(pid);

	if (kill(pid, 0) && errno == ESRCH)
		text = "no process has PID %d; look for it with ps";
	else if (process)
		text = "%d is a thread of process %u; give the process";
	else if (!shown)
		text = "process %d is hidden from this user (/proc has "
		       "hidepid); run it as root";
	else if ((err == -ESRCH || err == -ENOENT) && has_threads(pid))
		text = "the first thread of process %d has ended, so what its "
		       "other threads run is not known; start it under gnomon";
	else if (err == -ESRCH || err == -ENOENT)
		text = "process %d runs no program: it is a kernel thread, or "
		       "a zombie; give a process that runs one";
	if (text)
		snprintf(why, GN_MISSING_MAX, text, (int)pid, process);
	return text;
}
