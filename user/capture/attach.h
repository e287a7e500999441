/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes onto files: by one uprobe.multi link a program where the kernel has
 * it (by bpf(2) itself, since libbpf 1.1 has neither kind), else by perf
 * events, many probes by each where there are many (keeper.h). What the kernel
 * has is found by trying.
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

/* Expected attach types that libbpf 1.1 has no names for (linux/bpf.h). */
#define GN_TRACE_UPROBE_MULTI	48
#define GN_TRACE_UPROBE_SESSION 57

/* The best mode that this kernel and these privileges allow; <0: no uprobes
 * at all, -EPERM or what the kernel said. */
int gn_attach_probe_mode(void);

/* Puts a probe on gnomon's own program and takes it away again: 0, or what the
 * kernel said. Not for AUTO. */
int gn_attach_try(enum gn_attach_mode mode);

/* Nanoseconds of a hit of a probe that does nothing, here and now; 0 when it
 * cannot be measured. */
uint64_t gn_attach_hit_ns(enum gn_attach_mode mode, enum gn_cal_site site);

/*
 * True when links of one process are of each of its threads. Before about 6.10
 * a multi link of a process is of its first thread only; then the links of
 * GN_ATTACH_SINGLE serve. Found by a thread that hits a probe.
 */
bool gn_attach_whole_process(void);

/* Measures a probe on a one-byte and on a five-byte nop, here and now. */
bool gn_attach_nop5_cheaper(enum gn_attach_mode mode);

/*
 * Attaching and removing can take long. `fn` is called every tenth of a second
 * and when something happens at `fd` (-1 = none), with how many probes are
 * done: not 0 is that it is enough.
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
	size_t count;
	bool ret;		    /* return probes */
	pid_t pid;		    /* 0 = every process that maps the file */
	uint32_t key;		    /* for gn_links_remove(); 0 = none */
	struct gn_groups *groups;   /* NULL: each probe by itself */
	const struct gn_step *step; /* or NULL */
	/* Told of a function that is left out: a cookie of it and what the
	 * kernel said of one of its sites. NULL: nobody asks. */
	void (*left_out)(void *ctx, uint64_t cookie, int err);
	void *ctx;
};

/* True for an error that one bad site of many can be the reason of. */
bool gn_attach_is_site_error(int err);

/* A perf event, without a program yet, on one probe of a set. */
int gn_attach_perf_event(const struct gn_probe_set *set, size_t i);

/* What holds probes in place; closing it removes them. */
struct gn_links;

struct gn_links *gn_links_new(void);

/* Removes every probe. How many are still being removed, by processes that do
 * it for themselves, since the step (may be NULL) said that it is enough. */
size_t gn_links_free(struct gn_links *l, const struct gn_step *step);

/* `into` gets the probes of `from`, which is gone then: those that are removed
 * together are waited for only once. NULL has none. */
void gn_links_join(struct gn_links *into, struct gn_links *from);

/* False when somebody ended a process that held some. */
bool gn_links_hold(const struct gn_links *l);

/*
 * Attaches a set, in which the probes of a function follow one another. A
 * function with a site that the kernel refuses is left out whole (half of one
 * would be calls that never end) and counted in `refused`; <0 when nothing
 * could be attached for another reason. -EINTR: the set's step says that it is
 * enough.
 */
int gn_links_add(struct gn_links *l, enum gn_attach_mode mode,
		 const struct gn_probe_set *set, size_t *refused);

/*
 * Removes the probes of the sets that were added with this key, in the order in
 * which they were added, and waits until none of them runs any more: tens of
 * milliseconds. -ENOENT: there are none.
 */
int gn_links_remove(struct gn_links *l, uint32_t key);

#endif
