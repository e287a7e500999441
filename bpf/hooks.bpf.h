/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The probe programs at the hook sites of runtimes and of native functions. */
#ifndef GNOMON_HOOKS_BPF_H
#define GNOMON_HOOKS_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include "managed_hooks.bpf.h"
#include "native_hooks.bpf.h"

/* The body is a function of its own, so that nothing is on the program's stack
 * before it holds the CPU and after it lets it go. */
#define GN_PROGRAM(name, body)                                 \
	static __noinline int name##_held(struct pt_regs *ctx) \
	{                                                      \
		return body;                                   \
	}                                                      \
	SEC("uprobe") int name(struct pt_regs *ctx)            \
	{                                                      \
		return GN_HELD(name##_held(ctx));              \
	}

/* Each body exists twice: for a uprobe.multi link (the loader sets the expected
 * attach type) and for a perf event. Kernels support one or both. */
#define GN_PROBE(body)                             \
	GN_PROGRAM(body##_multi, body(ctx, false)) \
	GN_PROGRAM(body##_perf, body(ctx, true))

GN_PROGRAM(native_session, session(ctx))
GN_PROBE(native)
GN_PROBE(managed)
GN_PROBE(name)
GN_PROBE(names)

#endif
