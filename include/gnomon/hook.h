/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hooks: what a probe means and where its program finds the function and the
 * frame key. All of it is in the 64-bit BPF cookie of the probe, so a runtime
 * is data (user/runtime) and the BPF programs know none by name.
 */
#ifndef GNOMON_HOOK_H
#define GNOMON_HOOK_H

#include <gnomon/types.h>
#include <gnomon/event.h>

/* Where a value is when the probe hits. Append only. */
enum gn_source {
	GN_SRC_NONE = 0, /* 0 */
	GN_SRC_COOKIE,	 /* function: the index in the cookie */
	GN_SRC_SP,	 /* key: rsp + the cookie's adjustment */
	GN_SRC_DI,	 /* a register */
	GN_SRC_SI,
	GN_SRC_DX,
	GN_SRC_CX,
	GN_SRC_R8,
	GN_SRC_R9,
	GN_SRC_R14,
	GN_SRC_R15,
	/* function: the same, of a probe that is not single-stepped where the
	 * function's other leaves are */
	GN_SRC_COOKIE_EMULATED,
	/* key: the same; a conditional jump, which is meant only when its
	 * condition, the cookie's, holds */
	GN_SRC_SP_IF,
	/* function: this cookie is a group's, see GN_COOKIE_GROUP */
	GN_SRC_GROUP = 15,
};

/*
 * The cookie: func 32 (a whole function id for GN_SRC_COOKIE, else only its
 * runtime bits), adjust 12, kind 8, function source 4, key source 4, condition
 * 4. `adjust` is what must be added to rsp at the probe to get the frame key.
 * A condition is as the processor's conditional jumps have it in their opcode.
 */
#define GN_COOKIE(func, adjust, kind, fsrc, ksrc)                 \
	((__u64)(func) | ((__u64)(adjust)&0xfff) << 32 |          \
	 ((__u64)(kind)&0xff) << 44 | ((__u64)(fsrc)&0xf) << 52 | \
	 ((__u64)(ksrc)&0xf) << 56)
#define GN_COOKIE_IF(condition) ((__u64)(condition) << 60)
#define GN_COOKIE_CONDITION(c)	((__u32)((c) >> 60))
#define GN_COOKIE_FUNC(c)	((__u32)(c))
#define GN_COOKIE_ADJUST(c)	((__u32)((c) >> 32) & 0xfff)
#define GN_COOKIE_KIND(c)	((__u32)((c) >> 44) & 0xff)
#define GN_COOKIE_FSRC(c)	((__u32)((c) >> 52) & 0xf)
#define GN_COOKIE_KSRC(c)	((__u32)((c) >> 56) & 0xf)
#define GN_ADJUST_MAX		0xfff

/*
 * One perf event can have many probes, but has one cookie for all. Then the
 * cookie is a group's number, and that of the probe is in the map `cookies`,
 * by the group and where in its page the probe is. So no two probes of a group
 * are at the same place of their pages.
 */
#define GN_COOKIE_GROUP	 ((__u64)GN_SRC_GROUP << 52)
#define GN_COOKIE_RETURN (1ull << 56) /* with GROUP: of return probes */
#define GN_GROUP_PAGE	 4096
#define GN_GROUPS_MAX	 (1u << 20)
#define GN_GROUP_KEY(group, address) \
	((__u32)(group)*GN_GROUP_PAGE + ((address) & (GN_GROUP_PAGE - 1)))

#endif
