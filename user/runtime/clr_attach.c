/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks in a CLR that runs already: by its diagnostics socket. */
#include "runtime/clr_attach.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hooksite/clr/clsid.h"
#include "hooksite/clr/events.h"
#include "hooksite/clr/filter.h"
#include "process/copy.h"
#include "process/maps.h"
#include "runtime/clr_ipc.h"
#include "runtime/clr_room.h"
#include "runtime/clr_written.h"

/* with what comes before it, ten seconds until it is said that nobody answers
 */
#define BEGIN_MS 9000
#define END_MS	 5000
/* where it runs: its own code for all methods, on CPUs that it has to share */
#define REVERT_MS 20000
#define GUARD_MS  (60 * 60 * 1000)
#define LATER_MS  200
#define UP_MS	  3000
#define UP_STEP	  20
#define LOCK_MS	  3000
#define GONE_MS	  500

/* What the runtime answers (corerror.xml). */
#define CANCELLED ((int32_t)0x80131375) /* a later session: it was served */
#define NO_ATTACH ((int32_t)0x8013136a) /* there is a profiler already */
#define NOT_UP	  ((int32_t)0x8013135b) /* it has not begun */
#define NO_MEMORY ((int32_t)0x80070008) /* nor a thread */

struct gn_attached {
	pid_t pid;
	int socket;		/* O_PATH */
	int lock;		/* the process's folder of /proc, locked */
	char library[PATH_MAX]; /* as the process names it */
	struct gn_copy copy;	/* its file, where it does not see ours */
	bool opens;		/* musl: the copy's name stays for the end */
	pid_t guard; /* the process that ends the session if we cannot */
	int leash;   /* it waits at the other end; -1: there is none */
	bool begun;
	bool served;	/* the runtime did what it was asked for */
	bool owed;	/* the session's end, to the runtime */
	bool functions; /* some are asked for */
};

static int sleep_ms(int ms)
{
	struct timespec t = {.tv_nsec = ms * 1000000L};

	return nanosleep(&t, NULL);
}

/* One gnomon a process; one that was killed holds it until its guard is done.
 */
static int lock(struct gn_attached *a, char *why)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)a->pid);
	a->lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int ms = 0; a->lock >= 0; ms += 20) {
		if (!flock(a->lock, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK || ms >= LOCK_MS)
			break;
		sleep_ms(20);
	}
	if (a->lock < 0) {
		snprintf(why, GN_WHY_MAX, "process %d has ended", (int)a->pid);
		return -ESRCH;
	}
	snprintf(why, GN_WHY_MAX,
		 "another gnomon is at work on process %d; wait until it has "
		 "ended",
		 (int)a->pid);
	return -EBUSY;
}

/* Whether the process sees the same file at the same path, and may read it. */
static bool sees_library(const struct gn_attached *a)
{
	char path[PATH_MAX + 64];
	struct stat ours, theirs;

	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)a->pid,
		 a->library);
	return !stat(a->library, &ours) && !stat(path, &theirs) &&
	       ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino &&
	       gn_copy_is_needless(a->pid, a->library);
}

/* Whether the mapping is of another file that was at `path` before. */
static bool was_at(const struct gn_mapping *m, const char *path,
		   const struct gn_file_id *now)
{
	static const char deleted[] = " (deleted)";
	size_t n = strlen(path);

	return m->file.ino && !gn_file_same(&m->file, now) &&
	       !strncmp(m->name, path, n) &&
	       (!m->name[n] || !strcmp(m->name + n, deleted));
}

static int tell_older(const struct gn_attached *a, char *why)
{
	snprintf(why, GN_WHY_MAX,
		 "process %d has the library of a gnomon that was here before, "
		 "which traced it; start it again to trace its functions",
		 (int)a->pid);
	return -ESTALE;
}

/* Whether it is of another file of the library's name, wherever that is. */
static bool is_another(const struct gn_mapping *m, const char *path,
		       const struct gn_file_id *now)
{
	const char *name = strrchr(path, '/'), *at = strrchr(m->name, '/');
	size_t n = name ? strlen(name) : 0;

	return m->file.ino && !gn_file_same(&m->file, now) && name && at &&
	       !strncmp(at, name, n) && (!at[n] || at[n] == ' ');
}

/* Whether the process has a mapping that is such a one. What cannot be looked
 * at is found out later. */
static bool maps_one(const struct gn_attached *a,
		     bool (*is)(const struct gn_mapping *m, const char *path,
				const struct gn_file_id *now))
{
	int fd = open(a->library, O_RDONLY | O_CLOEXEC);
	struct gn_file_id now;
	struct gn_mapping m;
	struct gn_maps maps;
	bool one = false;

	if (fd >= 0 && !gn_maps_name(fd, &now) &&
	    !gn_maps_open(&maps, a->pid)) {
		while (!one && gn_maps_next(&maps, &m) > 0)
			one = is(&m, a->library, &now);
		gn_maps_close(&maps);
	}
	if (fd >= 0)
		close(fd);
	return one;
}

/* The runtime loads no file at a path that it has loaded one from, and an older
 * library can understand a request otherwise. */
static int check_mapped(const struct gn_attached *a, char *why)
{
	return maps_one(a, was_at) ? tell_older(a, why) : 0;
}

/* 'T' or 't': it is stopped and answers nobody. */
static bool is_stopped(pid_t pid)
{
	char path[32], state = 0, text[512], *end;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	end = strrchr(text, ')');
	if (end && end[1] == ' ')
		state = end[2];
	return state == 'T' || state == 't';
}

static int check_class(pid_t pid, char *why)
{
	char path[32];
	uint8_t head[5] = {0};
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0; /* what follows says why */
	if (pread(fd, head, sizeof(head), 0) < 0)
		head[4] = 0;
	close(fd);
	if (head[4] != 1)
		return 0;
	snprintf(why, GN_WHY_MAX,
		 "process %d is a 32-bit program; only 64-bit ones can be "
		 "traced by their functions",
		 (int)pid);
	return -EOPNOTSUPP;
}

/*
 * What failed is told as the end of the process, if it was that: a runtime that
 * shuts down closes its socket some time before.
 */
static int told_end(pid_t pid, int err, char *why)
{
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, pid, 0),
			   .events = POLLIN};
	bool ended = p.fd < 0 ? errno == ESRCH : poll(&p, 1, GONE_MS) > 0;

	if (p.fd >= 0)
		close(p.fd);
	if (!ended)
		return err;
	snprintf(why, GN_WHY_MAX, "process %d has ended", (int)pid);
	return -ESRCH;
}

static int ask_as(struct gn_attached *a, bool beside, const char *request,
		  int ms, gn_wait_fn wait, void *ctx, int32_t *result)
{
	uint8_t *message = malloc(GN_CLR_IPC_MAX);
	int n = message ? gn_clr_ipc_attach(message, a->library, beside,
					    request, strlen(request))
			: -ENOMEM;

	if (n >= 0)
		n = gn_clr_ipc_ask(a->socket, a->pid, message, (size_t)n, ms,
				   wait, ctx, result);
	free(message);
	return n;
}

/* Who asks for no function makes do with a place beside another profiler. */
static int ask(struct gn_attached *a, const char *request, int ms,
	       gn_wait_fn wait, void *ctx, int32_t *result)
{
	int err = ask_as(a, false, request, ms, wait, ctx, result);

	if (err || *result != NO_ATTACH || a->functions)
		return err;
	return ask_as(a, true, request, ms, wait, ctx, result);
}

/* One that begins just now refuses until it is up. */
static int ask_when_up(struct gn_attached *a, const char *request,
		       gn_wait_fn wait, void *ctx, int32_t *result)
{
	int err = ask(a, request, BEGIN_MS, wait, ctx, result);

	for (int ms = 0; !err && *result == NOT_UP && ms < UP_MS;
	     ms += UP_STEP) {
		if (wait(ctx) == GN_WAIT_ENOUGH)
			return -EINTR;
		sleep_ms(UP_STEP);
		err = ask(a, request, BEGIN_MS - UP_MS, wait, ctx, result);
	}
	return err;
}

/* Words to the guard. */
enum {
	BEGUN = 'b',  /* the runtime is asked; without it there is no end */
	LOADED = 'l', /* the copy of the library is */
	DONE = 'd',   /* nothing is left to do */
};

/* No right stays but the one to connect to another user's socket, if gnomon has
 * it. */
static bool drop_rights(void)
{
	const cap_value_t need = CAP_DAC_OVERRIDE;
	cap_flag_value_t has = CAP_CLEAR;
	cap_t caps = cap_get_proc();
	bool dropped = caps && !cap_get_flag(caps, need, CAP_PERMITTED, &has) &&
		       !cap_clear(caps) &&
		       !cap_set_flag(caps, CAP_PERMITTED, 1, &need, has) &&
		       !cap_set_flag(caps, CAP_EFFECTIVE, 1, &need, has) &&
		       !cap_set_proc(caps);

	cap_free(caps);
	return dropped;
}

/* Nothing else of gnomon's is to be open in it, nor any right but that one, and
 * the process's own to files. */
static void settle(struct gn_attached *a, int leash)
{
	int kept[] = {leash, a->socket, a->lock, a->copy.folder};
	const int n = a->copy.folder >= 0 ? 4 : 3;

	setsid();
	prctl(PR_SET_NAME, "gnomon-guard");
	for (int i = 0; i < n; i++)
		kept[i] = fcntl(kept[i], F_DUPFD, 16);
	for (int i = 0; i < n; i++)
		dup2(kept[i], 3 + i);
	syscall(SYS_close_range, 3 + n, ~0u, 0);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	if ((n > 3 && gn_copy_become(&a->copy)) || !drop_rights())
		_exit(1);
	a->socket = 4;
	a->copy.folder = n > 3 ? 6 : -1;
}

/* Ends the session as soon as the runtime has room to answer. */
static void end_later(struct gn_attached *a)
{
	char why[GN_WHY_MAX];
	int32_t result;

	for (int ms = 0; ms < GUARD_MS; ms += LATER_MS) {
		if (!gn_clr_has_room(a->pid, why) &&
		    (ask(a, GN_CLR_REQUEST_END, GUARD_MS, NULL, NULL,
			 &result) ||
		     result != NO_MEMORY))
			return;
		sleep_ms(LATER_MS);
	}
}

static _Noreturn void guard(struct gn_attached *a, int leash)
{
	bool begun = false;
	ssize_t n;
	char c = 0;

	settle(a, leash);
	do {
		n = read(3, &c, 1);
		begun = begun || (n > 0 && c == BEGUN);
		if (n > 0 && c == LOADED && !a->opens)
			gn_copy_remove(&a->copy);
	} while (n > 0 ? c != DONE : n < 0 && errno == EINTR);
	if (n <= 0 && begun)
		end_later(a);
	gn_copy_remove(&a->copy);
	_exit(0);
}

static int start_guard(struct gn_attached *a)
{
	sigset_t all, before;
	int ends[2], err = 0;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	a->guard = fork();
	if (a->guard < 0)
		err = -errno;
	if (!a->guard) {
		close(ends[1]);
		guard(a, ends[0]);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[0]);
	if (err)
		close(ends[1]);
	else
		a->leash = ends[1];
	return err;
}

static void tell_guard(const struct gn_attached *a, char word)
{
	ssize_t n = a->leash >= 0 ? write(a->leash, &word, 1) : 0;

	(void)n; /* who does not listen has been killed */
}

static void dismiss_guard(struct gn_attached *a)
{
	tell_guard(a, DONE);
	if (a->leash < 0)
		return;
	close(a->leash);
	a->leash = -1;
	while (waitpid(a->guard, NULL, 0) < 0 && errno == EINTR)
		;
}

static void close_attached(struct gn_attached *a)
{
	if (!a)
		return;
	if (!a->owed)
		dismiss_guard(a);
	else if (a->leash >= 0)
		close(a->leash); /* without a word: the guard ends it */
	gn_copy_close(&a->copy);
	if (a->socket >= 0)
		close(a->socket);
	if (a->lock >= 0)
		close(a->lock);
	free(a);
}

/* The guard is there before the copy, so that it never stays. */
static int make_copy(struct gn_attached *a, int from)
{
	int err = gn_copy_choose(&a->copy, a->pid, from);

	if (!err)
		err = start_guard(a);
	return err ? err : gn_copy_make(&a->copy, from);
}

static int bring_copy(struct gn_attached *a, char *why)
{
	int from = open(a->library, O_RDONLY | O_CLOEXEC);
	int err = from < 0 ? -errno : gn_copy_find(&a->copy, a->pid, from);

	a->opens = strstr(a->library, "/" GN_CLR_LIBRARY_MUSL);
	if (!err)
		err = make_copy(a, from);
	else if (err > 0 && a->opens)
		gn_copy_by_descriptor(&a->copy, a->pid);
	if (from >= 0)
		close(from);
	if (err == -ESTALE)
		return tell_older(a, why);
	if (err >= 0) {
		strcpy(a->library, a->copy.path);
		return 0;
	}
	snprintf(why, GN_WHY_MAX,
		 "process %d does not see '%.300s' (it is in a container, or "
		 "its user may not), and %s; mount its folder there at the "
		 "same path, or let its user read it",
		 (int)a->pid, a->library,
		 err == -EACCES
			 ? "no /tmp of it has room for a copy that can be run"
			 : strerror(-err));
	return err;
}

/* 0: the runtime did what was asked for. */
static int explain(const struct gn_attached *a, int err, int32_t result,
		   char *why)
{
	int pid = (int)a->pid;

	if (!err && (result >= 0 || result == CANCELLED))
		return 0;
	if (err == -EINTR)
		snprintf(why, GN_WHY_MAX, "attaching was interrupted");
	else if (err == -ETIMEDOUT)
		snprintf(why, GN_WHY_MAX, "process %d does not answer%s", pid,
			 is_stopped(a->pid) ? ": it is stopped; let it go on "
					      "(kill -CONT)"
					    : " at its diagnostics socket");
	else if (err == -EPROTO || err == -EPERM)
		snprintf(why, GN_WHY_MAX,
			 "what answers at the diagnostics socket of process %d "
			 "is not its runtime",
			 pid);
	else if (err == -EACCES)
		snprintf(why, GN_WHY_MAX,
			 "the diagnostics socket of process %d is its user's; "
			 "%s",
			 pid,
			 geteuid() ? "run gnomon as that user or as root"
				   : "give gnomon CAP_DAC_OVERRIDE");
	else if (err)
		snprintf(why, GN_WHY_MAX,
			 "process %d does not listen at its diagnostics "
			 "socket (%s)",
			 pid, strerror(-err));
	else if (result == NO_ATTACH && maps_one(a, is_another))
		snprintf(why, GN_WHY_MAX,
			 "process %d has the library of another gnomon, which "
			 "traced it; trace it with that one, or start it again",
			 pid);
	else if (result == NO_ATTACH)
		snprintf(why, GN_WHY_MAX,
			 "another profiler is in process %d, and a runtime "
			 "lets one only see functions; trace without -f, or "
			 "start the program without that one",
			 pid);
	else if (result == NOT_UP)
		snprintf(why, GN_WHY_MAX,
			 "the runtime of process %d has not begun: it waits "
			 "until a diagnostics tool lets it go on "
			 "(DOTNET_DiagnosticPorts, or "
			 "DOTNET_DefaultDiagnosticPortSuspend)",
			 pid);
	else if (result == NO_MEMORY)
		snprintf(why, GN_WHY_MAX,
			 "the runtime of process %d has no room for one more "
			 "thread; raise the limit of its user (ulimit -u) or "
			 "of its cgroup (pids.max)",
			 pid);
	else
		snprintf(why, GN_WHY_MAX,
			 "the runtime of process %d does not take '%.300s' "
			 "(0x%08" PRIx32 "); its user must be able to read it",
			 pid, a->library, (uint32_t)result);
	return err ? err : -EPROTO;
}

static int open_attached(pid_t pid, const char *library,
			 struct gn_attached **out, char *why)
{
	struct gn_attached *a = calloc(1, sizeof(*a));
	bool seen;
	int err;

	if (!a) {
		snprintf(why, GN_WHY_MAX, "no memory");
		return -ENOMEM;
	}
	a->pid = pid;
	a->socket = a->lock = a->leash = -1;
	gn_copy_init(&a->copy);
	snprintf(a->library, sizeof(a->library), "%s", library);
	err = check_class(pid, why);
	if (!err)
		err = gn_clr_has_room(pid, why);
	if (!err)
		err = a->socket = gn_clr_ipc_find(pid, why);
	if (err == -ENOENT && is_stopped(pid))
		err = explain(a, -ETIMEDOUT, 0, why);
	else if (err == -ENOENT)
		err = told_end(pid, err, why);
	seen = err >= 0 && sees_library(a);
	if (err >= 0)
		err = seen ? check_mapped(a, why) : 0;
	if (!err)
		err = lock(a, why);
	if (!err && !seen)
		err = bring_copy(a, why);
	if (err < 0) {
		close_attached(a);
		return err;
	}
	*out = a;
	return 0;
}

static char *request_text(const struct gn_attach_asked *asked)
{
	struct timespec t;
	const char *values = asked->values;
	char *text;

	clock_gettime(CLOCK_REALTIME, &t);
	/* a runtime that was stopped can come to it when we have gone */
	if (asprintf(&text,
		     GN_CLR_REQUEST_TRACE "%lld %" PRIx32 " %d %zu\n%s%s",
		     (long long)t.tv_sec + BEGIN_MS / 1000 + 1, asked->families,
		     asked->fast, strlen(values), values, asked->filter) < 0)
		return NULL;
	if (strlen(text) < GN_CLR_REQUEST_MAX)
		return text;
	free(text);
	return NULL;
}

/* 0: the runtime can be asked for a session, and to end it. */
static int check_runtime(const struct gn_attached *a, gn_wait_fn wait,
			 void *ctx, char *why)
{
	int renews = is_stopped(a->pid)
			     ? -ETIMEDOUT
			     : gn_clr_ipc_renews(a->socket, a->pid, BEGIN_MS,
						 wait, ctx);

	if (renews < 0)
		return explain(a, renews, 0, why);
	if (renews)
		return 0;
	snprintf(why, GN_WHY_MAX,
		 "process %d runs a .NET older than 6, which keeps a profiler "
		 "for good; start the program under gnomon to trace its "
		 "functions",
		 (int)a->pid);
	return -EOPNOTSUPP;
}

static int ask_begin(struct gn_attached *a, const struct gn_attach_asked *asked,
		     gn_wait_fn wait, void *ctx, int32_t *result, char *why)
{
	/* what was asked before can have taken long: the time begins now */
	char *request = request_text(asked);
	int err;

	if (!request) {
		snprintf(why, GN_WHY_MAX,
			 "the globs of -f and -a are too long");
		return -E2BIG;
	}
	tell_guard(a, BEGUN);
	a->begun = a->owed = true;
	err = ask_when_up(a, request, wait, ctx, result);
	free(request);
	/* nobody would answer the end of it, either: it is the guard's */
	if (err == -ETIMEDOUT)
		a->begun = false;
	else if (err != -EINTR)
		tell_guard(a, LOADED);
	return explain(a, err, *result, why);
}

static int begin(struct gn_attached *a, const struct gn_attach_asked *asked,
		 gn_wait_fn wait, void *ctx, char *why)
{
	int32_t result = 0;
	int err;

	a->functions = gn_filter_asks(asked->filter);
	err = a->leash < 0 ? start_guard(a) : 0;
	if (err)
		snprintf(why, GN_WHY_MAX, "no process can be started (%s)",
			 strerror(-err));
	if (!err && a->functions)
		err = gn_clr_check_written(a->pid, a->socket, why);
	if (!err)
		err = check_runtime(a, wait, ctx, why);
	if (!err) {
		err = ask_begin(a, asked, wait, ctx, &result, why);
		a->served = !err;
	}
	/* a runtime that shuts down also refuses with some code of its own */
	if (err == -ECONNREFUSED || err == -ECONNRESET || err == -ENOENT ||
	    err == -EPROTO)
		err = told_end(a->pid, err, why);
	return err ? err : result == CANCELLED;
}

#define KEEPS "its functions keep gnomon's hooks until "
#define GUARD "a process of gnomon's waits for that and takes them out"

/* Whether the guard has to end the session later; `why` says what it waits for.
 */
static bool ends_later(const struct gn_attached *a, int err, int32_t result,
		       char *why)
{
	int pid = (int)a->pid;
	bool stopped;

	if (!err && result == NO_MEMORY) {
		explain(a, err, result, why);
		strcat(why, "; " KEEPS "then: " GUARD);
		return true;
	}
	if (err != -ETIMEDOUT && err != -EINTR)
		return false;
	stopped = is_stopped(a->pid);
	snprintf(why, GN_WHY_MAX, "process %d %s; " KEEPS "it %s: " GUARD, pid,
		 stopped ? "is stopped" : "does not answer",
		 stopped ? "goes on (kill -CONT)" : "does");
	return true;
}

/* 0, or the error if the runtime has a session and did not end it; `why` says
 * so. */
static int tell_unended(const struct gn_attached *a, int err, int32_t result,
			char *why)
{
	char answer[32];

	if ((!err && (result >= 0 || result == CANCELLED)) || !a->served ||
	    (err && told_end(a->pid, err, why) == -ESRCH))
		return 0;
	snprintf(answer, sizeof(answer), "0x%08" PRIx32, (uint32_t)result);
	snprintf(why, GN_WHY_MAX,
		 "the runtime of process %d did not take gnomon's hooks out "
		 "(%s); its functions keep them and are a little slower until "
		 "it ends or is traced again",
		 (int)a->pid, err ? strerror(-err) : answer);
	return err ? err : -EPROTO;
}

static int end(struct gn_attached *a, gn_wait_fn wait, void *ctx, char *why)
{
	const bool reverts = a->functions && !is_stopped(a->pid);
	int32_t result = 0;
	int err;

	if (!a->begun)
		return 0;
	a->begun = false;
	if (gn_clr_has_room(a->pid, why)) {
		strcat(why, "; " KEEPS "then: " GUARD);
		return -EAGAIN;
	}
	err = ask(a, GN_CLR_REQUEST_END, reverts ? REVERT_MS : END_MS, wait,
		  ctx, &result);
	if (ends_later(a, err, result, why))
		return err ? err : -EAGAIN;
	a->owed = false;
	dismiss_guard(a);
	return tell_unended(a, err, result, why);
}

static int file_of(const struct gn_attached *a, const char **path)
{
	*path = a->library;
	return a->copy.file;
}

const struct gn_runtime_attach gn_clr_attach = {
	.open = open_attached,
	.begin = begin,
	.end = end,
	.close = close_attached,
	.file = file_of,
	.at_start = GN_FAMILIES_AT_START,
};
