/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The runner of the live tests, and the helpers that the tests share.
 * LIVE_TESTS is the table of a runner's tests.
 *
 * Every test has its own process and its own folder. So its memory is freed
 * when it ends, and a failure is a call that does not return. The runner prints
 * the verdict, kills the processes that a test left, and removes its folder.
 */
#ifndef LIVE_H
#define LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <jansson.h>

#ifndef LIVE_TESTS
#define LIVE_TESTS "live_tests.def"
#endif

/* A running test. */
struct live {
	const char *name;
	const char *gnomon;   /* path of the program */
	const char *fixtures; /* the folder of the native fixtures */
	const char *dir;      /* an empty folder, removed afterwards */
	int verdict;	      /* a pipe for the reason of a failure */
	unsigned int files;   /* made so far; part of their names */
	/* what an emulated processor may add to a time limit; usually 0 */
	uint64_t guest_ns;
	unsigned int slow; /* factor for times that people wait for */
	char *tried;	   /* what was wrong in failed attempts; may be NULL */
};

/* A row of the table. The fields of RUN rows are for live_run_row(). */
struct live_row {
	const char *name;
	void (*test)(struct live *t);
	const char *command; /* RUN: fixture and arguments */
	const char *options; /* RUN: for gnomon */
	unsigned int flags;  /* RUN: LIVE_* */
};

/* for live_run_row(): leaves may match no frame */
#define LIVE_UNMATCHED 0x1
/* not all functions in the fixture's output were traced */
#define LIVE_SOME 0x2
/* unwound calls may differ from the truth */
#define LIVE_UNWOUND 0x4

/* live_main.c */
_Noreturn void live_fail(struct live *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
_Noreturn void live_skip(struct live *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * For measurements that other programs can disturb: `off` says what was wrong
 * in attempt i of n (from 0). The last attempt fails the test; otherwise the
 * verdict tells how many attempts it took, and why.
 */
void live_again(struct live *t, int i, int n, const char *off);

#define CHECK(t, condition, ...)                   \
	do {                                       \
		if (!(condition))                  \
			live_fail(t, __VA_ARGS__); \
	} while (0)

/* A text in memory that is never freed. */
char *live_text(struct live *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A name for a new file in the test's folder. */
char *live_path(struct live *t, const char *name);
char *live_fixture(struct live *t, const char *name);
/* CLOCK_MONOTONIC, in ns. */
uint64_t live_now(void);
/* Sleeps, in milliseconds, between two checks of a condition. */
void live_pause(long ms);

/* live_proc.c */
struct live_args {
	char *word[96]; /* NULL-terminated */
	size_t n;
};

/* Adds the words up to a NULL. */
void live_add(struct live *t, struct live_args *a, ...)
	__attribute__((sentinel));
/* Adds the words of a text, which are separated by single blanks. */
void live_split(struct live *t, struct live_args *a, const char *words);
/* The same for a fixture's command line: its first word becomes a path. */
void live_command(struct live *t, struct live_args *a, const char *command);

/* How to start a program; most tests need only zeros. */
struct live_start {
	const char *input;     /* all of stdin; NULL = empty */
	const char *out_path;  /* where stdout goes instead */
	char *const *env;      /* NAME=VALUE to set; NAME to unset */
	void (*prepare)(void); /* called in the child, last */
};

struct live_end {
	int status; /* of waitpid() */
	int code;   /* as in a shell: 128 + N for signal N */
	char *out;  /* ends with a NUL, which is not counted */
	char *err;
	size_t out_size, err_size;
};

/* Runs a program to its end. */
void live_run(struct live *t, const struct live_args *a,
	      const struct live_start *how, struct live_end *end);
char *live_read(struct live *t, const char *path, size_t *size);
/* A new file that everybody may run. */
void live_copy(struct live *t, const char *from, const char *to);

/* A program that takes commands. Its stderr is separate. */
struct live_talk {
	pid_t pid;
	int in, out, err;
};

void live_talk(struct live *t, const struct live_args *a,
	       struct live_talk *talk);
/* Another gnomon, with these options and with probes in the libraries of
 * runtimes, until live_finish(). Those of Java it has if -f names methods. */
void live_beside(struct live *t, const char *options, struct live_talk *other);
/* The next line of `fd` that begins with `prefix`, without its newline. Lines
 * before it are dropped. */
char *live_await(struct live *t, int fd, const char *prefix);
/* The same, but NULL at the end of the file. */
char *live_await_or_end(struct live *t, int fd, const char *prefix);
/* Waits until the process is in this system call, with this second argument;
 * -1: with any. */
void live_await_call(struct live *t, pid_t pid, long call, long second);
void live_tell(struct live *t, const struct live_talk *talk, const char *line);
/* Sends a line and waits for the answer "done". */
void live_ask(struct live *t, const struct live_talk *talk, const char *line);
/* Closes stdin and waits for the end: the code as in struct live_end. */
int live_finish(struct live *t, struct live_talk *talk);
/* Waits for the end, with stdin open. */
int live_wait(struct live *t, struct live_talk *talk);
/* The first child of a process for which `is` is true (NULL: any child). 0:
 * there is none; -1: the process is gone. */
pid_t live_child(struct live *t, pid_t pid,
		 bool (*is)(struct live *t, pid_t child));
/* Whether the kernel has this name for a process. */
bool live_is_called(struct live *t, pid_t pid, const char *name);
/* Starts a process that exchanges two files as fast as it can, and ends it. */
pid_t live_exchange(struct live *t, const char *a, const char *b);
void live_exchange_end(pid_t pid);

/* live_truth.c */
struct live_truth {
	char *word, *name;
	uint64_t value; /* the sum over all lines with this word and name */
};

struct live_truths {
	struct live_truth line[2048];
	size_t n;
};

/* Parses the lines of a fixture's stdout. */
void live_truths(struct live *t, const char *out, struct live_truths *truths);
/* 0 if there is no line with this word and name. */
uint64_t live_truth(const struct live_truths *truths, const char *word,
		    const char *name);
/* The text without the lines with times. */
char *live_counts(struct live *t, const char *out);
/* Fails with the first line that differs. */
void live_same(struct live *t, const char *what, const char *traced,
	       const char *plain);
/* Compares every line about a function with the report. */
void live_compare(struct live *t, const struct live_truths *truths,
		  const json_t *report, unsigned int flags);
/* How far the kernel's fast clock and the program's clock may differ. */
#define LIVE_CLOCK_NS 1000
/* The unit in which the kernel counts the time that the host took. */
#define LIVE_TICK_NS 10000000u

/* live_report.c */
json_t *live_load(struct live *t, const char *path);
/* Checks what must hold for every report of a run without losses. */
void live_clean(struct live *t, const json_t *report);
/* An integer at a path as in "session.elapsed_ns"; fails if there is none. */
uint64_t live_number(struct live *t, const json_t *object, const char *path);
/* The same for a function, summed over all functions of that name whose
 * module ends with `module` (NULL = any). `found` (may be NULL): how many
 * there are. */
uint64_t live_function(struct live *t, const json_t *report, const char *module,
		       const char *name, const char *field, size_t *found);
/* The sum of a number over the rows of `waits` where `field` is `value`. */
uint64_t live_waits(struct live *t, const json_t *report, const char *field,
		    const char *value, const char *number);
/* OS time within a function: elapsed time minus application time. */
uint64_t live_os_time(struct live *t, const json_t *report, const char *name);
/* The hits of a class of probes. */
uint64_t live_hits(struct live *t, const json_t *report, const char *class);
/* Checks what the function, in several threads, waited for: its interpreter's
 * lock, and a CPU. The program printed its time, its CPU time and how long it
 * waited for a CPU. */
void live_interpreter_lock(struct live *t, const char *out,
			   const json_t *report, const char *name);
/* Counts gnomon's lines on stderr that report a fault; keeps the first. */
size_t live_complaints(struct live *t, const char *err, char **first);
/* Checks that the program ended with `code` and printed one line of the form
 * "gnomon: WHAT; WHAT TO DO" that contains `word`. */
void live_expect_line(struct live *t, const struct live_end *end, int code,
		      const char *word);

/* live_pair.c */
/* Runs the command under gnomon, with these options of gnomon. */
void live_traced(struct live *t, const struct live_args *command,
		 const char *options, struct live_end *end, json_t **report);
/* With each of these options (the last is NULL) the demo has the 101 calls of
 * its function `traced`, and none of `left`. */
void live_filters(struct live *t, const struct live_args *demo,
		  const char *const *options, const char *traced,
		  const char *left);
/* The report says in which line of the fixture's source the function begins:
 * that of `text`. */
void live_begins(struct live *t, const struct live_args *command,
		 const char *source, const char *text, const char *function);
/* Runs the command with and without gnomon. It prints and does the same, but
 * for lines with times, and gnomon loses nothing. */
void live_pair(struct live *t, const struct live_args *command,
	       const char *options, struct live_end *traced, json_t **report);
/* The same, and the report agrees with what the program prints about itself. */
void live_pair_compare(struct live *t, const struct live_args *command,
		       const char *options, unsigned int flags);
/* Starts the command under gnomon, kills gnomon when the command has printed a
 * line that begins with `first`, and tells the command to go on. Returns that
 * line. */
char *live_orphan(struct live *t, const struct live_args *command,
		  const char *options, const char *first,
		  struct live_talk *talk);
/* Writes the script to the file `path` and runs it in each of these ways, as
 * live_pair() does. The function is called seven times. */
#define LIVE_WAY 4 /* words */
void live_ways(struct live *t, char *const ways[][LIVE_WAY], size_t n,
	       const char *path, const char *script, const char *function);

/* live_forked.c */
/* Runs the command under gnomon: `threads` threads of forked children have fast
 * hooks, and probes see little more than that. */
void live_forked(struct live *t, const struct live_args *command,
		 uint64_t threads);

/* live_calls.c */
/* Runs `gnomon run --by calls` on the command. Returns an object with its rows;
 * the keys are the calls' numbers. */
json_t *live_calls(struct live *t, const char *options,
		   const struct live_args *command, struct live_end *end);
/* Reads such rows from an ndjson file. */
json_t *live_calls_read(struct live *t, const char *path);
/* The row of the calling call; NULL: there is none. */
const json_t *live_caller(struct live *t, const json_t *calls,
			  const json_t *row);
/* The name of a row's function. */
const char *live_called(const json_t *row);
/* How many calls of a function have these arguments and this result: "TYPE
 * VALUE, TYPE VALUE = TYPE VALUE". */
size_t live_calls_with(struct live *t, json_t *calls, const char *name,
		       const char *values);
/* Checks that the calls are those that the program prints on stdout, and that
 * they nest. */
void live_calls_compare(struct live *t, json_t *calls, const char *out);

/* live_told.c */
/* Whether a trap takes several times as long as on most machines (2.5 us and
 * more, as in a PVM guest). If so, prints that measurements beside traps are
 * not held to their bounds. */
bool live_traps_dear(struct live *t);

/* live_run.c */
/* Whether this machine runs a 32-bit fixture; if not, prints that. The kernel
 * may be unable to, even if its configuration says otherwise (a PVM guest). In
 * the guests of this suite such tests always run. */
bool live_has_32_bits(struct live *t, const char *fixture);
void live_run_row(struct live *t, const struct live_row *row);
/* Runs `gnomon VERB OPTIONS -- COMMAND`; if `report` is not NULL, with JSON
 * output. */
void live_gnomon(struct live *t, const char *verb, const char *options,
		 const char *command, struct live_end *end, json_t **report);
/* `gnomon run` as users run it: the cost of probes is subtracted, and a failed
 * self-check may end it with 4. */
void live_reported(struct live *t, const char *options, const char *command,
		   struct live_end *end, json_t **report);
/* `gnomon run` for the row without the comparison: the report and the truth. */
void live_trace(struct live *t, const char *options, const char *command,
		struct live_truths *truths, json_t **report);

/* Starts `gnomon run OPTIONS` on the processes `pids` and waits until it has
 * attached. Returns the path of its JSON report. */
char *live_attach(struct live *t, const char *options, const char *pids,
		  struct live_talk *gnomon);
/* Sends SIGINT to gnomon. */
void live_interrupt(struct live *t, const struct live_talk *gnomon);
/* Waits for gnomon's end and returns its report. */
json_t *live_attached(struct live *t, struct live_talk *gnomon,
		      const char *path);
/* The two above, for a capture without losses. */
json_t *live_detach(struct live *t, struct live_talk *gnomon, const char *path);

/* Declares the tests that are not rows. */
#define RUN(name, command, options, flags)
#define TEST(name, function) void function(struct live *t);
#define ALONE		     TEST
#define PLAIN		     TEST
#define OTHER		     TEST
#include LIVE_TESTS
#undef RUN
#undef TEST
#undef ALONE
#undef PLAIN
#undef OTHER

#endif
