/* SPDX-License-Identifier: BSD-2-Clause */
/* Muting: what cannot be muted, what stays afterwards, which rights it
 * needs. */
#include "live_mute.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/mute_memory.h"

#define LONG_DEMO "demo.dll mutes 15 100000000"
#define FIB	  "Demo.Mutes.Fib(int)"
#define WORK	  "Demo.Mutes.Work(int,int)"

static void expect(struct live *t, const char *what, int got, int wanted)
{
	CHECK(t, got == wanted, "%s: %s instead of %s", what, strerror(-got),
	      strerror(-wanted));
}

void test_errors(struct live *t)
{
	struct live_args command = {.n = 0};
	struct capture c, plain;
	char *globs[2];
	uint32_t clr = GN_FUNC(GN_RUNTIME_CLR, 1);

	mute_command(t, &command, "fib 18 40");
	capture_init(t, &c, command.word);
	capture_functions(&c, "fib", "root", globs);
	expect(t, "new", gn_session_new(&c.opts, &c.session), 0);
	expect(t, "early", gn_session_mute(c.session, 1, 0), -EOPNOTSUPP);
	gn_session_free(c.session);
	capture_start(&c, live_path(t, "out"));
	CHECK(t, capture_until_hot(&c), "it ended early");
	expect(t, "no function", gn_session_mute(c.session, 0, 0), -ENOENT);
	/* the function may be in a program that is executed later */
	expect(t, "past the last", gn_session_mute(c.session, 3, 0),
	       -EOPNOTSUPP);
	expect(t, "no pid", gn_session_mute(c.session, clr, 0), -EINVAL);
	expect(t, "odd pid", gn_session_mute(c.session, clr, UINT32_MAX),
	       -EINVAL);
	/* the command cannot start a runtime, so none is prepared */
	expect(t, "no library",
	       gn_session_mute(c.session, clr, (uint32_t)getpid()),
	       -EOPNOTSUPP);
	expect(t, "another runtime",
	       gn_session_mute(c.session, GN_FUNC(GN_RUNTIME_PHP, 1), 1),
	       -EOPNOTSUPP);
	CHECK(t, !c.mutes, "what failed is told");
	capture_finish(&c);
	expect(t, "late", capture_mute(&c), -EOPNOTSUPP);
	gn_session_free(c.session);

	capture_init(t, &plain, command.word);
	capture_functions(&plain, "fib", "root", globs);
	plain.opts.can_mute = false;
	capture_start(&plain, live_path(t, "out"));
	CHECK(t, capture_until_hot(&plain), "it ended early");
	expect(t, "not asked for", capture_mute(&plain), -EOPNOTSUPP);
	capture_finish(&plain);
	gn_session_free(plain.session);
}

/* The first byte of the muted function, read from outside the process. */
static uint8_t byte_of(struct live *t, uint32_t pid, uint32_t func)
{
	struct gn_mute_process p;
	struct gn_mute_file file;
	uint8_t byte = 0xff;

	expect(t, "library",
	       gn_mute_file_read(live_text(t, "%s", getenv("CLR_LIBRARY")),
				 &file),
	       0);
	expect(t, "process", gn_mute_process_open(&p, (pid_t)pid, &file), 0);
	CHECK(t,
	      pread(p.mem, &byte, 1, (off_t)(p.bytes + GN_FUNC_INDEX(func))) ==
		      1,
	      "the byte cannot be read: %s", strerror(errno));
	gn_mute_process_close(&p);
	return byte;
}

static void start_demo(struct live *t, struct capture *c,
		       struct live_args *command, char *globs[2])
{
	mute_command(t, command, LONG_DEMO);
	capture_init(t, c, command->word);
	capture_functions(c, FIB, WORK, globs);
}

void test_undone(struct live *t)
{
	struct live_args command = {.n = 0};
	struct capture c;
	char *globs[2];
	pid_t pid;

	start_demo(t, &c, &command, globs);
	capture_start(&c, live_path(t, "out"));
	CHECK(t, capture_until_hot(&c), "it ended early");
	expect(t, "byte before", byte_of(t, c.muted.pid, c.muted.func), 0);
	expect(t, "mute", capture_mute(&c), 0);
	CHECK(t, byte_of(t, c.muted.pid, c.muted.func) == 1,
	      "the byte is not set");
	pid = gn_session_child(c.session);
	expect(t, "stop", gn_session_stop(c.session), 0);
	CHECK(t, byte_of(t, c.muted.pid, c.muted.func) == 0,
	      "the byte is set after the end");
	CHECK(t, !kill(pid, SIGKILL), "the program has ended");
	gn_session_free(c.session);
}

static void set_effective(struct live *t, const cap_value_t *list, int n)
{
	cap_t caps = cap_get_proc();

	CHECK(t,
	      caps && !cap_clear_flag(caps, CAP_EFFECTIVE) &&
		      !cap_set_flag(caps, CAP_EFFECTIVE, n, list, CAP_SET) &&
		      !cap_set_proc(caps),
	      "capabilities: %s", strerror(errno));
	cap_free(caps);
}

/* The capabilities that a capture keeps, and the one more that muting needs. */
void test_capabilities(struct live *t)
{
	static const cap_value_t keep[] = {CAP_DAC_OVERRIDE, CAP_CHOWN,
					   CAP_FOWNER, CAP_KILL,
					   CAP_SYS_PTRACE};
	struct live_args command = {.n = 0};
	struct capture c;
	char *globs[2];
	int err;

	start_demo(t, &c, &command, globs);
	c.opts.user.other = true;
	c.opts.user.uid = 65534;
	c.opts.user.gid = 65534;
	if (!gn_user_can_read(&c.opts.user,
			      live_text(t, "%s", command.word[1])))
		live_skip(t, "the build's folder is closed to others");
	capture_start(&c, live_path(t, "out"));
	CHECK(t, capture_until_hot(&c), "it ended early");
	set_effective(t, keep, 4);
	err = capture_mute(&c);
	CHECK(t, err == -EPERM || err == -EACCES,
	      "muted without CAP_SYS_PTRACE: %s", strerror(-err));
	set_effective(t, keep, 5);
	expect(t, "mute", capture_mute(&c), 0);
	set_effective(t, keep, 4);
	/* open changes can be undone */
	CHECK(t, !kill(gn_session_child(c.session), SIGSTOP), "kill");
	expect(t, "stop", gn_session_stop(c.session), 0);
	set_effective(t, keep, 5);
	CHECK(t, byte_of(t, c.muted.pid, c.muted.func) == 0,
	      "the byte is set after the end");
	kill(gn_session_child(c.session), SIGKILL);
	gn_session_free(c.session);
}

/* A capture with hundreds of links, one per function, until it is killed. */
static _Noreturn void hold_links(struct live *t, int ready)
{
	static const char *const globs[] = {
		"libc.so.6:*str*", "libc.so.6:*mem*", "libc.so.6:_IO*"};
	struct live_args command = {.n = 0};
	struct capture c;

	live_add(t, &command, "/bin/sleep", "30", NULL);
	capture_init(t, &c, command.word);
	c.opts.functions = globs;
	c.opts.nfunctions = 3;
	capture_start(&c, live_path(t, "out"));
	if (write(ready, gn_session_summary(c.session), 40) != 40)
		_exit(1);
	for (;;)
		pause();
}

/* The kernel removes the links together, not one after the other. */
void test_killed(struct live *t)
{
	char summary[64] = "";
	uint64_t begin, took;
	long functions;
	int ready[2];
	pid_t pid;

	CHECK(t, !pipe(ready), "pipe: %s", strerror(errno));
	pid = fork();
	CHECK(t, pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		hold_links(t, ready[1]);
	close(ready[1]);
	CHECK(t, read(ready[0], summary, 40) == 40, "it did not attach");
	functions = strtol(summary, NULL, 10);
	CHECK(t, functions > 100, "only %ld functions", functions);
	begin = live_now();
	kill(pid, SIGKILL);
	CHECK(t, waitpid(pid, NULL, 0) == pid, "waitpid");
	took = live_now() - begin;
	CHECK(t, took < 5000000000u, "%ld links are gone after %ld ms only",
	      functions, (long)(took / 1000000));
}
