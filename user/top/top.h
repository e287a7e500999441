/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The live view: the data of a period, for all outputs (the screen, plain rows,
 * JSON lines, Prometheus). It has values only, no clock and no terminal, so
 * that outputs can be tested. Times are nanoseconds.
 */
#ifndef GNOMON_TOP_TOP_H
#define GNOMON_TOP_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

/* The whole machine in the period: /proc/stat, all CPUs together. */
struct gn_top_machine {
	uint32_t cpus;
	uint64_t busy_ns;  /* user, nice, system, irq and softirq */
	uint64_t total_ns; /* cpus x the period, as the kernel counts it */
	uint64_t steal_ns, iowait_ns;
	uint64_t mem_total, mem_available; /* bytes */
	double load[3];
};

/* What the target is doing as a whole. */
enum gn_top_target {
	GN_TOP_RUNNING = 0,
	GN_TOP_ENDED,  /* all of it; the last period stays on the screen */
	GN_TOP_KILLED, /* the command, by `signal` */
};

/* A function whose probes were muted to keep within --budget. */
struct gn_top_muted {
	const char *name, *module;
};

struct gn_top_period {
	const struct gn_model *m; /* of this period */
	uint64_t number;	  /* from 1 */
	uint64_t wall;		  /* its end, nanoseconds of CLOCK_REALTIME */
	uint64_t length;	  /* nanoseconds that it lasted */
	uint64_t session;	  /* since tracing began */
	const char *title;	  /* the command or the PIDs: hostile text */
	enum gn_top_target target;
	int signal, status; /* of the command; status negative: not known */
	bool functions;	    /* function probes are on */
	/* losses since tracing began; those of the period are in the model */
	uint64_t lost;
	/* gnomon itself, in the period */
	uint64_t own_cpu_ns, own_rss;
	struct gn_top_machine machine;
	/* --budget, 0 = none: percents of the target's time on CPUs */
	double budget;
	double slowdown; /* what probes cost of it now; negative: not known */
	const struct gn_top_muted *muted;
	size_t nmuted;
};

#endif
