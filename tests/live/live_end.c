/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a capture if gnomon gets hardly any time on its CPU. */
#include "live.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N PRIu64

/* Takes a CPU away from the test and the fixtures, for gnomon and the hog. */
static int part_cpu(struct live *t)
{
	cpu_set_t ours;
	int cpu;

	CHECK(t, !sched_getaffinity(0, sizeof(ours), &ours), "affinity: %s",
	      strerror(errno));
	if (CPU_COUNT(&ours) < 2)
		live_skip(t, "it takes two CPUs");
	for (cpu = CPU_SETSIZE - 1; !CPU_ISSET(cpu, &ours); cpu--)
		;
	CPU_CLR(cpu, &ours);
	CHECK(t, !sched_setaffinity(0, sizeof(ours), &ours), "affinity: %s",
	      strerror(errno));
	return cpu;
}

/* Starts a process that takes the whole CPU, for at most `seconds` of CPU time.
 * With a real-time priority it leaves to others only what the kernel reserves;
 * with priority 0, a hundredth. */
static pid_t hog(struct live *t, int cpu, rlim_t seconds, int priority)
{
	const struct rlimit limit = {seconds, seconds};
	const struct sched_param param = {.sched_priority = priority};
	cpu_set_t set;
	int ready[2];
	pid_t pid;
	char c = 0;

	CHECK(t, !pipe(ready), "pipe: %s", strerror(errno));
	pid = fork();
	CHECK(t, pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set) ||
		    setrlimit(RLIMIT_CPU, &limit) ||
		    (priority ? sched_setscheduler(0, SCHED_FIFO, &param)
			      : setpriority(PRIO_PROCESS, 0, -20)) ||
		    write(ready[1], "y", 1) != 1)
			_exit(1);
		for (;;)
			;
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		live_skip(t, "a process may not run before others here");
	close(ready[0]);
	return pid;
}

static void end_hog(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Starts `gnomon run OPTIONS -p SERVE` through WORDS..., which put it on that
 * CPU. */
static char *start(struct live *t, const char *words, const char *options,
		   struct live_talk *serve, struct live_talk *gnomon)
{
	char *path = live_path(t, "report.json"), *pid;
	struct live_args a = {.n = 0}, fixture = {.n = 0};

	live_command(t, &fixture, "serve");
	live_talk(t, &fixture, serve);
	pid = live_await(t, serve->out, "ready ") + strlen("ready ");
	live_split(t, &a, words);
	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, "-p",
		 pid, NULL);
	live_split(t, &a, options);
	live_talk(t, &a, gnomon);
	live_await(t, gnomon->err, "gnomon: attached");
	return path;
}

/* Fills three quarters of the ring while gnomon is stopped. */
static void fill(struct live *t, const struct live_talk *serve, pid_t gnomon)
{
	int status;

	kill(gnomon, SIGSTOP);
	CHECK(t,
	      waitpid(gnomon, &status, WUNTRACED) == gnomon &&
		      WIFSTOPPED(status),
	      "gnomon does not stop");
	live_ask(t, serve, "work 600000");
}

/* A moment, and the CPU time until then: `own` of gnomon and the hog, `all` of
 * everything on the CPU that they share. */
struct moment {
	uint64_t ns, own, all;
};

static uint64_t ns_of(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * 1000000000u +
	       (uint64_t)tv->tv_usec * 1000;
}

/* CPU time of a running process; getrusage() has that of ended ones. */
static uint64_t ran(pid_t pid)
{
	struct timespec ts = {0};
	clockid_t clock;

	if (!clock_getcpuclockid(pid, &clock))
		clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* CPU time of everything that ran on the CPU. */
static uint64_t all_ran(struct live *t, int cpu)
{
	FILE *f = fopen("/proc/stat", "re");
	uint64_t user, nice, system;
	char line[4096];
	int of = -1;

	while (of != cpu && f && fgets(line, sizeof(line), f))
		if (sscanf(line, "cpu%d %" SCNu64 " %" SCNu64 " %" SCNu64, &of,
			   &user, &nice, &system) != 4)
			of = -1;
	CHECK(t, of == cpu, "/proc/stat has no CPU %d", cpu);
	fclose(f);
	return (user + nice + system) *
	       (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

static struct moment now(struct live *t, int cpu, pid_t hog, pid_t gnomon)
{
	struct rusage ended;

	getrusage(RUSAGE_CHILDREN, &ended);
	return (struct moment){
		.ns = live_now(),
		.own = ns_of(&ended.ru_utime) + ns_of(&ended.ru_stime) +
		       ran(hog) + (gnomon ? ran(gnomon) : 0),
		.all = all_ran(t, cpu),
	};
}

/*
 * A wait for a kernel worker that is bound to the CPU takes a second there:
 * once a second the kernel lets others run, for a twentieth of the time. Other
 * programs that run then take that time from the workers. An end has at most
 * two such waits; with links closed one by one it would have ten.
 */
static void ended_in_time(struct live *t, const struct moment *begin,
			  const struct moment *end, uint64_t traced)
{
	uint64_t took = end->ns - begin->ns - traced;
	uint64_t all = end->all - begin->all, own = end->own - begin->own;
	uint64_t others = all > own ? all - own : 0;

	CHECK(t, took < 5000000000u + 20 * others,
	      "it took %" N " ms to end, and others ran for %" N " ms",
	      took / 1000000, others / 1000000);
}

/* If a real-time program keeps gnomon from its CPU, -d still ends in time. */
static void over_beside_real_time(struct live *t, int cpu)
{
	const char *words = live_text(t, "/usr/bin/taskset -c %d", cpu);
	struct live_talk serve, gnomon;
	struct moment begin, end;
	uint64_t traced;
	char *path;
	int code;
	pid_t pid;

	path = start(t, words, "-f work -d 1s", &serve, &gnomon);
	pid = hog(t, cpu, 16, 50);
	begin = now(t, cpu, pid, gnomon.pid);
	code = live_wait(t, &gnomon);
	end = now(t, cpu, pid, 0);
	end_hog(pid);
	live_finish(t, &serve);
	CHECK(t, code == 0, "gnomon ended with %d", code);
	/* beside such a program the capture may begin late: not measured */
	traced = live_number(t, live_load(t, path), "session.wall_ns");
	CHECK(t, traced < 3000000000u, "-d 1s was over after %" N " ms",
	      traced / 1000000);
	ended_in_time(t, &begin, &end, traced);
}

/* gnomon has a second for the rest of the ring, and a twentieth of the CPU. It
 * reads everything only if it runs before the other program. */
static void end_beside_real_time(struct live *t, int cpu)
{
	const char *words = live_text(t, "/usr/bin/taskset -c %d", cpu);
	struct live_talk serve, gnomon;
	struct moment begin, end;
	uint64_t calls;
	char *path;
	int code;
	pid_t pid;

	path = start(t, words, "-f work", &serve, &gnomon);
	fill(t, &serve, gnomon.pid);
	pid = hog(t, cpu, 16, 50);
	begin = now(t, cpu, pid, gnomon.pid);
	kill(gnomon.pid, SIGTERM);
	kill(gnomon.pid, SIGCONT);
	code = live_wait(t, &gnomon);
	end = now(t, cpu, pid, 0);
	end_hog(pid);
	live_finish(t, &serve);
	CHECK(t, code == 0, "gnomon ended with %d", code);
	calls = live_function(t, live_load(t, path), NULL, "work", "calls",
			      NULL);
	CHECK(t, calls == 600000, "%" N " calls are told", calls);
	ended_in_time(t, &begin, &end, 0);
}

void test_end_real_time(struct live *t)
{
	int cpu = part_cpu(t);

	over_beside_real_time(t, cpu);
	end_beside_real_time(t, cpu);
}

/*
 * gnomon has a second for the rest of the ring, and a hundredth of a CPU. It
 * counts what it does not read. A user who starts it as a batch program does
 * not want it to run before others.
 */
void test_end_late(struct live *t)
{
	int cpu = part_cpu(t), code;
	const char *words =
		live_text(t, "/usr/bin/taskset -c %d chrt -b 0", cpu);
	struct live_talk serve, gnomon;
	uint64_t calls, late;
	json_t *report;
	char *path;
	pid_t pid;

	path = start(t, words, "-f work", &serve, &gnomon);
	fill(t, &serve, gnomon.pid);
	pid = hog(t, cpu, 4, 0);
	kill(gnomon.pid, SIGINT);
	kill(gnomon.pid, SIGCONT);
	code = live_wait(t, &gnomon);
	end_hog(pid);
	live_finish(t, &serve);
	CHECK(t, code == 3, "gnomon ended with %d", code);
	report = live_load(t, path);
	calls = live_function(t, report, NULL, "work", "calls", NULL);
	late = live_number(t, report, "lost.causes.late");
	CHECK(t, late && calls < 600000,
	      "%" N " records were late, %" N " calls are told", late, calls);
	/* an enter and a leave each; what is not reported is counted */
	CHECK(t, 2 * calls + late >= 1200000,
	      "%" N " calls and %" N " late records are not all", calls, late);
}
