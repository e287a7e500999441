/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds in the kernel's BTF what the BPF programs attach to, call and read.
 * libbpf would copy and parse the whole BTF for that; gnomon has it at hand, in
 * kernel_btf.h.
 */
#ifndef GNOMON_CAPTURE_TARGETS_H
#define GNOMON_CAPTURE_TARGETS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/kernel_btf.h"

struct bpf_object;
struct gn_loads;
struct gn_targets;

/*
 * From now on libbpf asks for the ids here, for every object with programs in
 * gnomon's sections. Call it before the object is opened, and only once at a
 * time in a process. 0 or -errno.
 */
int gn_targets_new(struct gn_targets **out);

/* The programs are loaded by `loads`, which stays the caller's; NULL: by
 * libbpf. */
void gn_targets_load_by(struct gn_targets *t, struct gn_loads *loads);

/* Finds the ids for an object's programs. */
void gn_targets_find(struct gn_targets *t, const struct bpf_object *obj,
		     const struct gn_kernel_btf *b);

/* Sets the ids of the types of GN_CAST_LIST. False: the kernel lacks one of
 * them, or the function that casts. */
bool gn_targets_casts(const struct gn_targets *t, volatile uint32_t *ids);

/* Whether a program can keep its CPU. */
bool gn_targets_holds(const struct gn_targets *t);

/* The offset of a CPU's preempt_count from its run queue; 0: not known. */
int64_t gn_targets_preempt_at(const struct gn_targets *t);

/* Call it after the load. libbpf does not know the sections then: programs are
 * attached by bpf_program__attach_trace() and the like, not by
 * bpf_program__attach(). `t` may be NULL. */
void gn_targets_free(struct gn_targets *t);

#endif
