/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/clr_ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hooksite/clr/clsid.h"
#include "process/copy.h"
#include "process/inside.h"
#include "runtime/attach_parts.h"
#include "runtime/local_socket.h"

#define MAGIC	     "DOTNET_IPC_V1"
#define HEADER	     20
#define SET_PROFILER 0x03
#define ID_ATTACH    0x01
#define SET_PROCESS  0x04
#define ID_INFO2     0x04
#define SET_SERVER   0xff
#define ID_OK	     0x00
#define ID_ERROR     0xff
#define LOAD_MS	     10000

struct text {
	uint8_t *p;
	size_t n, left;
};

static void put(struct text *t, const void *bytes, size_t n)
{
	if (n <= t->left) {
		memcpy(t->p + t->n, bytes, n);
		t->n += n;
		t->left -= n;
	} else {
		t->left = 0;
		t->n = GN_CLR_IPC_MAX + 1;
	}
}

static void put_u32(struct text *t, uint32_t v)
{
	put(t, &v, sizeof(v));
}

static void put_header(struct text *t, uint8_t set, uint8_t id)
{
	const uint8_t rest[HEADER - sizeof(MAGIC)] = {
		[14 - sizeof(MAGIC)] = HEADER, 0, set, id};

	put(t, MAGIC, sizeof(MAGIC));
	put(t, rest, sizeof(rest));
}

int gn_clr_ipc_attach(uint8_t message[GN_CLR_IPC_MAX], const char *library,
		      bool beside, const void *data, size_t size)
{
	static const struct {
		uint32_t a;
		uint16_t b, c;
		uint8_t d[8];
	} clsid[2] = {GN_CLR_CLSID_INIT, GN_CLR_CLSID_BESIDE_INIT};
	struct text t = {message, 0, GN_CLR_IPC_MAX};
	uint16_t length;

	put_header(&t, SET_PROFILER, ID_ATTACH);
	put_u32(&t, LOAD_MS);
	put(&t, &clsid[beside], sizeof(*clsid));
	put_u32(&t, (uint32_t)strlen(library) + 1);
	for (const char *c = library;; c++) {
		uint16_t unit = (uint8_t)*c;

		if (unit > 0x7f)
			return -EILSEQ;
		put(&t, &unit, sizeof(unit));
		if (!unit)
			break;
	}
	put_u32(&t, (uint32_t)size);
	put(&t, data, size);
	if (t.n > GN_CLR_IPC_MAX)
		return -E2BIG;
	length = (uint16_t)t.n;
	memcpy(message + 14, &length, sizeof(length));
	return (int)t.n;
}

/* `answer` has at least a whole header. */
static bool is_answer(const uint8_t *answer)
{
	return !memcmp(answer, MAGIC, sizeof(MAGIC)) &&
	       answer[16] == SET_SERVER &&
	       (answer[17] == ID_OK || answer[17] == ID_ERROR);
}

int gn_clr_ipc_parse(const uint8_t *answer, size_t size, int32_t *result)
{
	uint16_t length;

	if (size < HEADER + sizeof(*result) || !is_answer(answer))
		return -EPROTO;
	memcpy(&length, answer + 14, sizeof(length));
	if (length != size)
		return -EPROTO;
	memcpy(result, answer + HEADER, sizeof(*result));
	return answer[17] == ID_ERROR && *result >= 0 ? -EPROTO : 0;
}

/* 1: the bytes are a whole message. 0: they can become one. Else -EPROTO. */
static int is_whole(const uint8_t *answer, size_t size)
{
	uint16_t length;

	if (size < HEADER)
		return 0;
	memcpy(&length, answer + 14, sizeof(length));
	if (length < HEADER || length > GN_CLR_ANSWER_MAX || size > length)
		return -EPROTO;
	return size == length;
}

/* Receives more of an answer. The buffer has more room than a valid answer
 * needs. */
static int receive_some(int s, const struct gn_socket_limits *l,
			uint8_t answer[GN_CLR_ANSWER_MAX + 1], size_t *have)
{
	ssize_t n = gn_socket_receive(s, answer + *have,
				      GN_CLR_ANSWER_MAX + 1 - *have, l);

	if (n <= 0)
		return n ? (int)n : -ECONNRESET;
	*have += (size_t)n;
	return 0;
}

static int receive(int s, const struct gn_socket_limits *l, int32_t *result)
{
	uint8_t answer[GN_CLR_ANSWER_MAX + 1];
	size_t have = 0;
	int whole = 0;

	while (!whole) {
		int err = receive_some(s, l, answer, &have);

		if (err)
			return err;
		whole = is_whole(answer, have);
	}
	return whole < 0 ? whole : gn_clr_ipc_parse(answer, have, result);
}

/* 1: the answer is OK, whatever it holds. 0: it is an error. Else -errno. */
static int receive_kind(int s, const struct gn_socket_limits *l)
{
	uint8_t answer[GN_CLR_ANSWER_MAX + 1];
	size_t have = 0;

	while (have < HEADER) {
		int err = receive_some(s, l, answer, &have);

		if (err)
			return err;
	}
	return is_answer(answer) ? answer[17] == ID_OK : -EPROTO;
}

int gn_clr_ipc_ask(int fd, pid_t pid, const uint8_t *message, size_t size,
		   int ms, gn_wait_fn wait, void *ctx, int32_t *result)
{
	const struct gn_socket_limits l = gn_socket_limits(ms, wait, ctx);
	int s = gn_socket_say(fd, pid, message, size, &l), err;

	if (s < 0)
		return s;
	err = receive(s, &l, result);
	close(s);
	return err;
}

int gn_clr_ipc_renews(int fd, pid_t pid, int ms, gn_wait_fn wait, void *ctx)
{
	const struct gn_socket_limits l = gn_socket_limits(ms, wait, ctx);
	uint8_t message[HEADER];
	struct text t = {message, 0, sizeof(message)};
	int s, kind;

	put_header(&t, SET_PROCESS, ID_INFO2);
	s = gn_socket_say(fd, pid, message, t.n, &l);
	if (s < 0)
		return s;
	kind = receive_kind(s, &l);
	close(s);
	return kind;
}

/* The parts of the name of a process's socket, and its folder. */
struct wanted {
	int root; /* the root of its mount namespace */
	uid_t uid;
	/* Its PID and its start time in ticks, as the process itself sees them.
	 * The start can be one of two values if its time namespace shifts the
	 * clock by a fraction of a tick. */
	long long pid, started[2];
	char folder[PATH_MAX];
};

/* Converts the start time as we see it to the process's time namespace. */
static void move_start(pid_t pid, long long started[2])
{
	long long hz = sysconf(_SC_CLK_TCK), s = 0, ns = 0;
	const char *line;
	char text[256];

	gn_inside_read(pid, "timens_offsets", text, sizeof(text));
	line = strstr(text, "boottime");
	if (line && sscanf(line, "boottime %lld %lld", &s, &ns) == 2)
		started[0] += s * hz + ns * hz / 1000000000;
	started[1] = started[0] + 1;
}

/* Finds the PID that the process sees, its start time and its user. */
static bool find_names(pid_t pid, struct wanted *w)
{
	char text[1024];
	gid_t gid;

	gn_inside_read(pid, "status", text, sizeof(text));
	if (!gn_inside_user(text, &w->uid, &gid))
		return false;
	w->pid = gn_inside_number(pid);
	if (!gn_inside_started(pid, &w->started[0]))
		return false;
	move_start(pid, w->started);
	return true;
}

/* Only the exact name will do: a killed process with the same PID leaves its
 * socket behind. */
static int find_socket(const struct wanted *w)
{
	int dir = gn_inside_open(w->root, w->folder, O_RDONLY | O_DIRECTORY);
	char name[128];
	int fd = -ENOENT;

	if (dir < 0)
		return dir;
	for (int i = 0; i < 2 && fd == -ENOENT; i++) {
		snprintf(name, sizeof(name),
			 "dotnet-diagnostic-%lld-%lld-socket", w->pid,
			 w->started[i]);
		fd = gn_socket_open(dir, name, w->uid);
	}
	close(dir);
	return fd;
}

/* A runtime that cannot make its socket runs without one. */
static const char *cannot_make(pid_t pid, const struct wanted *w)
{
	switch (gn_copy_may_write(pid, w->folder)) {
	case -EROFS:
		return "is read-only";
	case -EACCES:
		return "is not one that its user may write to";
	case -ENOENT:
	case -ENOTDIR:
		return "does not exist";
	default:
		return NULL;
	}
}

static void tell_missing(const struct wanted *w, pid_t pid, char *why)
{
	const char *cannot = cannot_make(pid, w);

	if (cannot)
		snprintf(why, GN_WHY_MAX,
			 "process %d cannot create a diagnostics socket: its "
			 "folder %.256s %s; start the process again with a "
			 "TMPDIR that it can write to",
			 (int)pid, w->folder, cannot);
	else
		snprintf(why, GN_WHY_MAX,
			 "process %d has no diagnostics socket in its folder "
			 "%.256s: it was started with "
			 "DOTNET_EnableDiagnostics=0 (or "
			 "DOTNET_EnableDiagnostics_IPC=0), or the socket was "
			 "deleted; start the process again without that",
			 (int)pid, w->folder);
}

static bool is_none(int err)
{
	return err == -ENOENT || err == -ENOTDIR || err == -ELOOP;
}

/* Fills *w, except the root. Else `why` says what could not be read. */
static int look_at(pid_t pid, struct wanted *w, char *why)
{
	bool named = find_names(pid, w);
	int err = named ? gn_inside_folder(pid, w->folder)
			: gn_inside_why(pid, "status");

	if (err == -ESRCH)
		snprintf(why, GN_WHY_MAX, "process %d has ended", (int)pid);
	else if (err == -EACCES)
		snprintf(why, GN_WHY_MAX,
			 "only its own user may read the %s of process %d; %s",
			 named ? "environment" : "status", (int)pid,
			 gn_attach_remedy());
	else if (err)
		snprintf(why, GN_WHY_MAX,
			 "the %s of process %d cannot be read (%s)",
			 named ? "folder for temporary files" : "status",
			 (int)pid, strerror(-err));
	return err;
}

int gn_clr_ipc_find(pid_t pid, char *why)
{
	struct wanted w = {.root = gn_inside_proc(pid, "root", O_PATH)};
	int fd = w.root;

	/* it has ended, even if nobody has waited for it yet */
	if (w.root == -ENOENT || w.root == -ESRCH) {
		snprintf(why, GN_WHY_MAX, "process %d has ended", (int)pid);
		return -ESRCH;
	}
	if (w.root < 0) {
		snprintf(why, GN_WHY_MAX,
			 "the root directory of process %d cannot be opened "
			 "(%s)%s",
			 (int)pid, strerror(-w.root),
			 gn_attach_lacks(w.root) ? "" : "; run gnomon as root");
		return w.root;
	}
	fd = look_at(pid, &w, why);
	if (!fd) {
		fd = find_socket(&w);
		if (is_none(fd))
			tell_missing(&w, pid, why);
		else if (fd < 0)
			snprintf(why, GN_WHY_MAX,
				 "the diagnostics socket of process %d cannot "
				 "be looked up in its folder %.256s (%s)",
				 (int)pid, w.folder, strerror(-fd));
	}
	close(w.root);
	return fd;
}
