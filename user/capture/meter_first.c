/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/meter_first.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include "capture/calibrate.h"
#include "capture/meter.h"
#include "capture/session_internal.h"
#include "gnomon.skel.h"

#define CALLS		  (GN_METER_FIRST_RECORDS / 2)
#define CHILDREN_AT_LEAST 4
#define ANSWER_MS	  1000

/* `go`: where a child reads its turn from; `done`: where it writes then. */
struct turns {
	int go[2], done[2];
};

static _Noreturn void be_child(const struct turns *t, pid_t parent,
			       uint64_t cycles)
{
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* what a new process pays once for other reasons */
	gn_calibrate_work(cycles);
	if (read(t->go[0], &c, 1) != 1)
		_exit(1);
	gn_calibrate_first(CALLS, cycles);
	_exit(write(t->done[1], &c, 1) != 1);
}

static void fork_all(struct gn_meter_first *f, const struct turns *t,
		     uint64_t cycles)
{
	pid_t self = getpid(), pid;

	while (f->n < GN_METER_CHILDREN) {
		pid = fork();
		if (!pid)
			be_child(t, self, cycles);
		if (pid < 0)
			return;
		f->child[f->n++].pid = pid;
	}
}

/* Makes the kernel side trace the children. */
static int trace_all(struct gn_session *s, const struct gn_meter_first *f)
{
	struct gn_control *control = &s->skel->bss->control;
	int targets = bpf_map__fd(s->skel->maps.targets), err = 0;
	uint32_t one = 1;

	for (unsigned int i = 0; !err && i < f->n; i++)
		if (bpf_map_update_elem(targets, &f->child[i].pid, &one,
					BPF_ANY))
			err = -errno;
	control->scanning = GN_SCAN_THREAD;
	if (!err)
		err = gn_session_look(s);
	control->scanning = 0;
	for (unsigned int i = 0; i < f->n; i++)
		bpf_map_delete_elem(targets, &f->child[i].pid);
	return err;
}

/* One at a time: which of them is the one is all the same. Not for ever, for
 * one that was killed never answers. */
static int run_all(const struct gn_meter_first *f, const struct turns *t)
{
	struct pollfd done = {.fd = t->done[0], .events = POLLIN};
	char c = 0;

	for (unsigned int i = 0; i < f->n; i++)
		if (write(t->go[1], &c, 1) != 1 ||
		    poll(&done, 1, ANSWER_MS) != 1 || read(done.fd, &c, 1) != 1)
			return -EIO;
	return 0;
}

static void close_pipe(int fd[2])
{
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

static void end_all(const struct gn_meter_first *f)
{
	for (unsigned int i = 0; i < f->n; i++)
		kill(f->child[i].pid, SIGKILL);
	for (unsigned int i = 0; i < f->n; i++)
		while (waitpid(f->child[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
}

int gn_meter_first_run(struct gn_session *s, struct gn_meter_first *f,
		       uint64_t cycles)
{
	struct turns t = {{-1, -1}, {-1, -1}};
	int err =
		pipe2(t.go, O_CLOEXEC) || pipe2(t.done, O_CLOEXEC) ? -errno : 0;

	if (!err) {
		fork_all(f, &t, cycles);
		err = trace_all(s, f);
	}
	if (!err)
		err = run_all(f, &t);
	end_all(f);
	close_pipe(t.go);
	close_pipe(t.done);
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

/* From enter `i` to the next, without the operating system's time. */
static uint64_t call_ns(const struct gn_meter_child *c, unsigned int i)
{
	uint64_t ns = c->at[2 * i + 2] - c->at[2 * i];
	uint64_t os = c->os[2 * i + 1] + c->os[2 * i + 2];

	return ns > os ? ns - os : 0;
}

bool gn_meter_first_solve(const struct gn_meter_first *f,
			  struct gn_rec_cost *cost)
{
	uint64_t more[GN_METER_CHILDREN];
	unsigned int n = 0;

	for (unsigned int i = 0; i < f->n; i++) {
		const struct gn_meter_child *c = &f->child[i];
		uint64_t first, then;

		if (c->n != GN_METER_FIRST_RECORDS)
			continue;
		first = call_ns(c, 0);
		/* the lesser: something else may disturb one of them */
		then = call_ns(c, 1) < call_ns(c, 2) ? call_ns(c, 1)
						     : call_ns(c, 2);
		more[n++] = first > then ? first - then : 0;
	}
	if (n < CHILDREN_AT_LEAST)
		return false;
	cost->after_ns = (uint32_t)gn_meter_mean(more, n, &cost->spread_ns);
	cost->samples = n;
	return true;
}
