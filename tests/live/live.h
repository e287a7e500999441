/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The runner of the live tests, and what the tests share. LIVE_TESTS is the
 * table of those that a runner has.
 *
 * Every test is a process of its own with a folder of its own, so what it
 * allocates ends with it and a failure is a call that does not return. The
 * runner prints the verdict, kills what a test left running and removes its
 * folder.
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

/* One test under way. */
struct live {
	const char *name;
	const char *gnomon;   /* its path */
	const char *fixtures; /* the folder of the native fixtures */
	const char *dir;      /* an empty folder, removed afterwards */
	int verdict;	      /* a pipe for the reason of a failure */
	unsigned int files;   /* made so far, for their names */
	/* What an emulated processor may add to a bound of time; else 0 */
	uint64_t guest_ns;
	unsigned int slow; /* factor for times that people wait for */
	char *tried; /* what was off in attempts that did not do; else NULL */
};

/* A row of the table: what RUN rows give to live_run_row(). */
struct live_row {
	const char *name;
	void (*test)(struct live *t);
	const char *command; /* RUN: fixture and arguments */
	const char *options; /* RUN: of gnomon */
	unsigned int flags;  /* RUN: LIVE_* */
};

/* live_run_row(): leaves may match no frame */
#define LIVE_UNMATCHED 0x1
/* not all functions that the fixture tells of were asked for */
#define LIVE_SOME 0x2
/* unwound calls may differ from the truth */
#define LIVE_UNWOUND 0x4

/* live_main.c */
_Noreturn void live_fail(struct live *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
_Noreturn void live_skip(struct live *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * For measurements that other programs can disturb: `off` says what was off in
 * attempt i of n (from 0). The last one fails the test; else its verdict tells
 * how many attempts it took, and why.
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
/* Waits, in milliseconds; between two looks at something that is to happen. */
void live_pause(long ms);

/* live_proc.c */
struct live_args {
	char *word[96]; /* NULL-terminated */
	size_t n;
};

/* Adds the words up to a NULL. */
void live_add(struct live *t, struct live_args *a, ...)
	__attribute__((sentinel));
/* Adds the words of a text, which are parted by single blanks. */
void live_split(struct live *t, struct live_args *a, const char *words);
/* The same of a fixture's command line: its first word becomes a path. */
void live_command(struct live *t, struct live_args *a, const char *command);

/* How to start a program; zeros are what most tests want. */
struct live_start {
	const char *input;     /* all of stdin; NULL = empty */
	const char *out_path;  /* where stdout goes instead */
	char *const *env;      /* NAME=VALUE to set; NAME to unset */
	void (*prepare)(void); /* called in the child, last */
};

struct live_end {
	int status; /* of waitpid() */
	int code;   /* as a shell gives it: 128 + N for signal N */
	char *out;  /* ends with a NUL that is not counted */
	char *err;
	size_t out_size, err_size;
};

/* Runs a program to its end. */
void live_run(struct live *t, const struct live_args *a,
	      const struct live_start *how, struct live_end *end);
char *live_read(struct live *t, const char *path, size_t *size);
/* A new file that everybody may run. */
void live_copy(struct live *t, const char *from, const char *to);

/* A program to talk to. Its stderr is kept apart. */
struct live_talk {
	pid_t pid;
	int in, out, err;
};

void live_talk(struct live *t, const struct live_args *a,
	       struct live_talk *talk);
/* The next line of `fd` that begins with `prefix`, without its newline. Lines
 * before it are dropped. */
char *live_await(struct live *t, int fd, const char *prefix);
/* As above, NULL at the end of the file. */
char *live_await_or_end(struct live *t, int fd, const char *prefix);
/* Until the process is in this system call, with this second argument; -1: with
 * any. */
void live_await_call(struct live *t, pid_t pid, long call, long second);
void live_tell(struct live *t, const struct live_talk *talk, const char *line);
/* Tells a line and waits for the answer "done". */
void live_ask(struct live *t, const struct live_talk *talk, const char *line);
/* Closes stdin and waits for the end: the code as in struct live_end. */
int live_finish(struct live *t, struct live_talk *talk);
/* Only waits. */
int live_wait(struct live *t, struct live_talk *talk);
/* The first child of a process for which `is` is true (NULL: for any). 0: there
 * is none; -1: the process is gone. */
pid_t live_child(struct live *t, pid_t pid,
		 bool (*is)(struct live *t, pid_t child));
/* Whether the kernel calls a process so. */
bool live_is_called(struct live *t, pid_t pid, const char *name);
/* A process that exchanges two files as fast as it can, and its end. */
pid_t live_exchange(struct live *t, const char *a, const char *b);
void live_exchange_end(pid_t pid);

/* live_truth.c */
struct live_truth {
	char *word, *name;
	uint64_t value; /* the sum of all such lines */
};

struct live_truths {
	struct live_truth line[2048];
	size_t n;
};

/* The lines of a fixture's stdout. */
void live_truths(struct live *t, const char *out, struct live_truths *truths);
/* 0 when there is no such line. */
uint64_t live_truth(const struct live_truths *truths, const char *word,
		    const char *name);
/* The text without the lines that tell of times. */
char *live_counts(struct live *t, const char *out);
/* Fails with the first line that differs. */
void live_same(struct live *t, const char *what, const char *traced,
	       const char *plain);
/* Compares every line that speaks of a function with the report. */
void live_compare(struct live *t, const struct live_truths *truths,
		  const json_t *report, unsigned int flags);
/* What the kernel's fast clock and the program's can differ by. */
#define LIVE_CLOCK_NS 1000
/* The kernel counts what the host took in such ticks. */
#define LIVE_TICK_NS 10000000u

/* live_report.c */
json_t *live_load(struct live *t, const char *path);
/* What holds for every report of a run in which nothing was lost. */
void live_clean(struct live *t, const json_t *report);
/* An integer at a path as in "session.elapsed_ns"; fails if there is none. */
uint64_t live_number(struct live *t, const json_t *object, const char *path);
/* The same of a function, summed over all of that name whose module ends with
 * `module` (NULL = any). `found` (may be NULL): how many there are. */
uint64_t live_function(struct live *t, const json_t *report, const char *module,
		       const char *name, const char *field, size_t *found);
/* OS time within a function: elapsed less application. */
uint64_t live_os_time(struct live *t, const json_t *report, const char *name);
/* Lines of gnomon on stderr that tell of a fault. The first is kept. */
size_t live_complaints(struct live *t, const char *err, char **first);
/* It ended with `code` and said one line of that kind, "gnomon: WHAT; WHAT TO
 * DO", that has `word` in it. */
void live_expect_line(struct live *t, const struct live_end *end, int code,
		      const char *word);

/* live_calls.c */
/* `gnomon run --by calls` of the command: an object of its rows, by the calls'
 * numbers. */
json_t *live_calls(struct live *t, const char *options,
		   const struct live_args *command, struct live_end *end);
/* Those rows of a file of ndjson. */
json_t *live_calls_read(struct live *t, const char *path);
/* The row of the call that it was made in, NULL: none. */
const json_t *live_caller(struct live *t, const json_t *calls,
			  const json_t *row);
/* The name of a row's function. */
const char *live_called(const json_t *row);
/* How many calls of a function have these arguments and this result: "TYPE
 * VALUE, TYPE VALUE = TYPE VALUE". */
size_t live_calls_with(struct live *t, json_t *calls, const char *name,
		       const char *values);
/* The calls are those that the program told of on stdout, and they nest. */
void live_calls_compare(struct live *t, json_t *calls, const char *out);

/* live_told.c */
/* Whether a trap takes several times what it takes on most machines (2.5 us and
 * more, as in a guest of PVM). Then says that what is measured beside traps is
 * not held to its bounds. */
bool live_traps_dear(struct live *t);

/* live_run.c */
/* Whether this machine runs a fixture of 32 bits, or says that it does not: a
 * kernel can lack that though its configuration has it (a guest of PVM). The
 * guests of this suite show such tests in any case. */
bool live_has_32_bits(struct live *t, const char *fixture);
void live_run_row(struct live *t, const struct live_row *row);
/* Runs `gnomon VERB OPTIONS -- COMMAND`; with `report` not NULL as JSON. */
void live_gnomon(struct live *t, const char *verb, const char *options,
		 const char *command, struct live_end *end, json_t **report);
/* `gnomon run` as people run it: probe cost taken out, and a self-check may end
 * it with 4. */
void live_reported(struct live *t, const char *options, const char *command,
		   struct live_end *end, json_t **report);
/* `gnomon run` of the row without comparing: the report and the truth. */
void live_trace(struct live *t, const char *options, const char *command,
		struct live_truths *truths, json_t **report);

/* `gnomon run OPTIONS` on the processes `pids`, when it has attached. Returns
 * where its report, JSON, will be. */
char *live_attach(struct live *t, const char *options, const char *pids,
		  struct live_talk *gnomon);
/* Interrupts it. */
void live_interrupt(struct live *t, const struct live_talk *gnomon);
/* Waits for its end: its report. */
json_t *live_attached(struct live *t, struct live_talk *gnomon,
		      const char *path);
/* The two, of a capture in which nothing was lost. */
json_t *live_detach(struct live *t, struct live_talk *gnomon, const char *path);

/* The tests that are not rows, by name. */
#define RUN(name, command, options, flags)
#define TEST(name, function) void function(struct live *t);
#define ALONE		     TEST
#define OTHER		     TEST
#include LIVE_TESTS
#undef RUN
#undef TEST
#undef ALONE
#undef OTHER

#endif
