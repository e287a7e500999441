/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The 64-bit BPF cookie of a probe: its spec (spec.h), and what differs between
 * the probes of native functions.
 */
#ifndef GNOMON_HOOK_H
#define GNOMON_HOOK_H

#include <gnomon/types.h>
#include <gnomon/event.h>
#include <gnomon/spec.h>

/*
 * The cookie: func 32 (a whole function id where the spec says COOKIE, else
 * only its runtime bits), adjust 12, spec 12, flags 4, condition 4. `adjust` is
 * what must be added to rsp at the probe to get the frame key. A condition is
 * encoded as in the opcodes of conditional jumps.
 */
#define GN_COOKIE(func, adjust, spec)                    \
	((__u64)(func) | ((__u64)(adjust)&0xfff) << 32 | \
	 ((__u64)(spec)&0xfff) << 44)
/* the probe is not single-stepped although the function's other leaves are */
#define GN_COOKIE_EMULATED (1ull << 56)
/* a conditional jump: the event happens only when the condition holds */
#define GN_COOKIE_JUMP (1ull << 57)
#define GN_COOKIE_IF(condition) \
	(GN_COOKIE_JUMP | (__u64)((condition)&0xf) << 60)
#define GN_COOKIE_CONDITION(c) ((__u32)((c) >> 60))
#define GN_COOKIE_FUNC(c)      ((__u32)(c))
#define GN_COOKIE_ADJUST(c)    ((__u32)((c) >> 32) & 0xfff)
#define GN_COOKIE_SPEC(c)      ((__u32)((c) >> 44) & 0xfff)
#define GN_ADJUST_MAX	       0xfff
/*
 * Specs without an entry in the table: a native spec, and the distance in bytes
 * from the probe to the sled that reports the same event. If there is a jump at
 * the sled, the sled reports it and the probe does not.
 */
#define GN_SPEC_BESIDE(spec, bytes) \
	((__u32)(spec)*GN_SPECS_MAX | ((__u32)(bytes) & (GN_SPECS_MAX - 1)))
#define GN_SPEC_OF(spec) \
	((spec) < GN_SPECS_MAX ? (spec) : (spec) / GN_SPECS_MAX)
/* The distance in bytes; 0: there is no such sled. */
#define GN_SPEC_SLED(spec)                                                \
	((spec) < GN_SPECS_MAX                                            \
		 ? 0                                                      \
		 : (__s32)(((spec) & (GN_SPECS_MAX - 1)) ^ GN_SLED_FAR) - \
			   GN_SLED_FAR)
#define GN_SLED_FAR (GN_SPECS_MAX / 2) /* limit of the distance, either way */

/*
 * One perf event can have many probes, but it has one cookie for all of them.
 * Then the cookie is a group's number, and the probe's own cookie is in the map
 * `cookies`, by the group and the probe's offset in its page. So no two probes
 * of a group have the same offset in their pages.
 */
#define GN_COOKIE_GROUP	 (1ull << 58)
#define GN_COOKIE_RETURN (1ull << 59) /* with GROUP: of return probes */
/* Without GROUP: the kernel needs a page in the process for this probe, to step
 * one instruction there or to return to it. */
#define GN_COOKIE_PAGE (1ull << 59)
#define GN_GROUP_PAGE  4096
#define GN_GROUPS_MAX  (1u << 20)
#define GN_GROUP_KEY(group, address) \
	((__u32)(group)*GN_GROUP_PAGE + ((address) & (GN_GROUP_PAGE - 1)))

#endif
