/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF programs that are loaded side by side. The kernel verifies a program in
 * the call that loads it, and libbpf makes one such call after the other: that
 * is half of the time that gnomon takes to attach.
 */
#ifndef GNOMON_CAPTURE_LOADS_H
#define GNOMON_CAPTURE_LOADS_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

struct gn_loads;

/* NULL: there is one CPU, no memory, or no thread. */
struct gn_loads *gn_loads_new(void);

/*
 * To be called before libbpf loads a program with `opts`, when its instructions
 * are complete. Takes them over: libbpf then loads an empty program, of the
 * type that takes the kernel the least. 0 or -ENOMEM.
 */
int gn_loads_take(struct gn_loads *l, struct bpf_program *prog,
		  struct bpf_prog_load_opts *opts);

/* Loads what was taken and no thread has begun. `l` may be NULL. */
void gn_loads_help(struct gn_loads *l);

/*
 * Waits for all programs and frees `l`, which may be NULL. Each program's
 * descriptor is that of what was taken then. -errno: the kernel refuses one, or
 * `err`, the result of libbpf's own load, is none of 0. To be called while the
 * object is there.
 */
int gn_loads_end(struct gn_loads *l, int err);

#endif
