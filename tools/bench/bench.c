/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench [-g GNOMON] [-r ROUNDS] [NAME...]: see README.md. The exit status tells
 * whether everything could be measured, not whether a goal was met.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "calls.h"
#include "comparisons.h"
#include "drain.h"
#include "java.h"
#include "series.h"
#include "switch.h"
#include "top.h"

#define ROUNDS 7

static int pair(const struct bench *b)
{
	int err = compare(b, &bench_pair);

	return err ? err : check_calls(b);
}

static int java(const struct bench *b)
{
	struct bench jvm = *b;
	struct bare_sites sites;
	char dir[PATH_MAX], class[PATH_MAX + 16];

	/* the class is beside this program, too */
	snprintf(dir, sizeof(dir), "%s", b->work);
	*strrchr(dir, '/') = '\0';
	snprintf(class, sizeof(class), "%s/Fib.class", dir);
	if (java_sites(&sites) || access(class, R_OK)) {
		puts("java: there is no JVM with USDT probes, or no compiler");
		return 0;
	}
	if (setenv("CLASSPATH", dir, 1))
		return -1;
	jvm.work = "java";
	return compare(&jvm, &bench_java);
}

static int entry(const struct bench *b)
{
	return compare(b, &bench_entry);
}

static int syscalls(const struct bench *b)
{
	return compare(b, &bench_syscalls);
}

static int libc(const struct bench *b)
{
	return compare(b, &bench_libc);
}

static int faults(const struct bench *b)
{
	return compare(b, &bench_faults);
}

static const struct {
	const char *name;
	int (*run)(const struct bench *b);
} benches[] = {
	{"pair", pair},		  {"java", java},	  {"entry", entry},
	{"switch", bench_switch}, {"syscalls", syscalls}, {"libc", libc},
	{"faults", faults},	  {"drain", drain},	  {"top", top},
};

#define BENCHES (sizeof(benches) / sizeof(benches[0]))

static int usage(FILE *f)
{
	fputs("usage: bench [-g GNOMON] [-r ROUNDS] [NAME...]\nNAME:", f);
	for (size_t i = 0; i < BENCHES; i++)
		fprintf(f, " %s", benches[i].name);
	fputs(" (default: all)\n", f);
	return 2;
}

/* The program `work` is beside this one. */
static bool find_work(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);
	char *slash;

	if (n <= 0)
		return false;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash || (size_t)(slash + 1 - path) + sizeof("work") > size)
		return false;
	strcpy(slash + 1, "work");
	return true;
}

static bool known(const char *name)
{
	for (size_t i = 0; i < BENCHES; i++)
		if (!strcmp(benches[i].name, name))
			return true;
	fprintf(stderr, "bench: there is no '%s'\n", name);
	return false;
}

static bool chosen(const char *name, char **names, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return !n;
}

static bool parse(int argc, char **argv, struct bench *b)
{
	unsigned long rounds;
	int c;

	while ((c = getopt(argc, argv, "g:r:")) != -1) {
		if (c == 'g') {
			b->gnomon = optarg;
		} else if (c == 'r') {
			rounds = strtoul(optarg, NULL, 10);
			if (!rounds || rounds > SERIES_MAX) {
				fprintf(stderr, "bench: -r takes 1 to %d\n",
					SERIES_MAX);
				return false;
			}
			b->rounds = (unsigned int)rounds;
		} else {
			return false;
		}
	}
	for (int i = optind; i < argc; i++)
		if (!known(argv[i]))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	struct bench b = {.gnomon = "gnomon", .rounds = ROUNDS};
	char work[PATH_MAX];
	struct utsname u;
	int failed = 0;

	if (!parse(argc, argv, &b))
		return usage(stderr);
	if (!find_work(work, sizeof(work))) {
		fputs("bench: the program 'work' is missing; build again\n",
		      stderr);
		return 1;
	}
	b.work = work;
	if (!uname(&u))
		printf("kernel %s, %ld CPUs\n", u.release,
		       sysconf(_SC_NPROCESSORS_ONLN));
	for (size_t i = 0; i < BENCHES; i++) {
		if (!chosen(benches[i].name, argv + optind, argc - optind))
			continue;
		putchar('\n');
		if (benches[i].run(&b))
			failed = 1;
		fflush(stdout);
	}
	return failed;
}
