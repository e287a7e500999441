/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the BPF programs attach to, call and read in the kernel, by its BTF.
 * libbpf would look for each in the kernel's whole BTF, which it copies and
 * parses for that; gnomon has it at hand, in kernel_btf.h.
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
 * From now on libbpf asks for the ids here, wherever an object has programs of
 * gnomon's sections: to be called before the object is opened. One at a time in
 * a process. 0 or -errno.
 */
int gn_targets_new(struct gn_targets **out);

/* The object's programs are loaded by these, which are the caller's; NULL: by
 * libbpf. */
void gn_targets_load_by(struct gn_targets *t, struct gn_loads *loads);

/* Finds those of an object's programs. */
void gn_targets_find(struct gn_targets *t, const struct bpf_object *obj,
		     const struct gn_kernel_btf *b);

/* The types of GN_CAST_LIST, each by its id. False: the kernel lacks one, or
 * what casts to them. */
bool gn_targets_casts(const struct gn_targets *t, volatile uint32_t *ids);

/* Whether a program can keep its CPU. */
bool gn_targets_holds(const struct gn_targets *t);

/* Where the preempt_count of a CPU is, from its run queue on; 0: not known. */
int64_t gn_targets_preempt_at(const struct gn_targets *t);

/* Call it after the load. libbpf does not know the sections then: programs are
 * attached by bpf_program__attach_trace() and the like, not by
 * bpf_program__attach(). `t` may be NULL. */
void gn_targets_free(struct gn_targets *t);

#endif
