/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attaches probes to files. If the kernel has uprobe.multi links, each program
 * has one (made by bpf(2) itself, because libbpf 1.1 has neither kind). If not,
 * uses perf events, each for many probes if there are many (keeper.h). Finds
 * out by trying what the kernel has.
 */
#ifndef GNOMON_CAPTURE_ATTACH_H
#define GNOMON_CAPTURE_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/calibrate.h"

struct bpf_program;

/* How probes are attached; the best first. */
enum gn_attach_mode {
	GN_ATTACH_AUTO = 0,
	GN_ATTACH_SESSION, /* enter and return by one multi link (6.13) */
	GN_ATTACH_MULTI,   /* multi links (6.6) */
	GN_ATTACH_SINGLE,  /* perf events (any) */
};

const char *gn_attach_mode_name(enum gn_attach_mode mode);

/* Expected attach types without names in libbpf 1.1 (linux/bpf.h). */
#define GN_TRACE_UPROBE_MULTI	48
#define GN_TRACE_UPROBE_SESSION 57

/* The best mode that this kernel and these privileges allow. <0: no uprobes at
 * all, -EPERM or the kernel's error. */
int gn_attach_probe_mode(void);

/* Whether the kernel has links of this mode: SESSION or MULTI. 0, or its error:
 * -EPERM, or another one when it has none. */
int gn_attach_offers(enum gn_attach_mode mode);

/* Attaches a probe to gnomon's own program and removes it again. 0, or the
 * kernel's error. Not for AUTO. */
int gn_attach_try(enum gn_attach_mode mode);

/*
 * The same by a thread. For the first probe in a while the kernel waits until
 * all CPUs have been through its scheduler, some ms; for one that follows soon
 * it does not. So this comes before gnomon's own, and while it does something
 * else. NULL: no memory. _end() waits for the thread; `a` may be NULL.
 */
struct gn_attach_ahead;
struct gn_attach_ahead *gn_attach_ahead_begin(enum gn_attach_mode mode);
void gn_attach_ahead_end(struct gn_attach_ahead *a);

/* Nanoseconds that a hit of an empty probe takes, here and now. 0: it cannot be
 * measured. */
uint64_t gn_attach_hit_ns(enum gn_attach_mode mode, enum gn_cal_site site);

/*
 * Whether a link of one process covers all of its threads. Before about 6.10 a
 * multi link of a process covers only the first thread; then use links of
 * GN_ATTACH_SINGLE. Tries it with a thread that hits a probe.
 */
bool gn_attach_whole_process(void);

/*
 * Whether a probe on a five-byte nop can be one that the kernel makes a call,
 * in place of a trap. Some kernels leave the page that it leads to out of a
 * child's memory, but not the call, and the child's next hook ends it by a
 * signal: there it cannot. A thread finds out by hitting such a probe, whose
 * end takes long. NULL of _begin(): there are no such calls, or no memory; then
 * the answer is no. Then gn_attach_ahead_end().
 */
struct gn_attach_ahead *gn_attach_nop5_begin(enum gn_attach_mode mode);
bool gn_attach_nop5_called(struct gn_attach_ahead *a);

struct gn_links;

/*
 * Attaching and removing can take long. `fn` is called every tenth of a second,
 * and when `fd` (-1 = none) is readable, with the number of probes that are
 * done. It returns non-zero to stop.
 */
struct gn_step {
	int fd;
	int (*fn)(void *ctx, bool attaching, size_t done, size_t total);
	void *ctx;
};

/* The groups of a session: see GN_COOKIE_GROUP. */
struct gn_groups {
	int cookies; /* the map */
	uint32_t next;
};

/* One program on some offsets of one file. */
struct gn_probe_set {
	const char *path;
	const struct bpf_program *prog;
	const uint64_t *offsets;
	const uint64_t *cookies;
	/* where the file has a semaphore that the kernel counts up, 0 = none;
	 * NULL: none for all */
	const uint64_t *counters;
	size_t count;
	bool ret;     /* return probes */
	pid_t pid;    /* 0 = every process that maps the file */
	int file;     /* its descriptor, for gn_links_remove_file(); 0 = none */
	uint32_t key; /* for gn_links_remove(); 0 = none */
	struct gn_groups *groups;   /* NULL: one perf event for each probe */
	const struct gn_step *step; /* or NULL */
	/* Called for each function that is left out, with one of its cookies
	 * and the kernel's error at one of its sites. Or NULL. */
	void (*left_out)(void *ctx, uint64_t cookie, int err);
	void *ctx;
};

/* Whether one bad site among many can cause this error. */
bool gn_attach_is_site_error(int err);

/* The file offset of a probe's semaphore: the kernel's "reference counter". */
uint64_t gn_attach_counter(const struct gn_probe_set *set, size_t i);

/* Attaches a program by a multi link of `type` to `count` probes of a set, from
 * `from` on. The link, or the kernel's error. */
int gn_attach_multi(int prog_fd, uint32_t type, const struct gn_probe_set *set,
		    size_t from, size_t count);

/* Opens a perf event on one probe of a set, without a program. */
int gn_attach_perf_event(const struct gn_probe_set *set, size_t i);

/* What holds probes in place; closing it removes them. */
struct gn_links *gn_links_new(void);

/* Removes all probes. Returns how many are still being removed, by processes
 * that go on alone after the step (may be NULL) stopped the wait. */
size_t gn_links_free(struct gn_links *l, const struct gn_step *step);

/* Moves the probes of `from` to `into` and frees `from`: probes that are
 * removed together are waited for only once. NULL is an empty one. */
void gn_links_join(struct gn_links *into, struct gn_links *from);

/* False when a process that held some of them was killed. */
bool gn_links_hold(const struct gn_links *l);

/*
 * Attaches a set, in which the probes of a function follow one another. If the
 * kernel refuses a site, its whole function is left out, because half of one
 * would give calls that never end, and counted in `refused`. <0: nothing could
 * be attached for another reason. -EINTR: the set's step stopped it.
 */
int gn_links_add(struct gn_links *l, enum gn_attach_mode mode,
		 const struct gn_probe_set *set, size_t *refused);

/*
 * Removes the probes of the sets with this key, in the order in which they were
 * added, and waits until none of them runs any more: tens of milliseconds.
 * -ENOENT: there are none.
 */
int gn_links_remove(struct gn_links *l, uint32_t key);
/* The same of the sets of that file. */
void gn_links_remove_file(struct gn_links *l, int file);

#endif
