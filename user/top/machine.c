// SPDX-License-Identifier: BSD-2-Clause
#include "top/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int read_stat(struct gn_top_machine *out)
{
	/* user nice system idle iowait irq softirq steal, in ticks */
	uint64_t v[8] = {0},
		 tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	char line[512];
	uint32_t cpu;
	FILE *f = fopen("/proc/stat", "re");

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "cpu ", 4))
			sscanf(line + 4,
			       "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			       " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
			       &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
			       &v[7]);
		else if (sscanf(line, "cpu%" SCNu32 " ", &cpu) == 1)
			out->cpus++;
	}
	fclose(f);
	out->busy_ns = (v[0] + v[1] + v[2] + v[5] + v[6]) * tick;
	out->iowait_ns = v[4] * tick;
	out->steal_ns = v[7] * tick;
	out->total_ns =
		out->busy_ns + v[3] * tick + out->iowait_ns + out->steal_ns;
	return 0;
}

static int read_memory(struct gn_top_machine *out)
{
	char line[256];
	uint64_t kb;
	FILE *f = fopen("/proc/meminfo", "re");

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "MemTotal: %" SCNu64, &kb) == 1)
			out->mem_total = kb << 10;
		else if (sscanf(line, "MemAvailable: %" SCNu64, &kb) == 1)
			out->mem_available = kb << 10;
	}
	fclose(f);
	return 0;
}

static int read_load(struct gn_top_machine *out)
{
	FILE *f = fopen("/proc/loadavg", "re");
	int n;

	if (!f)
		return -errno;
	n = fscanf(f, "%lf %lf %lf", &out->load[0], &out->load[1],
		   &out->load[2]);
	fclose(f);
	return n == 3 ? 0 : -EIO;
}

int gn_machine_read(struct gn_top_machine *out)
{
	int err;

	memset(out, 0, sizeof(*out));
	err = read_stat(out);
	if (!err)
		err = read_memory(out);
	if (!err)
		err = read_load(out);
	if (err)
		memset(out, 0, sizeof(*out));
	return err;
}

static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

void gn_machine_since(struct gn_top_machine *now,
		      const struct gn_top_machine *before)
{
	now->busy_ns = since(now->busy_ns, before->busy_ns);
	now->total_ns = since(now->total_ns, before->total_ns);
	/* these two can decrease */
	now->steal_ns = since(now->steal_ns, before->steal_ns);
	now->iowait_ns = since(now->iowait_ns, before->iowait_ns);
}

uint64_t gn_own_cpu_ns(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t gn_own_rss(void)
{
	uint64_t size, pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (!f)
		return 0;
	if (fscanf(f, "%" SCNu64 " %" SCNu64, &size, &pages) != 2)
		pages = 0;
	fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}
