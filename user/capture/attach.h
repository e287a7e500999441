/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attaches probes to files. If the kernel has uprobe.multi links, each program
 * gets one (made with bpf(2) directly, because libbpf 1.1 supports neither
 * kind). If not, uses perf events; if there are many probes, one event holds
 * many of them (keeper.h). Tries out what the kernel has.
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

/* Checks whether the kernel has links of this mode, SESSION or MULTI. 0: it
 * has. Else -EPERM, or the kernel's error. */
int gn_attach_offers(enum gn_attach_mode mode);

/* Attaches a probe to gnomon's own program and removes it again. 0, or the
 * kernel's error. Not for AUTO. */
int gn_attach_try(enum gn_attach_mode mode);

/*
 * Does gn_attach_try() in a thread. For the first probe in a while the kernel
 * waits some ms, until all CPUs have been through its scheduler; for a probe
 * that follows soon it does not wait. So begin this before gnomon attaches its
 * own probes, while it does something else. NULL: no memory, or no thread.
 * _end() waits for the thread; `a` may be NULL.
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
 * Finds out whether probes may go on five-byte nops, where the kernel replaces
 * the trap with a call. Some kernels leave the page that the call leads to out
 * of a child's memory, but not the call, and the child's next hook kills it
 * with a signal. Then the answer is no. A thread finds out by hitting such a
 * probe, because removing the probe takes long. _begin() returns NULL if the
 * kernel makes no such calls, or there is no memory or thread; then the answer
 * is no, too. _called() waits for the answer. Afterwards call
 * gn_attach_ahead_end().
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

/* One program on some offsets of one file; with SINGLE, of several files. */
struct gn_probe_set {
	const char *path;
	/* of each probe, the same pointer for the same file; NULL: `path` */
	const char *const *paths;
	const struct bpf_program *prog;
	const uint64_t *offsets;
	const uint64_t *cookies;
	/* file offsets of the semaphores that the kernel counts up, 0 = none;
	 * NULL: no probe has one */
	const uint64_t *counters;
	size_t count;
	bool ret;  /* return probes */
	pid_t pid; /* 0 = every process that maps the file */
	/* a descriptor of one of the files, for gn_links_remove_file(); 0 =
	 * none
	 */
	int file;
	uint32_t key;		    /* for gn_links_remove(); 0 = none */
	struct gn_groups *groups;   /* NULL: one perf event for each probe */
	const struct gn_step *step; /* or NULL */
	/* Called for each function that is left out, with one of its cookies
	 * and the kernel's error at one of its sites. Or NULL. */
	void (*left_out)(void *ctx, uint64_t cookie, int err);
	void *ctx;
};

/* Whether one bad site among many can cause this error. */
bool gn_attach_is_site_error(int err);

/* The file of the set's i-th probe. */
const char *gn_attach_path(const struct gn_probe_set *set, size_t i);
/* Whether two probes are of one function of one file. */
bool gn_attach_same_function(const struct gn_probe_set *set, size_t i,
			     size_t k);
/* The file offset of a probe's semaphore: the kernel's "reference counter". */
uint64_t gn_attach_counter(const struct gn_probe_set *set, size_t i);

/* Attaches a program by a multi link of `type` to `count` probes of a set, from
 * `from` on. Returns the link's descriptor, or the kernel's error. */
int gn_attach_multi(int prog_fd, uint32_t type, const struct gn_probe_set *set,
		    size_t from, size_t count);

/* Opens a perf event on one probe of a set, without a program. Returns its
 * descriptor, or the kernel's error. */
int gn_attach_perf_event(const struct gn_probe_set *set, size_t i);

/* An empty list of links, which hold probes in place until they are closed.
 * NULL: no memory. */
struct gn_links *gn_links_new(void);

/* Removes all probes and frees `l`. If the step (may be NULL) stops the wait,
 * keepers go on by themselves: returns how many probes they still remove. */
size_t gn_links_free(struct gn_links *l, const struct gn_step *step);

/* Moves the probes of `from` to `into` and frees `from`: the wait for probes
 * that are removed together happens only once. NULL is an empty list. */
void gn_links_join(struct gn_links *into, struct gn_links *from);

/* Removes all probes but those of keepers, as gn_links_free() does. */
void gn_links_clear(struct gn_links *l);
/* Moves the sets with this key; those for which there is no memory stay. */
void gn_links_move(struct gn_links *into, struct gn_links *from, uint32_t key);
/* How many links there are, without those of keepers. */
size_t gn_links_count(const struct gn_links *l);

/* False if a keeper, which held some of the probes, was killed. */
bool gn_links_hold(const struct gn_links *l);

/*
 * Attaches a set, in which the probes of a function follow one another. If the
 * kernel refuses a site, leaves out its whole function, because calls that are
 * only half seen would never end, and counts it in `refused`. <0: it failed for
 * another reason. -EINTR: the set's step stopped it. What was attached until
 * then stays in `l`.
 */
int gn_links_add(struct gn_links *l, enum gn_attach_mode mode,
		 const struct gn_probe_set *set, size_t *refused);

/*
 * Removes the probes of the sets with this key, in the order in which they were
 * added, and waits until none of them runs any more: tens of milliseconds.
 * -ENOENT: there are none.
 */
int gn_links_remove(struct gn_links *l, uint32_t key);
/* The same for the sets of this file, including their keepers. */
void gn_links_remove_file(struct gn_links *l, int file);

#endif
