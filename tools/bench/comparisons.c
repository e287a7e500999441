/* SPDX-License-Identifier: BSD-2-Clause */
#include "comparisons.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ARGS(...)    ((args_t)(const char *const[]){__VA_ARGS__, 0})

/* Records go nowhere, because the traced side is measured. The ring is as large
 * as that of the bare program. */
#define RECORD(...)                                                   \
	ARGS("record", "-q", "-o", "/dev/null", "--ring-size", "64M", \
	     __VA_ARGS__)
#define RUN(...) \
	ARGS("run", "-q", "-o", "/dev/null", "--ring-size", "64M", __VA_ARGS__)
/* The same for the second process: it must report when it is attached. */
#define RECORD_BESIDE(...) ARGS("record", "-o", "/dev/null", __VA_ARGS__)

/* As in the bare program. By default gnomon chooses the function's own return,
 * which is single-stepped, because the program maps memory, which might be
 * code. */
#define RETURN "--leave", "return"

/* calls: 150,049 */
static const struct variant pair_variants[] = {
	{.name = "untraced, a call"},
	{.name = "bare two-record session program, a pair", .bare = "fib"},
	{.name = "gnomon record -f fib, a pair",
	 .gnomon = RECORD("-f", "fib", RETURN)},
	{.name = "gnomon run -f fib, a pair",
	 .gnomon = RUN("-f", "fib", RETURN)},
};

static const struct ratio pair_ratios[] = {
	{.name = "gnomon record / bare", .of = 2, .to = 1, .goal = 1.15},
	{.name = "gnomon run / bare", .of = 3, .to = 1, .goal = 1.15},
};

const struct comparison bench_pair = {
	.title = "pair: what an enter and a leave of fib(24) cost",
	.unit = "ns, less those of the untraced call",
	.work = ARGS("fib", "24"),
	.variants = pair_variants,
	.nvariants = COUNT(pair_variants),
	.ratios = pair_ratios,
	.nratios = COUNT(pair_ratios),
	.base = 0,
};

/* Class and method come with each hit, and are looked up each time. */
static const struct variant java_variants[] = {
	{.name = "untraced, a call"},
	{.name = "bare program on the two sites, a pair", .bare = "java"},
	{.name = "gnomon record, a pair", .gnomon = RECORD("--os", "none")},
	{.name = "gnomon run, a pair", .gnomon = RUN("--os", "none")},
};

const struct comparison bench_java = {
	.title = "java: what an enter and a leave of fib(24) cost on HotSpot",
	.unit = "ns, less those of the untraced call",
	/* gnomon gives this flag to a JVM that it starts. It makes each call
	 * slower, so the untraced variant has it, too */
	.work = ARGS("-XX:+DTraceMethodProbes", "-XX:+UseSerialGC",
		     "-XX:TieredStopAtLevel=1", "Fib", "24"),
	.variants = java_variants,
	.nvariants = COUNT(java_variants),
	.ratios = pair_ratios,
	.nratios = COUNT(pair_ratios),
	.base = 0,
};

#define PUSH  ARGS("push", "60000")
#define ENDBR ARGS("endbr", "60000")

static const struct variant entry_variants[] = {
	{.name = "untraced, push first", .work = PUSH},
	{.name = "gnomon, push first",
	 .work = PUSH,
	 .gnomon = RECORD("-f", "entry_push")},
	{.name = "gnomon, endbr64 first",
	 .work = ENDBR,
	 .gnomon = RECORD("-f", "entry_endbr")},
	{.name = "bare program on the push",
	 .work = PUSH,
	 .bare = "entry_push"},
	{.name = "bare program on the endbr64",
	 .work = ENDBR,
	 .bare = "entry_endbr"},
};

static const struct ratio entry_ratios[] = {
	{.name = "gnomon: endbr64 / push", .of = 2, .to = 1, .goal = 1.05},
	{.name = "bare program on the first byte: endbr64 / push",
	 .of = 4,
	 .to = 3},
};

const struct comparison bench_entry = {
	.title = "entry: functions that differ in their first instruction",
	.unit = "ns a call, less those of the untraced call",
	.work = PUSH,
	.variants = entry_variants,
	.nvariants = COUNT(entry_variants),
	.ratios = entry_ratios,
	.nratios = COUNT(entry_ratios),
	.base = 0,
};

#define IDLE ARGS("idle")

static const struct variant syscalls_variants[] = {
	{.name = "untraced, alone"},
	{.name = "untraced, another is traced",
	 .beside = IDLE,
	 .beside_gnomon = RECORD_BESIDE("--os", "faults")},
	{.name = "untraced, another is traced with --os syscalls",
	 .beside = IDLE,
	 .beside_gnomon = RECORD_BESIDE("--os", "faults,syscalls")},
	{.name = "traced", .gnomon = RECORD("--os", "faults")},
	{.name = "traced with --os syscalls",
	 .gnomon = RECORD("--os", "faults,syscalls")},
};

static const struct ratio syscalls_ratios[] = {
	{.name = "untraced beside --os syscalls / alone", .of = 2, .to = 0},
	{.name = "traced / untraced", .of = 3, .to = 0},
	{.name = "traced with --os syscalls / untraced", .of = 4, .to = 0},
};

const struct comparison bench_syscalls = {
	.title = "syscalls: getppid",
	.unit = "ns a system call",
	.work = ARGS("syscalls", "300000"),
	.variants = syscalls_variants,
	.nvariants = COUNT(syscalls_variants),
	.ratios = syscalls_ratios,
	.nratios = COUNT(syscalls_ratios),
	.base = NO_BASE,
};

static const struct variant libc_variants[] = {
	{.name = "untraced, alone"},
	{.name = "untraced, another is traced with -f libc.so.6:rand_r",
	 .beside = IDLE,
	 .beside_gnomon = RECORD_BESIDE("-f", "libc.so.6:rand_r")},
	{.name = "traced with it", .gnomon = RECORD("-f", "libc.so.6:rand_r")},
};

static const struct ratio libc_ratios[] = {
	{.name = "untraced beside / alone", .of = 1, .to = 0, .goal = 1.05},
	{.name = "traced / untraced", .of = 2, .to = 0},
};

const struct comparison bench_libc = {
	.title = "libc: a function of a library that all map",
	.unit = "ns a call",
	.work = ARGS("libc", "300000"),
	.variants = libc_variants,
	.nvariants = COUNT(libc_variants),
	.ratios = libc_ratios,
	.nratios = COUNT(libc_ratios),
	.base = NO_BASE,
};

static const struct variant faults_variants[] = {
	{.name = "untraced, alone"},
	{.name = "untraced, another is traced with --os none",
	 .beside = IDLE,
	 .beside_gnomon = RECORD_BESIDE("--os", "none")},
	{.name = "untraced, another is traced with --os faults",
	 .beside = IDLE,
	 .beside_gnomon = RECORD_BESIDE("--os", "faults")},
	{.name = "traced with --os none", .gnomon = RECORD("--os", "none")},
	{.name = "traced with --os faults", .gnomon = RECORD("--os", "faults")},
};

static const struct ratio faults_ratios[] = {
	{.name = "untraced beside --os faults / alone", .of = 2, .to = 0},
	{.name = "traced with --os none / untraced", .of = 3, .to = 0},
	{.name = "traced with --os faults / untraced", .of = 4, .to = 0},
};

const struct comparison bench_faults = {
	.title = "faults: the first touch of pages of new memory",
	.unit = "ns a page fault",
	.work = ARGS("faults", "65536"),
	.variants = faults_variants,
	.nvariants = COUNT(faults_variants),
	.ratios = faults_ratios,
	.nratios = COUNT(faults_ratios),
	.base = NO_BASE,
};
