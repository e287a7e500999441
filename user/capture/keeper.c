/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/hook.h>
#include "capture/descriptors.h"
#include "capture/events.h"
#include "capture/priority.h"

#define STEP_MS 100

/* What the child reports. */
struct told {
	int err;
	bool ready; /* all is attached */
	size_t done;
	size_t refused;	 /* functions */
	size_t left_out; /* a refused site, counted from 1; 0 = no news */
	int why;	 /* the kernel's error there */
};

/* Some probes of one event. */
struct part {
	size_t from, count;
};

/* The state of the child. */
struct work {
	const struct gn_probe_set *set;
	size_t *order;	 /* probes by their groups */
	uint32_t *group; /* of each probe */
	bool *out;	 /* probes whose function is left out */
	uint32_t first;	 /* number of the first group */
	struct gn_events events;
	uint32_t nevents; /* defined so far */
	int *held;	  /* descriptors, in pairs */
	size_t nheld;
	int control, tell;
	struct told told;
};

/*
 * Sorts probes into groups, because probes at the same offset in their pages
 * must be in different groups: the n-th of them goes to the n-th group. Sets
 * the number of groups.
 */
static int make_groups(struct work *w, uint32_t *groups)
{
	const struct gn_probe_set *set = w->set;
	uint32_t *used = calloc(GN_GROUP_PAGE, sizeof(*used));
	size_t n = 0;

	w->order = calloc(set->count, sizeof(*w->order));
	w->group = calloc(set->count, sizeof(*w->group));
	w->out = calloc(set->count, sizeof(*w->out));
	if (!used || !w->order || !w->group || !w->out) {
		free(used);
		return -ENOMEM;
	}
	*groups = 0;
	for (size_t i = 0; i < set->count; i++) {
		w->group[i] = used[set->offsets[i] % GN_GROUP_PAGE]++;
		if (w->group[i] >= *groups)
			*groups = w->group[i] + 1;
	}
	free(used);
	for (uint32_t g = 0; g < *groups; g++)
		for (size_t i = 0; i < set->count; i++)
			if (w->group[i] == g)
				w->order[n++] = i;
	return 0;
}

static uint32_t key_of(const struct work *w, size_t i)
{
	return GN_GROUP_KEY(w->first + w->group[i], w->set->offsets[i]);
}

/* Fills the map in which the program finds each probe's own cookie. */
static int tell_cookies(const struct work *w)
{
	const struct gn_probe_set *set = w->set;

	for (size_t i = 0; i < set->count; i++) {
		uint32_t key = key_of(w, i);

		if (bpf_map_update_elem(set->groups->cookies, &key,
					&set->cookies[i], BPF_ANY))
			return -errno;
	}
	return 0;
}

/* Whether gnomon has ended, or has stopped the child. */
static bool is_over(const struct work *w)
{
	struct pollfd p = {.fd = w->control, .events = POLLIN};

	return poll(&p, 1, 0) != 0;
}

static void tell(struct work *w)
{
	ssize_t n = write(w->tell, &w->told, sizeof(w->told));

	(void)n; /* nobody listens if gnomon has ended */
}

/* Leaves out the function of a probe that the kernel refuses: calls that are
 * only half seen would never end. */
static void leave_out(struct work *w, size_t at, int err)
{
	size_t i = at;

	while (i && gn_attach_same_function(w->set, i - 1, at))
		i--;
	for (; i < w->set->count && gn_attach_same_function(w->set, i, at); i++)
		w->out[i] = true;
	w->told.refused++;
	w->told.left_out = at + 1;
	w->told.why = err;
	tell(w);
	w->told.left_out = 0;
}

static int hold(struct work *w, int perf, int link)
{
	int *held = realloc(w->held, (w->nheld + 2) * sizeof(*held));

	if (!held)
		return -ENOMEM;
	w->held = held;
	held[w->nheld++] = perf;
	held[w->nheld++] = link;
	return 0;
}

/* Attaches the program to a perf event, with the cookie of all its probes. */
static int link_event(struct work *w, int perf, uint64_t cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		    .perf_event.bpf_cookie = cookie);
	int link = bpf_link_create(bpf_program__fd(w->set->prog), perf,
				   BPF_PERF_EVENT, &opts);
	int err = link < 0 ? -errno : hold(w, perf, link);

	if (err && link >= 0)
		close(link);
	if (err)
		close(perf);
	return err;
}

/* Returns whether there is an event now, or -errno. */
static int define(struct work *w, const struct part *p)
{
	bool any = false;
	int err = 0;

	for (size_t i = p->from; !err && i < p->from + p->count; i++) {
		if (w->out[w->order[i]])
			continue;
		any = true;
		err = gn_events_define(&w->events, w->nevents, w->set,
				       w->order[i]);
		if (is_over(w))
			err = -EINTR;
	}
	w->nevents += any;
	return err ? err : any;
}

static int attach_part(struct work *w, const struct part *p)
{
	uint32_t event = w->nevents;
	uint64_t cookie = GN_COOKIE_GROUP |
			  (w->set->ret ? GN_COOKIE_RETURN : 0) |
			  (w->first + w->group[w->order[p->from]]);
	int perf, defined = define(w, p);

	if (defined <= 0)
		return defined;
	perf = gn_events_enable(&w->events, event, w->set->pid);
	return perf < 0 ? perf : link_event(w, perf, cookie);
}

/* The other probes of a function that is left out are parts of events with
 * probes of other functions. So they stay, but the program finds no cookie for
 * them, and records nothing. */
static void silence(struct work *w, size_t at)
{
	for (size_t i = 0; i < w->set->count; i++) {
		uint32_t key = key_of(w, i);

		if (gn_attach_same_function(w->set, i, at))
			bpf_map_delete_elem(w->set->groups->cookies, &key);
	}
}

/*
 * Attaches a group. One refused site fails the whole event, so halve the group
 * until the site is alone. The stack of halves is at most 2 * log2(count) deep.
 */
static int attach_group(struct work *w, size_t from, size_t count)
{
	struct part todo[64] = {{from, count}};
	size_t n = 1;

	while (n) {
		struct part p = todo[--n];
		int err = attach_part(w, &p);

		if (err && !gn_attach_is_site_error(err))
			return err;
		if (err && p.count > 1) {
			todo[n++] = (struct part){p.from + p.count / 2,
						  p.count - p.count / 2};
			todo[n++] = (struct part){p.from, p.count / 2};
			continue;
		}
		if (err) {
			silence(w, w->order[p.from]);
			leave_out(w, w->order[p.from], err);
		}
		w->told.done += p.count;
		tell(w);
	}
	return 0;
}

static int attach_groups(struct work *w)
{
	int err = tell_cookies(w);

	for (size_t from = 0, to; !err && from < w->set->count; from = to) {
		uint32_t g = w->group[w->order[from]];

		for (to = from; to < w->set->count; to++)
			if (w->group[w->order[to]] != g)
				break;
		err = attach_group(w, from, to - from);
	}
	return err;
}

/* Removes the probes that were attached last, but for `left` descriptors. */
static void take_back(struct work *w, size_t left)
{
	while (w->nheld > left)
		close(w->held[--w->nheld]);
}

static int attach_one(struct work *w, size_t i)
{
	int perf = gn_attach_perf_event(w->set, i);

	return perf < 0 ? perf : link_event(w, perf, w->set->cookies[i]);
}

/* Attaches each probe by itself, where there is no tracefs. */
static int attach_each(struct work *w)
{
	size_t before = 0; /* descriptors of other functions */
	int err = 0;

	for (size_t i = 0; !err && i < w->set->count; i++) {
		if (!i || !gn_attach_same_function(w->set, i, i - 1))
			before = w->nheld;
		err = w->out[i] ? 0 : attach_one(w, i);
		if (gn_attach_is_site_error(err)) {
			take_back(w, before);
			leave_out(w, i, err);
			err = 0;
		}
		w->told.done++;
		if (!err && is_over(w))
			err = -EINTR;
		if (i % 16 == 0)
			tell(w);
	}
	return err;
}

static void leave_terminal(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (null >= 0)
			dup2(null, fd);
		else
			close(fd);
	}
	if (null > STDERR_FILENO)
		close(null);
}

/* Closes gnomon's descriptors and gives up all privileges: the child needs
 * neither any more. */
static void settle(const struct work *w, struct gn_descriptors *copies)
{
	cap_t none = cap_init();

	gn_descriptors_close(copies, w->control, w->tell);
	if (none)
		cap_set_proc(none);
	cap_free(none);
}

static void detach(struct work *w)
{
	w->told.done = 0;
	for (size_t i = 0; i < w->nheld; i += 2) {
		close(w->held[i + 1]);
		close(w->held[i]);
		w->told.done = (i + 2) * w->set->count / w->nheld;
		tell(w);
	}
	for (uint32_t i = 0; i < w->nevents; i++)
		gn_events_remove(&w->events, i);
}

static _Noreturn void keep(struct work *w)
{
	struct gn_descriptors copies = {0};
	char c;

	leave_terminal();
	/* A copy that is left open would keep readers of gnomon's output
	 * waiting, and gnomon's other keepers. So a list that lacks some is an
	 * error. */
	w->told.err = gn_descriptors_list(&copies, "/proc/self/fd");
	if (!w->told.err)
		w->told.err = gn_events_open(&w->events) ? attach_each(w)
							 : attach_groups(w);
	settle(w, &copies);
	w->told.ready = !w->told.err;
	tell(w);
	/* wait until the other end is closed; nothing is written there */
	while (w->told.ready && read(w->control, &c, 1) < 0 && errno == EINTR)
		;
	detach(w);
	_exit(0);
}

static void close_pair(int *fds)
{
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static int start(struct gn_keeper *k, struct work *w)
{
	int told[2] = {-1, -1}, control[2] = {-1, -1}, err = 0;
	sigset_t all, before;

	if (pipe2(told, O_CLOEXEC) || pipe2(control, O_CLOEXEC)) {
		err = -errno;
		close_pair(told);
		return err;
	}
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	k->pid = fork();
	if (k->pid < 0)
		err = -errno;
	if (!k->pid) {
		close(told[0]);
		close(control[1]);
		w->tell = told[1];
		w->control = control[0];
		keep(w);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (err) {
		close_pair(told);
		close_pair(control);
		return err;
	}
	close(told[1]);
	close(control[0]);
	k->told = told[0];
	k->control = control[1];
	return 0;
}

/* Waits for the child's next report. 1: there was one, 0: the child has ended,
 * -EINTR: the step stopped the wait. */
static int listen(const struct gn_keeper *k, const struct gn_step *step,
		  struct told *last)
{
	struct pollfd p[2] = {{.fd = k->told, .events = POLLIN},
			      {.fd = step ? step->fd : -1, .events = POLLIN}};
	ssize_t n;

	for (;;) {
		poll(p, 2, STEP_MS);
		if (step &&
		    step->fn(step->ctx, k->control >= 0, last->done, k->count))
			return -EINTR;
		if (!p[0].revents)
			continue;
		n = read(k->told, last, sizeof(*last));
		if (n >= 0 || errno != EINTR)
			return n == (ssize_t)sizeof(*last);
	}
}

static void tell_left_out(const struct gn_probe_set *set, const struct told *t)
{
	if (t->left_out && set->left_out)
		set->left_out(set->ctx, set->cookies[t->left_out - 1], t->why);
}

int gn_keeper_start(struct gn_keeper *k, const struct gn_probe_set *set,
		    size_t *refused)
{
	struct work w = {.set = set, .first = set->groups->next};
	struct told told = {0};
	uint32_t groups = 0;
	int err = make_groups(&w, &groups), more;

	if (!err && groups > GN_GROUPS_MAX - set->groups->next)
		err = -E2BIG;
	*k = (struct gn_keeper){.told = -1, .control = -1, .count = set->count};
	if (!err)
		err = start(k, &w);
	free(w.order);
	free(w.group);
	free(w.out);
	if (err)
		return err;
	set->groups->next += groups;
	do {
		more = listen(k, set->step, &told);
		if (more > 0)
			tell_left_out(set, &told);
	} while (more > 0 && !told.err && !told.ready);
	*refused += told.refused;
	if (told.ready)
		return 0;
	gn_keeper_stop(k);
	if (more == -EINTR) {
		close(k->told);
		return more;
	}
	gn_keeper_wait(k, set->step);
	return told.err ? told.err : -ECHILD; /* it was killed */
}

bool gn_keeper_lives(const struct gn_keeper *k)
{
	struct pollfd p = {.fd = k->told};

	return k->control >= 0 && !poll(&p, 1, 0);
}

void gn_keeper_stop(struct gn_keeper *k)
{
	/* with our priority, because whoever ends gnomon waits for it */
	if (sched_getscheduler(0) == SCHED_RR)
		gn_priority_highest(k->pid);
	if (k->control >= 0)
		close(k->control);
	k->control = -1;
}

int gn_keeper_wait(struct gn_keeper *k, const struct gn_step *step)
{
	struct told last = {0};
	int more;

	do {
		more = listen(k, step, &last);
	} while (more > 0);
	close(k->told);
	k->told = -1;
	if (more)
		return more;
	while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}
