/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/meter_first.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include <gnomon/lock.h>
#include "capture/calibrate.h"
#include "capture/meter.h"
#include "capture/session_internal.h"
#include "gnomon.skel.h"

#define CALLS		  (GN_METER_FIRST_RECORDS / 2)
#define CHILDREN_AT_LEAST 4

static _Noreturn void be_child(uint64_t cycles)
{
	/* a new process pays some other costs once: pay them here */
	gn_calibrate_work(cycles);
	gn_calibrate_first(CALLS, cycles);
	_exit(0);
}

/* Runs the children one after the other, as most programs do: the kernel hands
 * out memory faster if it was in use just now. */
static int run_all(struct gn_meter_first *f, uint64_t cycles)
{
	pid_t pid;

	while (f->n < GN_METER_CHILDREN) {
		pid = fork();
		if (!pid)
			be_child(cycles);
		if (pid < 0)
			return -errno;
		f->child[f->n++].pid = pid;
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return 0;
}

/* The kernel side treats gnomon itself as a target meanwhile, so the children
 * are traced from birth. */
int gn_meter_first_run(struct gn_session *s, struct gn_meter_first *f,
		       uint64_t cycles)
{
	struct gn_control *control = &s->skel->bss->control;
	int targets = bpf_map__fd(s->skel->maps.targets), err;
	uint32_t self = (uint32_t)getpid();
	struct gn_lock none = {0};
	uint32_t follow = control->follow;

	if (bpf_map_update_elem(targets, &self, &none, BPF_ANY))
		return -errno;
	control->follow = 1;
	control->scanning = GN_SCAN_THREAD;
	err = run_all(f, cycles);
	control->scanning = 0;
	control->follow = follow;
	bpf_map_delete_elem(targets, &self);
	return err;
}

bool gn_meter_first_take(struct gn_meter_first *f, const struct gn_rec *rec)
{
	struct gn_meter_child *c = NULL;

	for (unsigned int i = 0; i < f->n && !c; i++)
		if ((uint32_t)f->child[i].pid == rec->tid)
			c = &f->child[i];
	if (!c)
		return false;
	if (rec->kind != GN_KIND_ENTER && rec->kind != GN_KIND_LEAVE)
		return true;
	if (c->n < GN_METER_FIRST_RECORDS) {
		c->at[c->n] = rec->time;
		c->os[c->n] = ((const struct gn_rec_func *)rec)->os_ns;
	}
	c->n++;
	return true;
}

/* The time from enter `i` to the next, without the operating system's time. */
static uint64_t call_ns(const struct gn_meter_child *c, unsigned int i)
{
	uint64_t ns = c->at[2 * i + 2] - c->at[2 * i];
	uint64_t os = c->os[2 * i + 1] + c->os[2 * i + 2];

	return ns > os ? ns - os : 0;
}

/*
 * How far one of those in the mean was from it. The children come at once, so
 * what else the machine does makes the page dearer, or cheaper, for most of
 * them: half of them tell too little of the program's processes, which come
 * later. `ns` is sorted.
 */
static uint32_t farthest(const uint64_t *ns, unsigned int n, double mean)
{
	double below = mean - (double)ns[0];
	double above = (double)ns[gn_meter_undisturbed(ns, n) - 1] - mean;

	return (uint32_t)(above > below ? above : below);
}

bool gn_meter_first_solve(const struct gn_meter_first *f,
			  struct gn_rec_cost *cost)
{
	uint64_t more[GN_METER_CHILDREN];
	unsigned int n = 0;
	double mean;

	for (unsigned int i = 0; i < f->n; i++) {
		const struct gn_meter_child *c = &f->child[i];
		uint64_t first, then;

		if (c->n != GN_METER_FIRST_RECORDS)
			continue;
		first = call_ns(c, 0);
		/* take the shorter one: something else may disturb one of
		 * them */
		then = call_ns(c, 1) < call_ns(c, 2) ? call_ns(c, 1)
						     : call_ns(c, 2);
		more[n++] = first > then ? first - then : 0;
	}
	if (n < CHILDREN_AT_LEAST)
		return false;
	mean = gn_meter_mean(more, n, NULL);
	cost->after_ns = (uint32_t)mean;
	cost->spread_ns = farthest(more, n, mean);
	cost->samples = n;
	return true;
}
