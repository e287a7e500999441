/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads BPF programs in parallel. The kernel verifies a program in the call
 * that loads it, and libbpf makes one such call after the other: that is half
 * of the time that gnomon takes to attach.
 */
#ifndef GNOMON_CAPTURE_LOADS_H
#define GNOMON_CAPTURE_LOADS_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

struct gn_loads;

/* NULL: there is only one CPU, no memory, or no thread. */
struct gn_loads *gn_loads_new(void);

/*
 * Call before libbpf loads a program with `opts`, when its instructions are
 * complete. Takes the program over: libbpf then loads an empty one, of the type
 * that costs the kernel the least time. 0 or -ENOMEM.
 */
int gn_loads_take(struct gn_loads *l, struct bpf_program *prog,
		  struct bpf_prog_load_opts *opts);

/* After all gn_loads_take(): loads the programs that no thread has begun. `l`
 * may be NULL. */
void gn_loads_help(struct gn_loads *l);

/*
 * Waits for all programs and frees `l`, which may be NULL. The descriptor of
 * each program then leads to the real program instead of the empty one. -errno:
 * the kernel refused one. If `err`, the result of libbpf's own load, is not 0,
 * drops the programs and returns it. Call while the BPF object exists.
 */
int gn_loads_end(struct gn_loads *l, int err);

#endif
