/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the operands that a probe's spec names, in the traced process. */
#ifndef GNOMON_OPERAND_BPF_H
#define GNOMON_OPERAND_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include <gnomon/hook.h>
#include <gnomon/spec.h>

#include "maps.bpf.h"

/*
 * Each register is read by a load of its own: the verifier refuses a context
 * pointer that the compiler has added a chosen offset to.
 */
#ifdef __bpf__
#define GN_LOAD(v, ctx, reg)                  \
	asm volatile("%0 = *(u64 *)(%1 + %2)" \
		     : "=r"(v)                \
		     : "r"(ctx), "i"(__builtin_offsetof(struct pt_regs, reg)))
#else
#define GN_LOAD(v, ctx, reg) ((v) = (ctx)->reg)
#endif
#define GN_REG_READ(name, value, field) \
	case value:                     \
		GN_LOAD(v, ctx, field); \
		return v;

static __always_inline __u64 reg(struct pt_regs *ctx, __u32 which)
{
	__u64 v;

	switch (which) {
		GN_REG_LIST(GN_REG_READ)
	default:
		return 0;
	}
}

/* Extends a value of `size` bytes to 64 bits. */
static __always_inline __u64 extended(__u64 v, __s8 size)
{
	switch (size) {
	case 1:
		return (__u8)v;
	case -1:
		return (__s64)(__s8)v;
	case 2:
		return (__u16)v;
	case -2:
		return (__s64)(__s16)v;
	case 4:
		return (__u32)v;
	case -4:
		return (__s64)(__s32)v;
	default:
		return v;
	}
}

/* Returns an error and sets *v to 0 if the memory cannot be read. */
static __always_inline int read_memory(struct pt_regs *ctx,
				       const struct gn_operand *op, __u64 *v)
{
	__u32 size;
	__u64 at;

	*v = 0;
	size = op->size < 0 ? -op->size : op->size;
	barrier_var(size);
	if (size > sizeof(*v))
		size = sizeof(*v);
	at = reg(ctx, op->reg) + op->value;
	if (op->index != GN_REG_NONE)
		at += reg(ctx, op->index) << (op->scale & 3);
	return bpf_probe_read_user(v, size, (void *)at);
}

static __always_inline __u64 in_memory(struct pt_regs *ctx,
				       const struct gn_operand *op)
{
	__u64 v = 0;

	read_memory(ctx, op, &v);
	return v;
}

/* Not static: the verifier checks it once, and not at each of its calls. */
__noinline __u64 operand(struct pt_regs *ctx, const struct gn_operand *op)
{
	if (!op)
		return 0;
	switch (op->how) {
	case GN_HOW_REGISTER:
		return extended(reg(ctx, op->reg), op->size);
	case GN_HOW_MEMORY:
		return extended(in_memory(ctx, op), op->size);
	case GN_HOW_CONSTANT:
		return op->value;
	default:
		return 0;
	}
}

/* NULL: the cookie has none. */
static __always_inline const struct gn_spec *spec_of(__u64 cookie)
{
	__u32 i = GN_SPEC_OF(GN_COOKIE_SPEC(cookie));

	if (i == GN_SPEC_NONE)
		return NULL;
	return bpf_map_lookup_elem(&specs, &i);
}

static __always_inline __u64 key_of(struct pt_regs *ctx, __u64 cookie,
				    const struct gn_spec *spec)
{
	return spec->key.how == GN_HOW_COOKIE
		       ? ctx->sp + GN_COOKIE_ADJUST(cookie)
		       : operand(ctx, &spec->key);
}

static __always_inline __u32 func_of(struct pt_regs *ctx, __u64 cookie,
				     const struct gn_spec *spec)
{
	return GN_COOKIE_FUNC(cookie) |
	       GN_FUNC_INDEX((__u32)operand(ctx, &spec->func));
}

#endif
