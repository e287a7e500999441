/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/clocks.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gnomon/control.h>

/* Clocks of two CPUs that differ by more than this are not one clock. */
#define CLOCKS_APART_NS 20000
#define CLOCK_ROUNDS	16
#define NAPS		4
#define NAP_NS		20000

#define SOURCE \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

bool gn_clock_source(char *name, size_t size)
{
	int fd = open(SOURCE, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, name, size - 1);
	close(fd);
	if (n <= 0)
		return false;
	name[n] = '\0';
	name[strcspn(name, "\n")] = '\0';
	return true;
}

bool gn_clock_source_steady(const char *name)
{
	static const char *const steady[] = {
		"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "xen"};

	for (size_t i = 0; i < sizeof(steady) / sizeof(*steady); i++)
		if (!strcmp(name, steady[i]))
			return true;
	return false;
}

void gn_clock_gap_add(struct gn_clock_gap *gap, int64_t ns)
{
	if (!gap->known || ns < gap->ns)
		gap->ns = ns;
	gap->known = true;
}

bool gn_clock_gaps_same(const struct gn_clock_gap *gaps, size_t n, int64_t *out)
{
	struct gn_clock_gap lo = {0};
	int64_t hi = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		if (!gaps[i].known)
			continue;
		gn_clock_gap_add(&lo, gaps[i].ns);
		hi = gaps[i].ns > hi ? gaps[i].ns : hi;
	}
	if (!lo.known || hi - lo.ns >= CLOCKS_APART_NS)
		return false;
	*out = lo.ns;
	return true;
}

/* Sleeps a few times on this CPU and adds the kernel side's samples. 0 means
 * that it has none. */
static void look_here(struct gn_control *control, struct gn_clock_gap *gap)
{
	control->skew[1] = 0;
	for (int i = 0; i < NAPS; i++) {
		struct timespec nap = {.tv_nsec = NAP_NS};
		int64_t seen;

		nanosleep(&nap, NULL);
		seen = __atomic_load_n(&control->skew[1], __ATOMIC_RELAXED);
		if (seen)
			gn_clock_gap_add(gap, seen);
	}
}

bool gn_clocks_each_cpu(void (*look)(void *ctx, int cpu), void *ctx)
{
	cpu_set_t all;

	if (sched_getaffinity(0, sizeof(all), &all))
		return false;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		cpu_set_t one;

		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (!sched_setaffinity(0, sizeof(one), &one))
			look(ctx, cpu); /* else it went offline */
	}
	sched_setaffinity(0, sizeof(all), &all);
	return true;
}

struct gaps {
	struct gn_control *control;
	struct gn_clock_gap of[CPU_SETSIZE];
};

static void look_at(void *ctx, int cpu)
{
	struct gaps *gaps = ctx;

	look_here(gaps->control, &gaps->of[cpu]);
}

/* If the host takes a CPU away between the two readings, its clock looks
 * different. So gnomon looks at all CPUs again while they seem to differ. */
bool gn_clocks_compare(struct gn_control *control)
{
	struct gaps gaps = {.control = control};
	char source[64];
	int64_t gap = 0;
	bool same = false;

	if (gn_clock_source(source, sizeof(source)) &&
	    !gn_clock_source_steady(source))
		return false;
	for (int i = 0; i < CLOCK_ROUNDS && !same; i++) {
		if (!gn_clocks_each_cpu(look_at, &gaps))
			return false;
		same = gn_clock_gaps_same(gaps.of, CPU_SETSIZE, &gap);
	}
	control->skew[0] = control->skew[1] = gap;
	return same;
}
