/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records arguments and results of functions, if the spec asks for them. */
#ifndef GNOMON_VALUES_BPF_H
#define GNOMON_VALUES_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/spec.h>

#include "emit.bpf.h"
#include "maps.bpf.h"
#include "operand.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, GN_VALUED_MAX);
	__type(key, __u32);
	__type(value, struct gn_value_specs);
} values SEC(".maps");

/* Set by user space: no function has values to record. The verifier is faster
 * then. */
const volatile bool no_values = false;

/* The runtime makes no longer strings, so a longer one is not a string. */
#define GN_NETSTR_MAX 0x3fffffdf

struct gn_valued_key {
	__u64 process;
	__u32 func;
	__u32 pad;
};

/* Functions of runtimes that have values, with their index in `values`. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 16);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct gn_valued_key);
	__type(value, __u32);
} valued SEC(".maps");

struct gn_class_key {
	__u64 process;
	__u64 table;
};

/* Classes by their method tables, with the ids of their names. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 16);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct gn_class_key);
	__type(value, __u32);
} classes SEC(".maps");

/* Identifies a process. The value changes at exec, too. */
static __always_inline __u64 process_of(struct task_struct *self)
{
	return untrusted(self)->group_leader->start_time ^ self->self_exec_id
								   << 56;
}

static __always_inline void unreadable(struct gn_rec_value *r)
{
	r->h.flags |= GN_F_UNREADABLE;
	count(GN_COUNTER_UNREADABLE);
}

static __always_inline void read_number(struct pt_regs *ctx,
					const struct gn_operand *op,
					struct gn_rec_value *r)
{
	__u64 v = 0;

	if (op->how != GN_HOW_MEMORY)
		v = operand(ctx, op);
	else if (read_memory(ctx, op, &v))
		unreadable(r);
	else
		v = extended(v, op->size);
	r->number = v;
}

/* The size to read at a place: no more than the value has there. */
static __always_inline __s8 size_at(const struct gn_value_spec *v, __u64 place)
{
	__u32 bytes = GN_PLACE_BYTES(place);
	__u32 asked = v->there < 0 ? -v->there : v->there;
	bool is_signed = place & GN_PLACE_SIGNED;

	if (!bytes || bytes >= asked)
		return v->there;
	if (place & GN_PLACE_OPEN)
		is_signed = v->type <= GN_VALUE_I64;
	return is_signed ? -(__s8)bytes : (__s8)bytes;
}

/* Whether a place holds a struct: no number has this size. The size of an OPEN
 * place can reach into the bit above it. */
static __always_inline bool is_struct_at(__u64 place)
{
	__u32 n = GN_PLACE_BYTES(place);

	if (!(place & GN_PLACE_OPEN))
		return GN_PLACE_OWN(place) == GN_VALUE_STRUCT;
	return place & GN_PLACE_SIGNED || !n || n > 8 || n & (n - 1);
}

/* Whether the number can be the address of an object: it is aligned and there
 * is memory. Few 64-bit numbers are such an address by chance. */
static __always_inline bool is_address(__u64 number)
{
	__u64 table;

	return !(number & 7) &&
	       !bpf_probe_read_user(&table, sizeof(table), (void *)number);
}

static __always_inline void read_place(const struct gn_value_spec *v,
				       __u64 place, struct gn_rec_value *r)
{
	__s8 size = size_at(v, place);
	__u64 n = size < 0 ? -size : size;
	__u64 number = 0;

	if (v->own && is_struct_at(place)) {
		r->type = GN_VALUE_STRUCT;
		r->number = 0;
		return;
	}
	if (v->own && !(place & GN_PLACE_OPEN) && GN_PLACE_OWN(place))
		r->type = GN_PLACE_OWN(place);
	/* the size in the function decides which of the two it is */
	if (GN_VALUE_IS_FLOAT(r->type)) {
		n = GN_PLACE_BYTES(place);
		size = n;
		r->type = n == 4 ? GN_VALUE_F32 : GN_VALUE_F64;
	}

	/* Verifiers before 6.2 need the mask: a 32-bit comparison does not give
	 * them the bounds of the 64-bit register. That of 6.2 needs the
	 * comparison to come before the copy that is the argument. */
	n &= 15;
	barrier_var(n);
	if (n > sizeof(number))
		n = sizeof(number);
	barrier_var(n);
	if (bpf_probe_read_user(&number, n, (void *)GN_PLACE_ADDRESS(place)))
		unreadable(r);
	else
		number = extended(number, size);
	r->number = number;
	/* a type parameter: shared code does not say if it is an object */
	if (v->own && place & GN_PLACE_OPEN && n == sizeof(number) &&
	    is_address(number))
		r->type = GN_VALUE_PTR;
}

/* Reads the text that the number points to. For an empty one some kernels
 * return 0, not 1 for its NUL. */
static __always_inline void read_value(struct gn_rec_value *r)
{
	/* a byte more than is recorded, and the NUL, so that a cut is seen */
	long n = bpf_probe_read_user_str(r->text, GN_VALUE_TEXT + 2,
					 (void *)r->number);

	if (n < 0) {
		unreadable(r);
		return;
	}
	if (n > GN_VALUE_TEXT + 1) {
		r->h.flags |= GN_F_CUT;
		n = GN_VALUE_TEXT + 1;
	}
	r->len = n ? n - 1 : 0;
}

/* Reads the .NET string that the number points to: after the method table come
 * its length and its characters. */
static __always_inline void read_netstr(struct gn_rec_value *r)
{
	__u32 n = 0;

	if (bpf_probe_read_user(&n, sizeof(n), (void *)(r->number + 8)) ||
	    n > GN_NETSTR_MAX) {
		unreadable(r);
		return;
	}
	if (n > GN_VALUE_TEXT / 2) {
		r->h.flags |= GN_F_CUT;
		n = GN_VALUE_TEXT / 2;
	}
	n *= 2;
	barrier_var(n);
	if (n > GN_VALUE_TEXT)
		n = GN_VALUE_TEXT;
	if (n && bpf_probe_read_user(r->text, n, (void *)(r->number + 12)))
		unreadable(r);
	else
		r->len = n;
}

/* Reads the class of the object that the number points to. The object begins
 * with its method table; the collector uses the low bits. */
static __always_inline void read_class(struct gn_rec_value *r)
{
	struct gn_class_key k = {};
	__u32 *name;

	if (bpf_probe_read_user(&k.table, sizeof(k.table), (void *)r->number)) {
		unreadable(r);
		return;
	}
	k.table &= ~7ull;
	k.process = process_of(bpf_get_current_task_btf());
	r->number = k.table;
	name = bpf_map_lookup_elem(&classes, &k);
	if (!name)
		return;
	*(__u32 *)r->text = *name;
	r->len = sizeof(*name);
}

static __noinline int emit_value(struct pt_regs *ctx, struct gn_task *t,
				 const struct gn_value_spec *v, __u32 func)
{
	struct gn_rec_value *r;
	__u64 place = 0;

	if (!t || !v)
		return 0;
	if (v->there) {
		place = operand(ctx, &v->at);
		if (!place)
			return 0;
	}
	r = reserve(sizeof(*r));
	t->seq++;
	if (!r) {
		lost();
		return 0;
	}
	__builtin_memset(r->text, 0, sizeof(r->text));
	fill(&r->h, bpf_ktime_get_ns(), t, t->seq, GN_KIND_VALUE, v->flags, 0);
	r->func = func;
	r->which = v->which;
	r->type = v->type;
	r->len = 0;
	r->pad = 0;
	if (v->there)
		read_place(v, place, r);
	else
		read_number(ctx, &v->at, r);
	if (r->type == GN_VALUE_STR && r->number)
		read_value(r);
	else if (r->type == GN_VALUE_NETSTR && r->number)
		read_netstr(r);
	else if (r->type == GN_VALUE_CLASS && r->number)
		read_class(r);
	submit(r);
	return 0;
}

/* Emits the arguments after the function's enter, or the result before its
 * leave. Values of a USDT probe come before its hit. */
static __noinline int tell_values(struct pt_regs *ctx, struct gn_task *t,
				  __u32 i, __u32 func, bool leaves)
{
	const struct gn_value_specs *all;
	int k;

	if (no_values || !t || !in_session(bpf_ktime_get_ns()))
		return 0;
	all = bpf_map_lookup_elem(&values, &i);
	if (!all)
		return 0;
	ensure_prompt(t);
	for (k = 0; k < GN_VALUES_MAX; k++) {
		const struct gn_value_spec *v = &all->value[k];

		if (v->type && leaves == !v->which)
			emit_value(ctx, t, v, func);
	}
	return 0;
}

/* A runtime reports which values its function has. */
static __noinline int note_valued(struct gn_task *t, __u32 func, __u64 which)
{
	struct gn_valued_key k = {.func = func};
	__u32 i = which;

	if (!t)
		return 0;
	k.process = process_of(bpf_get_current_task_btf());
	if (bpf_map_update_elem(&valued, &k, &i, BPF_ANY))
		count(GN_COUNTER_VALUES_FULL);
	control.valued = 1;
	return 0;
}

/* A runtime reports a class's name, or that the class is gone. */
static __noinline int note_class(struct gn_task *t, __u32 func, __u64 table)
{
	struct gn_class_key k = {.table = table};

	if (!t)
		return 0;
	k.process = process_of(bpf_get_current_task_btf());
	if (!GN_FUNC_INDEX(func))
		bpf_map_delete_elem(&classes, &k);
	else if (bpf_map_update_elem(&classes, &k, &func, BPF_ANY))
		count(GN_COUNTER_VALUES_FULL);
	return 0;
}

/* Emits the values of a runtime's function, if it has any. */
static __noinline int tell_valued(struct pt_regs *ctx, struct gn_task *t,
				  __u32 func, bool leaves)
{
	struct gn_valued_key k = {.func = func};
	__u32 *i;

	k.process = process_of(bpf_get_current_task_btf());
	i = bpf_map_lookup_elem(&valued, &k);
	return i ? tell_values(ctx, t, *i, func, leaves) : 0;
}

#endif
