/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The traced program. It times itself in the same way whether it is traced or
 * not, and writes one line: the number of timed operations, their nanoseconds
 * on the clock and on the CPU, and the number of calls of the traced function.
 *
 *   work fib N          the Fibonacci number of N
 *   work push|endbr N   N calls of a function with that first instruction
 *   work switch CPU     two processes on one CPU, the I-th allowed one
 *                       (negative: from the last); it writes their PIDs; then,
 *                       for each line of standard input, that many round trips
 *                       through two pipes between them; 0: until more input
 *                       comes
 *   work syscalls N     N system calls
 *   work libc N         N calls of rand_r() of libc
 *   work faults N       N page faults
 *   work steady T N     T threads that make N / 2 calls per second in total
 *                       and mostly sleep, until standard input ends
 *   work idle           waits until standard input ends
 *   work where NAME     the offset of a function in this file
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

unsigned long fib(unsigned long n);
unsigned long entry_push(unsigned long n);
unsigned long entry_endbr(unsigned long n);

struct timing {
	uint64_t elapsed, cpu;
};

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct timing now(void)
{
	return (struct timing){clock_ns(CLOCK_MONOTONIC),
			       clock_ns(CLOCK_PROCESS_CPUTIME_ID)};
}

static struct timing since(struct timing begin)
{
	struct timing end = now();

	return (struct timing){end.elapsed - begin.elapsed,
			       end.cpu - begin.cpu};
}

static int tell(uint64_t ops, struct timing spent, uint64_t calls)
{
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", ops,
	       spent.elapsed, spent.cpu, calls);
	return fflush(stdout) ? 1 : 0;
}

/* The I-th CPU that this process may use; negative: from the last. */
static int pin(int i)
{
	cpu_set_t may, one;
	int count, cpu;

	if (sched_getaffinity(0, sizeof(may), &may))
		return -errno;
	count = CPU_COUNT(&may);
	if (i < 0)
		i += count;
	if (i < 0 || i >= count)
		return -ERANGE;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &may) && i-- == 0)
			break;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one) ? -errno : 0;
}

/* fib(n) is called 2 F(n + 1) - 1 times in all. */
static uint64_t calls_of(unsigned long n)
{
	uint64_t a = 0, b = 1;

	for (unsigned long i = 0; i < n; i++) {
		uint64_t next = a + b;

		a = b;
		b = next;
	}
	return 2 * b - 1;
}

/* The first calls include one-time work, so they are not timed. */
static int work_fib(unsigned long n)
{
	const unsigned long warm = 12;
	volatile unsigned long value = fib(warm);
	struct timing begin = now();

	value = fib(n);
	(void)value;
	return tell(calls_of(n), since(begin), calls_of(warm) + calls_of(n));
}

static int work_calls(unsigned long (*volatile call)(unsigned long),
		      unsigned long n)
{
	const unsigned long warm = 1000;
	struct timing begin;

	for (unsigned long i = 0; i < warm; i++)
		call(i);
	begin = now();
	for (unsigned long i = 0; i < n; i++)
		call(i);
	return tell(n, since(begin), warm + n);
}

static int work_syscalls(unsigned long n)
{
	struct timing begin;

	for (int i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	begin = now();
	for (unsigned long i = 0; i < n; i++)
		syscall(SYS_getppid);
	return tell(n, since(begin), 0);
}

static int work_libc(unsigned long n)
{
	struct timing begin;
	unsigned int seed = 1;

	for (int i = 0; i < 1000; i++)
		rand_r(&seed);
	begin = now();
	for (unsigned long i = 0; i < n; i++)
		rand_r(&seed);
	return tell(n, since(begin), 0);
}

/* Touches fresh pages; unmapping them is not timed. */
static int touch(unsigned long pages, struct timing *sum)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = pages * page;
	struct timing begin, spent;
	volatile char *p;

	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return 1;
	madvise((void *)p, size, MADV_NOHUGEPAGE);
	begin = now();
	for (size_t i = 0; i < size; i += page)
		p[i] = 1;
	spent = since(begin);
	sum->elapsed += spent.elapsed;
	sum->cpu += spent.cpu;
	return munmap((void *)p, size) ? 1 : 0;
}

static int work_faults(unsigned long n)
{
	const unsigned long pages = 4096;
	struct timing sum = {0, 0};
	unsigned long done;

	if (touch(pages, &sum))
		return 1;
	memset(&sum, 0, sizeof(sum));
	for (done = 0; done < n; done += pages)
		if (touch(pages, &sum))
			return 1;
	return tell(done, sum, 0);
}

/* A byte there and back: the thread waits, the other one runs. */
static int round_trip(int out, int in)
{
	char c = 0;

	return write(out, &c, 1) == 1 && read(in, &c, 1) == 1 ? 0 : 1;
}

static void echo(int in, int out)
{
	char c;

	while (read(in, &c, 1) == 1)
		if (write(out, &c, 1) != 1)
			break;
	_exit(0);
}

static int has_input(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&p, 1, 0) > 0;
}

static int ping(int out, int in, unsigned long n)
{
	unsigned long i;

	for (i = 0; n ? i < n : i % 256 || !has_input(); i++)
		if (round_trip(out, in))
			return 1;
	return 0;
}

/* Round trips with a child that echoes; the time is for both. */
static int switches(unsigned long n, int out, int in, clockid_t child)
{
	struct timing spent;
	uint64_t cpu;

	if (ping(out, in, 500))
		return 1;
	spent = now();
	cpu = clock_ns(child);
	if (ping(out, in, n))
		return 1;
	cpu = clock_ns(child) - cpu;
	spent = since(spent);
	spent.cpu += cpu;
	return tell(2 * n, spent, 0); /* two switches per round trip */
}

/* Reads lines a byte at a time, so that input after a line stays available. */
static bool read_number(unsigned long *n)
{
	char line[32];
	size_t len = 0;

	while (len < sizeof(line) - 1 &&
	       read(STDIN_FILENO, &line[len], 1) == 1 && line[len] != '\n')
		len++;
	line[len] = '\0';
	*n = strtoul(line, NULL, 10);
	return len;
}

static int serve_switches(pid_t child, int out, int in)
{
	clockid_t clock;
	unsigned long n;
	int status = 0;

	if (clock_getcpuclockid(child, &clock))
		return 1;
	printf("%d,%d\n", (int)getpid(), (int)child);
	if (fflush(stdout))
		return 1;
	while (!status && read_number(&n))
		status = switches(n, out, in, clock);
	return status;
}

static int work_switch(int cpu)
{
	int there[2], back[2], status;
	pid_t pid;

	if (pin(cpu) || pipe(there) || pipe(back))
		return 1;
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid) {
		close(there[1]);
		close(back[0]);
		echo(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	status = serve_switches(pid, there[1], back[0]);
	close(there[1]);
	waitpid(pid, NULL, 0);
	return status;
}

static int work_idle(void)
{
	char c;

	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	return 0;
}

/* A thread's bursts of calls: when they begin, and their number. */
struct bursts {
	pthread_t thread;
	const atomic_bool *stop;
	uint64_t first, every;
	uint64_t calls;
};

#define BURST_FIB  5  /* 15 calls, five deep */
#define BURST_EACH 5  /* calls of either other function */
#define BURST	   25 /* calls in total */

static void sleep_until(uint64_t time)
{
	struct timespec t = {.tv_sec = (time_t)(time / 1000000000u),
			     .tv_nsec = (long)(time % 1000000000u)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) ==
	       EINTR)
		;
}

static void *make_bursts(void *arg)
{
	struct bursts *b = arg;

	for (uint64_t at = b->first; !*b->stop; at += b->every) {
		sleep_until(at);
		fib(BURST_FIB);
		for (int i = 0; i < BURST_EACH; i++) {
			entry_push((unsigned long)i);
			entry_endbr((unsigned long)i);
		}
		b->calls += BURST;
	}
	return NULL;
}

static int start_bursts(struct bursts *b, size_t n, uint64_t every,
			const atomic_bool *stop)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	pthread_attr_t attr;

	if (pthread_attr_init(&attr) ||
	    pthread_attr_setstacksize(&attr, 128 << 10))
		return 1;
	for (size_t i = 0; i < n; i++) {
		b[i] = (struct bursts){.stop = stop,
				       .first = begin + i * every / n,
				       .every = every};
		if (pthread_create(&b[i].thread, &attr, make_bursts, &b[i]))
			return 1;
	}
	pthread_attr_destroy(&attr);
	return 0;
}

static int work_steady(unsigned long threads, unsigned long events)
{
	struct bursts *b = calloc(threads ? threads : 1, sizeof(*b));
	struct timing begin = now();
	atomic_bool stop = false;
	uint64_t calls = 0;

	/* if a thread cannot be started, the program ends */
	if (!b || !threads || !events ||
	    start_bursts(b, threads, 2 * BURST * threads * 1000000000u / events,
			 &stop))
		return 1;
	work_idle();
	stop = true;
	for (unsigned long i = 0; i < threads; i++) {
		pthread_join(b[i].thread, NULL);
		calls += b[i].calls;
	}
	free(b);
	return tell(calls, since(begin), calls);
}

static int where(const char *name)
{
	uint64_t lo, hi, pgoff, addr;
	char line[512];
	int status = 1;
	FILE *f;

	addr = (uint64_t)(uintptr_t)(!strcmp(name, "fib") ? fib
				     : !strcmp(name, "entry_push")
					     ? entry_push
					     : entry_endbr);
	f = fopen("/proc/self/maps", "re");
	if (!f)
		return 1;
	while (status && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &lo,
			   &hi, &pgoff) == 3 &&
		    addr >= lo && addr < hi) {
			printf("%" PRIu64 "\n", addr - lo + pgoff);
			status = 0;
		}
	}
	fclose(f);
	return status;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (!strcmp(what, "where") && argc > 2)
		return where(argv[2]);
	if (!strcmp(what, "idle"))
		return work_idle();
	if (!strcmp(what, "switch"))
		return work_switch(
			(int)strtol(argc > 2 ? argv[2] : "-1", NULL, 10));
	if (pin(-1))
		return 1;
	if (!strcmp(what, "fib"))
		return work_fib(n);
	if (!strcmp(what, "push"))
		return work_calls(entry_push, n);
	if (!strcmp(what, "endbr"))
		return work_calls(entry_endbr, n);
	if (!strcmp(what, "syscalls"))
		return work_syscalls(n);
	if (!strcmp(what, "libc"))
		return work_libc(n);
	if (!strcmp(what, "faults"))
		return work_faults(n);
	if (!strcmp(what, "steady") && argc > 3)
		return work_steady(n, strtoul(argv[3], NULL, 10));
	fprintf(stderr, "work: started by bench only; see tools/bench\n");
	return 2;
}
