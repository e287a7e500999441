/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/running_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/clock.h"
#include "capture/prepare.h"
#include "capture/session_internal.h"
#include "capture/tell.h"
#include "process/ended.h"
#include "process/memory.h"
#include "runtime/runtime.h"

/* How long to wait for the library after the runtime's answer. */
#define WAIT_NS 10000000000u
#define SOON_NS 300000000u
/* After so long, the user is told what gnomon waits for. */
#define SILENT_NS 3000000000u
/* The most drains in a row, before the answer is looked for. */
#define DRAIN_ROUNDS 4
/* From this many methods on, gnomon reports what they cost; from SOME on, if
 * asking for their hooks took long. */
#define MANY	10000
#define SOME	1000
#define LONG_NS 100000000u
/* Bytes that the hooks of a method take, about: 84,826 methods took 79 MiB. */
#define METHOD_SIZE 1024

static void forget(struct gn_running *r, size_t i)
{
	struct gn_running_process *p = &r->process[i];

	if (p->attached)
		p->rt->attach->close(p->attached);
	memmove(p, p + 1, (--r->count - i) * sizeof(*p));
}

/* Drops a process: if no function was requested, gnomon can do without the
 * library. Adds the reason to the session's warning. */
static void do_without(struct gn_session *s, size_t i, const char *why)
{
	struct gn_running *r = s->active;
	struct gn_running_process *p = &r->process[i];
	size_t n = r->refused++ ? strlen(s->warning) : 0;

	snprintf(s->warning + n, sizeof(s->warning) - n, "%s%s; %s",
		 n ? "; " : "", why, p->rt->attached);
	forget(r, i);
}

/* Goes on without a process if that has ended and is not the last one, or if no
 * function was requested. Else the session fails. */
static int go_on(struct gn_session *s, size_t i, int err, const char *why)
{
	pid_t pid = s->active->process[i].pid;
	bool last = s->opts.npids == 1 && s->pids[0] == pid;

	if (err != -EINTR && !last && gn_process_ends(pid, GN_ENDS_MS)) {
		forget(s->active, i);
		return gn_session_lose(s, pid);
	}
	if (!s->light || err == -EINTR)
		return gn_session_fail(s, err, 1, "%s", why);
	do_without(s, i, why);
	return 0;
}

/* Plans the probes of the library that the process loads, if that is a copy,
 * because the process cannot see ours, or the one for musl. */
static int plan_copy(struct gn_session *s, const struct gn_running_process *p)
{
	const char *path;
	int fd = p->rt->attach->file(p->attached, &path);

	if (fd >= 0)
		return gn_prepare_copy(s, p->rt, fd, path);
	return p->musl ? gn_prepare_library(s, p->rt, path) : 0;
}

static int find_library(struct gn_running_process *p, char *path, size_t size)
{
	p->musl = gn_runtime_has_musl(p->pid);
	return gn_runtime_library(p->rt, p->musl, path, size);
}

int gn_running_open(struct gn_session *s)
{
	char why[GN_WHY_MAX], library[PATH_MAX];
	struct gn_running *r = s->active;
	size_t i = 0;

	while (r && i < r->count) {
		struct gn_running_process *p = &r->process[i];
		int err = find_library(p, library, sizeof(library));

		if (err)
			return gn_session_fail(s, err, 1,
					       "the hook-site library '%s' is "
					       "missing; install gnomon again",
					       p->musl ? p->rt->library_musl
						       : p->rt->library);
		err = p->rt->attach->open(p->pid, library, &p->attached, why);
		if (err) {
			err = go_on(s, i, err, why);
			if (err)
				return err;
			continue;
		}
		err = plan_copy(s, p);
		if (err)
			return err;
		i++;
	}
	return 0;
}

static void tell_wait(const struct gn_session *s)
{
	struct gn_running *r = s->active;

	if (!r->works || !r->since || gn_now_ns() - r->since < SILENT_NS)
		return;
	r->since = 0;
	if (!s->opts.quiet)
		gn_error("process %d is requesting the hooks of the functions "
			 "that -f names, which takes long if there are many; "
			 "Ctrl-C calls it off",
			 (int)r->asked);
}

/* Records come while the runtime works. If there are many, takes them before it
 * waits for the answer again. */
static enum gn_wait drain(void *ctx)
{
	struct gn_session *s = ctx;
	int rounds = DRAIN_ROUNDS;

	if (s->opts.step && s->opts.step->fn(s->opts.step->ctx, true, 0, 0))
		return GN_WAIT_ENOUGH;
	tell_wait(s);
	do {
		s->active->behind = gn_session_drain(s, GN_DRAIN_NS) > 0;
	} while (s->active->behind && --rounds);
	return s->active->works ? GN_WAIT_WORKS : GN_WAIT_ON;
}

/* Waits for the library's record, which follows the runtime's answer. `later`:
 * the record can take long. Otherwise it is in the ring, but many other records
 * may come before it. */
static int await_library(struct gn_session *s, size_t i, bool later, char *why)
{
	uint64_t begin = gn_now_ns(), behind = begin, now;

	for (;;) {
		if (drain(s) == GN_WAIT_ENOUGH) {
			snprintf(why, GN_WHY_MAX, "attaching was interrupted");
			return -EINTR;
		}
		if (s->active->begun > i)
			return 0;
		now = gn_now_ns();
		if (s->active->behind)
			behind = now;
		if (now - begin > WAIT_NS ||
		    (!later && now - behind > SOON_NS) ||
		    gn_process_has_ended(s->active->process[i].pid)) {
			snprintf(why, GN_WHY_MAX,
				 "the library in process %d does not answer; "
				 "another gnomon may have started this "
				 "process: until that one ends, or for good if "
				 "it traced all functions, -p cannot trace it",
				 (int)s->active->process[i].pid);
			return -ETIMEDOUT;
		}
		gn_session_rest(s);
	}
}

/* Warns if the hooks may take too much memory: it counts as the process's. */
static void tell_memory(pid_t pid, size_t methods)
{
	uint64_t limit = gn_memory_limit(pid);
	uint64_t need = (uint64_t)methods * METHOD_SIZE;

	if (need > limit / 4)
		gn_error("these hooks take up to %" PRIu64
			 " MiB of memory in process %d, and the limit of its "
			 "control group is %" PRIu64
			 " MiB, so the kernel may kill it; stop gnomon now, or "
			 "name fewer functions",
			 need >> 20, (int)pid, limit >> 20);
}

static bool cost_is_worth_telling(const struct gn_running *r)
{
	return r->chosen >= MANY || (r->chosen >= SOME && r->took >= LONG_NS);
}

/* Warns of the cost once, while the process goes on: the user can still end the
 * capture. */
static void tell_cost(const struct gn_session *s)
{
	if (!s->active || !cost_is_worth_telling(s->active))
		return;
	for (size_t i = 0; i < s->active->count; i++)
		tell_memory(s->active->process[i].pid, s->active->chosen);
	if (!s->opts.quiet)
		gn_error(
			"-f names %zu methods: requesting their hooks took "
			"%.1f s, during which the program may have stood "
			"still; each is compiled again at its next call, and "
			"all of its calls are slower until the end; name fewer "
			"functions to slow the program down less",
			s->active->chosen, (double)s->active->took / 1e9);
}

static void tell_untold(const struct gn_session *s)
{
	uint32_t untold = gn_running_untold(s->active, s->opts.families);
	char words[GN_WHY_MAX];

	gn_running_words(untold, words, sizeof(words));
	if (untold && !s->opts.live)
		gn_error("a process that was already running does not report "
			 "%s; start it under gnomon to see them",
			 words);
}

int gn_running_begin(struct gn_session *s, const char *filter)
{
	const struct gn_attach_asked asked = {filter, s->managed_values,
					      s->opts.families, s->launch.fast};
	struct gn_running *r = s->active;
	uint64_t begin = gn_now_ns();
	char why[GN_WHY_MAX];
	size_t i = 0;

	if (!r)
		return 0;
	r->told = r->refused ? strlen(s->warning) + strlen("; ") : 0;
	while (i < r->count) {
		struct gn_running_process *p = &r->process[i];
		int err;

		r->works = false;
		r->asked = p->pid;
		r->since = gn_now_ns();
		err = p->rt->attach->begin(p->attached, &asked, drain, s, why);
		if (err >= 0)
			err = await_library(s, i, err == 0, why);
		if (!err) {
			i++;
			continue;
		}
		err = go_on(s, i, err, why);
		if (err)
			return err;
		if (s->light)
			gn_session_put_light(s);
	}
	r->took = gn_now_ns() - begin;
	gn_session_put_attached(s);
	return 0;
}

void gn_running_tell(const struct gn_session *s)
{
	const struct gn_running *r = s->active;

	if (r && r->refused && !s->opts.quiet && r->told < strlen(s->warning))
		gn_error("%s", s->warning + r->told);
	tell_untold(s);
	tell_cost(s);
}

void gn_running_end(struct gn_session *s)
{
	struct gn_running *r = s->active;
	char why[GN_WHY_MAX];

	for (size_t i = 0; r && i < r->count; i++) {
		struct gn_running_process *p = &r->process[i];

		if (p->attached &&
		    p->rt->attach->end(p->attached, NULL, NULL, why))
			gn_error("%s", why);
	}
}
