/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon's programs with a clock that loses 2 % from the start of the session:
 * the self-check must find that. */
#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

static __always_inline __u64 right_ns(void)
{
	return bpf_ktime_get_ns();
}

static __always_inline __u64 slow_ns(void);

#define bpf_ktime_get_ns slow_ns
#include "../../../bpf/gnomon.bpf.c"

static __always_inline __u64 slow_ns(void)
{
	__u64 now = right_ns(), start = control.start;

	return start && now > start ? now - (now - start) / 50 : now;
}
