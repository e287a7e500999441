/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that cannot be met: one line on stderr and the right exit status. */
#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>

#define NOBODY 65534

static void run_gnomon(struct live *t, const struct live_start *how,
		       const char *words, struct live_end *end)
{
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, NULL);
	live_split(t, &a, words);
	live_run(t, &a, how, end);
}

static void write_program(struct live *t, const char *path, const char *text,
			  mode_t mode)
{
	ssize_t size = (ssize_t)strlen(text);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode);

	CHECK(t, fd >= 0 && write(fd, text, (size_t)size) == size,
	      "cannot write");
	close(fd);
}

void test_bad_command(struct live *t)
{
	char *plain = live_text(t, "%s/not-a-program", t->dir);
	char *script = live_text(t, "%s/script", t->dir);
	struct live_end end;

	run_gnomon(t, NULL, "run -- /no/such/program", &end);
	live_expect_line(t, &end, 127, "/no/such/program");
	run_gnomon(t, NULL, "run -- no-such-program-anywhere", &end);
	live_expect_line(t, &end, 127, "no-such-program-anywhere");

	write_program(t, plain, "text\n", 0600);
	run_gnomon(t, NULL, live_text(t, "run -- %s", plain), &end);
	live_expect_line(t, &end, 126, plain);
	run_gnomon(t, NULL, live_text(t, "run -- %s", t->dir), &end);
	live_expect_line(t, &end, 126, t->dir);

	write_program(t, script, "#!/no/such/shell\n", 0700);
	run_gnomon(t, NULL, live_text(t, "run -q -- %s", script), &end);
	live_expect_line(t, &end, 127, "the interpreter that it names");
}

void test_bad_pid(struct live *t)
{
	struct live_end end;
	pid_t pid = fork();
	char *text;

	if (pid == 0)
		_exit(0);
	CHECK(t, pid > 0 && waitpid(pid, NULL, 0) == pid, "fork");
	text = live_text(t, "%d", pid);
	run_gnomon(t, NULL, live_text(t, "run -f main -p %s", text), &end);
	live_expect_line(t, &end, 1, text);
}

/* A 32-bit program, which blocks in its first write to a full pipe. */
static pid_t start_ia32(struct live *t, int *out)
{
	char *const argv[] = {live_fixture(t, "ia32_32"), NULL};
	char bytes[4096] = {0};
	int ends[2];
	pid_t pid;

	CHECK(t, pipe2(ends, O_CLOEXEC) == 0, "pipe");
	CHECK(t, fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0, "fcntl");
	while (write(ends[1], bytes, sizeof(bytes)) > 0)
		;
	while (write(ends[1], bytes, 1) > 0)
		;
	CHECK(t, fcntl(ends[1], F_SETFL, 0) == 0, "fcntl");
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		execv(argv[0], argv);
		_exit(127);
	}
	CHECK(t, pid > 0, "fork");
	close(ends[1]);
	*out = ends[0];
	return pid;
}

/* Its functions cannot be traced, its times can. */
void test_bad_pid_32(struct live *t)
{
	char bytes[4096], *text, *exe, link[256] = "";
	int out, status;
	struct live_end end;
	pid_t pid;

	if (!live_has_32_bits(t, "ia32_32"))
		return;
	pid = start_ia32(t, &out);
	text = live_text(t, "%d", pid);
	exe = live_text(t, "/proc/%d/exe", pid);
	while (!strstr(link, "ia32_32"))
		CHECK(t, readlink(exe, link, sizeof(link) - 1) > 0, "no exe");
	run_gnomon(t, NULL, live_text(t, "run -d 10ms -f Demo.* -p %s", text),
		   &end);
	live_expect_line(t, &end, 2, "not a 64-bit ELF file");
	run_gnomon(t, NULL, live_text(t, "run -d 10ms -p %s", text), &end);
	CHECK(t, end.code == 0 && strstr(end.out, "ia32_32"),
	      "gnomon ended with %d: %s", end.code, end.err);
	while (read(out, bytes, sizeof(bytes)) > 0)
		;
	CHECK(t, waitpid(pid, &status, 0) == pid && status == 0,
	      "the program failed");
	close(out);
}

void test_bad_glob(struct live *t)
{
	struct live_end end;

	run_gnomon(t, NULL,
		   live_text(t, "run -f no_such_function -- %s 5",
			     live_fixture(t, "fib")),
		   &end);
	live_expect_line(t, &end, 2, "no_such_function");
	CHECK(t, end.out_size == 0, "the program was run all the same");

	/* one that the dynamic linker chooses is reported as such */
	for (int i = 0; i < 2; i++) {
		run_gnomon(t, NULL,
			   live_text(t, "%s -f libc.so.6:strlen -- %s 5",
				     i ? "list" : "run",
				     live_fixture(t, "fib")),
			   &end);
		live_expect_line(t, &end, 2, "libc.so.6:*strlen*");
	}

	/* if there are several, each is named at the end, also with -q */
	run_gnomon(
		t, NULL,
		live_text(t,
			  "run -q -o %s -f no_such_one -f fib -f no_lib:fib -- "
			  "%s 5",
			  live_path(t, "report"), live_fixture(t, "fib")),
		&end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t,
	      strstr(end.err, "no function matched 'no_such_one'; ") &&
		      strstr(end.err, "no function matched 'no_lib:fib'; no "
				      "file with functions that its LIB "
				      "matches was mapped"),
	      "not each is named: %s", end.err);
	CHECK(t, !strstr(end.err, "-f 'fib'"), "one that matched is named: %s",
	      end.err);
}

void test_bad_options(struct live *t)
{
	static const char *const words[] = {"run",
					    "run --no-such-option",
					    "run -d -1 -- x",
					    "run -p 0",
					    "no-such-verb",
					    "run --format elf -- x",
					    "run -p 1 -- x",
					    "report --by colour",
					    "run -d 1parsec x"};
	struct live_end end;
	char *first;
	size_t i, n;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		run_gnomon(t, NULL, words[i], &end);
		n = live_complaints(t, end.err, &first);
		CHECK(t, end.code == 2, "\"%s\" ended with %d, not 2: %s",
		      words[i], end.code, end.err);
		CHECK(t, n == 1 && strncmp(first, "gnomon: ", 8) == 0,
		      "\"%s\": not one line on stderr: %s", words[i], end.err);
	}
}

/* The output does not replace the program. */
void test_bad_output(struct live *t)
{
	static const char *const words[] = {
		"run -o %s -- %s", "record -o %s -- %s", "top -b -o %s -- %s",
		"list -o %s %s",   "list -o %s -- %s",
	};
	char *program = live_text(t, "%s/program", t->dir);
	struct live_end end;

	write_program(t, program, "#!/bin/sh\nexit 0\n", 0700);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		run_gnomon(t, NULL, live_text(t, words[i], program, program),
			   &end);
		live_expect_line(t, &end, 2, "cannot be written");
		CHECK(t, access(program, X_OK) == 0, "it was replaced");
	}
}

void test_list_of_globs(struct live *t)
{
	static const char *const words[] = {
		"run -f fib,root -- %s 5",
		"list -f fib,root -- %s",
	};
	struct live_end end;

	for (size_t i = 0; i < 2; i++) {
		run_gnomon(t, NULL,
			   live_text(t, words[i], live_fixture(t, "fib")),
			   &end);
		live_expect_line(t, &end, 2, "give one -f for each");
	}
	run_gnomon(t, NULL,
		   live_text(t, "run -f fib -f fib,root -- %s 5",
			     live_fixture(t, "fib")),
		   &end);
	CHECK(t, end.code == 0 && strstr(end.err, "give one -f for each"),
	      "it is not told what a glob is: %s", end.err);
}

/* gnomon says where the symbols are that it does not read. */
static void expect_mini(struct live *t)
{
	char *file = live_path(t, "mini");
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, "/usr/bin/env", "objcopy", "--add-section",
		 live_text(t, ".gnu_debugdata=%s", live_fixture(t, "answers")),
		 live_fixture(t, "fib_stripped"), file, NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "objcopy: %s", end.err);
	run_gnomon(t, NULL, live_text(t, "run -f fib -- %s 5", file), &end);
	live_expect_line(t, &end, 2, ".gnu_debugdata");
	run_gnomon(t, NULL,
		   live_text(t, "run -f fib -f libc.so.6:malloc -- %s 5", file),
		   &end);
	CHECK(t, strstr(end.err, ".gnu_debugdata"), "it is told: %s", end.err);
	run_gnomon(t, NULL, live_text(t, "list -f fib -- %s", file), &end);
	live_expect_line(t, &end, 2, ".gnu_debugdata");
}

void test_stripped(struct live *t)
{
	struct live_end end;

	run_gnomon(t, NULL,
		   live_text(t, "run -f fib -- %s 5",
			     live_fixture(t, "fib_stripped")),
		   &end);
	live_expect_line(t, &end, 2, "symbols");
	CHECK(t, !strstr(end.err, "debugdata"), "it has none: %s", end.err);
	/* also if only a library has such functions */
	for (int i = 0; i < 2; i++) {
		run_gnomon(t, NULL,
			   live_text(t, "%s -f mallo* -- %s 5",
				     i ? "list" : "run",
				     live_fixture(t, "fib_stripped")),
			   &end);
		live_expect_line(t, &end, 2, "it is stripped");
	}
	expect_mini(t);
	/* a running process may start the program that has the function */
	run_gnomon(t, NULL,
		   live_text(t, "run -f no_such_work -p %d", (int)getpid()),
		   &end);
	live_expect_line(t, &end, 2, "-f '/PATH/PROGRAM:GLOB'");
	/* the other functions match */
	run_gnomon(t, NULL,
		   live_text(t, "run -f fib -f libc.so.6:malloc -- %s 5",
			     live_fixture(t, "fib_stripped")),
		   &end);
	CHECK(t, end.code == 0 && strstr(end.err, "its debug symbols"),
	      "that it is stripped is not told: %s", end.err);
	run_gnomon(t, NULL,
		   live_text(t, "run -f fib -f %s:no_such -- %s 5",
			     live_fixture(t, "libplugin.so"),
			     live_fixture(t, "fib")),
		   &end);
	CHECK(t, end.code == 0 && !strstr(end.err, "its debug symbols"),
	      "a file with symbols is called stripped: %s", end.err);
	/* a library, by its path: gnomon reads it without mapping it */
	run_gnomon(t, NULL,
		   live_text(t, "run -f fib -f %s:plugin_hidden -- %s 5",
			     live_fixture(t, "libplugin_stripped.so"),
			     live_fixture(t, "fib")),
		   &end);
	CHECK(t,
	      end.code == 0 &&
		      strstr(end.err,
			     "the library is stripped, so only its exported "
			     "functions are known; install its debug symbols"),
	      "that a library is stripped is not told: %s", end.err);
}

/* A glob without a library reaches only the program; gnomon says in which of
 * its libraries such functions are. */
void test_elsewhere(struct live *t)
{
	static const char *const ways[] = {"run", "list"};
	char *program = live_fixture(t, "shared");
	struct live_end end;

	for (size_t i = 0; i < 2; i++) {
		run_gnomon(
			t, NULL,
			live_text(t, "%s -f library_* -- %s", ways[i], program),
			&end);
		live_expect_line(t, &end, 2, "-f 'libfixture.so:library_*'");
		run_gnomon(
			t, NULL,
			live_text(t, "%s -f no_such_* -- %s", ways[i], program),
			&end);
		CHECK(t, end.code == 2 && !strstr(end.err, "of a library"),
		      "a library is named: %s", end.err);
	}
	/* the other functions match */
	run_gnomon(t, NULL,
		   live_text(t, "run -f main -f library_* -- %s", program),
		   &end);
	CHECK(t,
	      end.code == 0 && strstr(end.err, "-f 'libfixture.so:library_*'"),
	      "where they are is not told: %s", end.err);
}

/* Functions of a script are not missing symbols. */
void test_script_functions(struct live *t)
{
	char *python = live_text(t, "%s/python3.11", t->dir);
	char *lua = live_text(t, "%s/lua", t->dir);
	char *shim = live_text(t, "%s/python3", t->dir);
	struct live_end end;
	FILE *f;

	CHECK(t,
	      !symlink(live_fixture(t, "fib_stripped"), python) &&
		      !symlink("/bin/sh", lua),
	      "no links can be made");
	run_gnomon(t, NULL, live_text(t, "run -f fib -- %s 5", python), &end);
	live_expect_line(t, &end, 2, "runs Python code");
	/* one that is called so, as pyenv's, and runs something else */
	f = fopen(shim, "we");
	CHECK(t,
	      f && fputs("#!/bin/sh\n:\n", f) >= 0 && fclose(f) == 0 &&
		      chmod(shim, 0755) == 0,
	      "no script can be made");
	run_gnomon(t, NULL, live_text(t, "run -q -f no.such -- %s", shim),
		   &end);
	CHECK(t, end.code == 0 && !strstr(end.err, "runs Python code"),
	      "it ended with %d: %s", end.code, end.err);
	run_gnomon(t, NULL, live_text(t, "run -f no_such -- %s -c true", lua),
		   &end);
	CHECK(t, end.code == 0 && strstr(end.err, "runs Lua code"),
	      "whose functions are not seen is not told: %s", end.err);
	run_gnomon(t, NULL,
		   live_text(t, "run -f libc.so.6:no_such -- %s -c true", lua),
		   &end);
	CHECK(t, !strstr(end.err, "runs Lua code"),
	      "a library's function is taken for one of a script: %s", end.err);
}

/* How methods of Native AOT programs are called. */
void test_native_aot(struct live *t)
{
	char *program = live_fixture(t, "native_aot");
	struct live_end end;

	run_gnomon(t, NULL,
		   live_text(t, "run -f Shop.Cart.Total -- %s", program), &end);
	live_expect_line(t, &end, 2, "give -f '*Type__Method*'");
	run_gnomon(t, NULL,
		   live_text(t, "run -f Shop.Cart.Total -- %s",
			     live_fixture(t, "native_aot_loads")),
		   &end);
	CHECK(t, end.code == 0 && strstr(end.err, "give -f '*Type__Method*'"),
	      "it is not told how methods are called: %s", end.err);
	/* a JVM that it could start has such functions; it is none */
	run_gnomon(t, NULL,
		   live_text(t, "run -f Program* -- %s",
			     live_fixture(t, "native_aot_loads")),
		   &end);
	CHECK(t, end.code == 0 && strstr(end.err, "give -f '*Type__Method*'"),
	      "another library is meant: %s", end.err);
	run_gnomon(t, NULL,
		   live_text(t, "run -f *Cart__Total* -- %s",
			     live_fixture(t, "native_aot_bare")),
		   &end);
	CHECK(t,
	      strstr(end.err, "put the .dbg file that dotnet publish writes "
			      "beside it"),
	      "it is not told where its symbols are: %s", end.err);
	run_gnomon(t, NULL, live_text(t, "run -f lib:no_such -- %s", program),
		   &end);
	CHECK(t, !strstr(end.err, "Type__Method"),
	      "a library's function is taken for a method: %s", end.err);
	run_gnomon(t, NULL, live_text(t, "run -f *Cart__Total* -- %s", program),
		   &end);
	CHECK(t, end.code == 0 && strstr(end.out, "demo_Shop_Cart__Total"),
	      "the method is not found: %s", end.err);
	/* an empty report does not mean that nothing happened */
	run_gnomon(t, NULL, live_text(t, "run --by gc -- %s", program), &end);
	CHECK(t, end.code == 0 && strstr(end.out, "; Native AOT "),
	      "it reads as if there were no collection: %s", end.out);
	run_gnomon(t, NULL, "run --by gc -- /bin/true", &end);
	CHECK(t, end.code == 0 && !strstr(end.out, "Native AOT"),
	      "a program is taken for Native AOT: %s", end.out);
}

/* A copy of the program that a user without rights can reach. */
static char *copy_gnomon(struct live *t)
{
	char *to = live_text(t, "%s/gnomon", t->dir);

	CHECK(t, chmod(t->dir, 0755) == 0, "chmod: %s", strerror(errno));
	live_copy(t, t->gnomon, to);
	return to;
}

static void be_nobody(void)
{
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		_exit(125);
}

static void drop_capabilities(void)
{
	static const int caps[] = {CAP_SYS_ADMIN, CAP_BPF, CAP_PERFMON};
	size_t i;

	for (i = 0; i < sizeof(caps) / sizeof(caps[0]); i++)
		if (prctl(PR_CAPBSET_DROP, caps[i], 0, 0, 0))
			_exit(125);
}

static void run_without(struct live *t, void (*prepare)(void),
			struct live_end *end)
{
	struct live_start how = {.prepare = prepare};
	struct live_args a = {.n = 0};

	live_add(t, &a, copy_gnomon(t), "run", "--", "/proc/self/exe",
		 "--version", NULL);
	live_run(t, &a, &how, end);
}

void test_no_root(struct live *t)
{
	struct live_end end;

	run_without(t, be_nobody, &end);
	live_expect_line(t, &end, 1, "root");
}

void test_no_capabilities(struct live *t)
{
	struct live_end end;

	run_without(t, drop_capabilities, &end);
	live_expect_line(t, &end, 1, "CAP_");
}

/* Links that an older kernel does not have: gnomon says so, and nothing
 * runs. */
void test_links_asked(struct live *t)
{
	static const char *const modes[] = {"session", "multi", "single"};

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		struct live_args a = {.n = 0};
		struct live_end end;

		live_add(t, &a, t->gnomon, "run", "-q", "--attach", modes[i],
			 "-f", "fib", "--", live_fixture(t, "fib"), "5", NULL);
		live_run(t, &a, NULL, &end);
		if (end.code == 1 && strcmp(modes[i], "single") != 0)
			live_expect_line(t, &end, 1,
					 live_text(t, "no %s links", modes[i]));
		else
			CHECK(t, !end.code && strstr(end.out, "fib       fib"),
			      "%s ended with %d: %s%s", modes[i], end.code,
			      end.out, end.err);
	}
}

static void drop_admin(void)
{
	if (prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0))
		_exit(125);
}

/* An older kernel needs the capability, but only reports an invalid
 * argument. */
void test_no_admin(struct live *t)
{
	struct live_end end;

	run_without(t, drop_admin, &end);
	if (end.code)
		live_expect_line(t, &end, 1, "CAP_SYS_ADMIN");
}

static void have_few_descriptors(void)
{
	const struct rlimit few = {24, 24};

	if (setrlimit(RLIMIT_NOFILE, &few))
		_exit(125);
}

static void have_many_taken(void)
{
	const struct rlimit usual = {1024, 1024};
	int fd;

	if (setrlimit(RLIMIT_NOFILE, &usual))
		_exit(125);
	do {
		fd = dup(STDERR_FILENO);
	} while (fd >= 0 && fd < 1000);
}

void test_few_descriptors(struct live *t)
{
	struct live_end end;

	run_without(t, have_few_descriptors, &end);
	live_expect_line(t, &end, 1, "ulimit -n 1024");
}

void test_taken_descriptors(struct live *t)
{
	struct live_end end;

	run_without(t, have_many_taken, &end);
	live_expect_line(t, &end, 1, "ulimit -n 4096");
}

void test_bad_user(struct live *t)
{
	static const char *const verbs[] = {"run", "record", "top -b", "list"};
	char *place = live_text(t, "-o %s/out", t->dir);
	struct live_start how = {.prepare = be_nobody};
	char *program = copy_gnomon(t);
	struct live_args a;
	struct live_end end;

	for (size_t i = 0; i < 4; i++) {
		run_gnomon(t, NULL,
			   live_text(t, "%s %s --user nosuchuser -- /bin/true",
				     verbs[i], place),
			   &end);
		live_expect_line(t, &end, 2, "nosuchuser");
		run_gnomon(t, NULL,
			   live_text(t, "%s --user root -p %d", verbs[i],
				     (int)getpid()),
			   &end);
		live_expect_line(t, &end, 2, "--user");
		a = (struct live_args){.n = 0};
		live_add(t, &a, program, NULL);
		live_split(
			t, &a,
			live_text(t, "%s --user root -- /bin/true", verbs[i]));
		live_run(t, &a, &how, &end);
		live_expect_line(t, &end, 2, "only root");
	}
	CHECK(t, access(place + 3, F_OK), "a file was made");
}
