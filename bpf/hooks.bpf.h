/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probe programs: the hook sites of runtimes and of native functions. */
#ifndef GNOMON_HOOKS_BPF_H
#define GNOMON_HOOKS_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/hook.h>

#include "emit.bpf.h"
#include "maps.bpf.h"
#include "settle.bpf.h"

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

/* A value of so many bytes, as 64 bits. */
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

/* In memory that cannot be read is 0. */
static __noinline __u64 in_memory(struct pt_regs *ctx,
				  const struct gn_operand *op)
{
	__u64 v = 0, at;
	__u32 size;

	if (!op)
		return 0;
	size = op->size < 0 ? -op->size : op->size;
	barrier_var(size);
	if (size > sizeof(v))
		size = sizeof(v);
	at = reg(ctx, op->reg) + op->value;
	if (op->index != GN_REG_NONE)
		at += reg(ctx, op->index) << (op->scale & 3);
	bpf_probe_read_user(&v, size, (void *)at);
	return v;
}

static __always_inline __u64 operand(struct pt_regs *ctx,
				     const struct gn_operand *op)
{
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

static __always_inline const struct gn_spec *spec_of(__u64 cookie)
{
	__u32 i = GN_COOKIE_SPEC(cookie);

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

struct gn_range {
	__u64 lo;
	__u64 hi;
};

static long take_range(struct task_struct *p, struct vm_area_struct *vma,
		       void *data)
{
	struct gn_range *range = data;

	range->lo = vma->vm_start;
	range->hi = vma->vm_end;
	return 0;
}

/*
 * Which stack the thread is on: the mapping of its stack pointer. A mapping
 * with the same end is the same stack, grown. -1: not known, where the thread
 * was on another one.
 */
static __noinline int find_stack(struct gn_task *t, __u64 sp, __u64 time)
{
	struct gn_range range = {};

	if (!t)
		return 0;
	if (bpf_find_vma(bpf_get_current_task_btf(), sp, take_range, &range,
			 0) ||
	    !range.hi) {
		count(GN_COUNTER_STACK_BUSY);
		return t->stack_hi ? -1 : 0;
	}
	t->stack_lo = range.lo;
	if (t->stack_hi == range.hi)
		return 0;
	t->stack_hi = range.hi;
	emit_stack(t, time);
	return 0;
}

static __always_inline void note_stack(struct gn_task *t, __u64 sp,
				       struct gn_moment *m)
{
	if ((sp < t->stack_lo || sp >= t->stack_hi) &&
	    find_stack(t, sp, m->time))
		m->flags |= GN_F_IN_DOUBT;
}

static __always_inline void collect(struct pt_regs *ctx, struct gn_task *t,
				    enum gn_kind kind, __u32 func, __u64 key)
{
	struct gn_moment m;

	if (!t->prompt)
		be_prompt(t);
	ensure_on(bpf_get_current_task_btf(), t);
	t->in_probe = 1;
	barrier();
	m = moment(t);
	if (in_session(m.time)) {
		note_stack(t, ctx->sp, &m);
		emit_func(t, &m, kind, func, key);
	}
	barrier();
	t->in_probe = 0;
}

/* Does a conditional jump with these flags jump? */
static __always_inline bool holds(__u64 flags, __u32 condition)
{
	bool carry = flags & 0x1, parity = flags & 0x4, zero = flags & 0x40;
	bool sign = flags & 0x80, overflow = flags & 0x800, yes;

	switch (condition >> 1) {
	case 0:
		yes = overflow;
		break;
	case 1:
		yes = carry;
		break;
	case 2:
		yes = zero;
		break;
	case 3:
		yes = carry || zero;
		break;
	case 4:
		yes = sign;
		break;
	case 5:
		yes = parity;
		break;
	case 6:
		yes = sign != overflow;
		break;
	default:
		yes = zero || sign != overflow;
		break;
	}
	return yes != (condition & 1);
}

/* The function whose return probe this is: the kernel hands it to its own
 * handlers by a pointer that the task has. */
static __always_inline __u64 returned_from(void)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct uprobe_dispatch_data *data;

	if (!bpf_core_type_exists(struct uprobe_dispatch_data))
		return 0; /* user space has seen that too */
	data = (void *)BPF_CORE_READ(self, utask, vaddr);
	return BPF_CORE_READ(data, bp_addr);
}

/* The probe's own cookie where it shares a perf event with others. */
static __noinline __u64 own_cookie(struct pt_regs *ctx, __u64 shared)
{
	__u64 at = shared & GN_COOKIE_RETURN ? returned_from() : ctx->ip;
	__u32 key = GN_GROUP_KEY(shared, at);
	__u64 *cookie = bpf_map_lookup_elem(&cookies, &key);

	return cookie ? *cookie : 0;
}

static __always_inline __u64 cookie_of(struct pt_regs *ctx, bool can_share)
{
	__u64 c = bpf_get_attach_cookie(ctx);

	return can_share && c & GN_COOKIE_GROUP ? own_cookie(ctx, c) : c;
}

/* Native sites: the function is in the cookie, the key by the stack pointer. */
static __always_inline int native(struct pt_regs *ctx, bool can_share)
{
	struct gn_task *t = task_of(bpf_get_current_task_btf());
	const struct gn_spec *spec;
	__u64 c;

	if (!t)
		return 0;
	c = cookie_of(ctx, can_share);
	spec = spec_of(c);
	if (!spec)
		return 0;
	if (c & GN_COOKIE_JUMP && !holds(ctx->flags, GN_COOKIE_CONDITION(c))) {
		/* its cost is told with the next record */
		if (GN_F_SILENT(t->hit) < GN_F_SILENT(~0))
			t->hit += GN_F_SILENT_ONE;
		return 0;
	}
	if (c & GN_COOKIE_EMULATED)
		t->hit |= GN_F_EMULATED;
	collect(ctx, t, spec->kind, GN_COOKIE_FUNC(c),
		ctx->sp + GN_COOKIE_ADJUST(c));
	t->hit &= ~GN_F_EMULATED;
	return 0;
}

/*
 * Enter and leave by one link. At the enter the instruction pointer is the
 * site itself; at the return it is the return address. So the two are told
 * apart without bpf_session_is_return(), whose prototype changed in 7.0.
 */
static __always_inline int session(struct pt_regs *ctx)
{
	struct gn_task *t = task_of(bpf_get_current_task_btf());
	__u64 c;

	if (!t)
		return 1; /* not traced: no return probe either */
	c = bpf_get_attach_cookie(ctx);
	if (ctx->ip == bpf_get_func_ip(ctx))
		collect(ctx, t, GN_KIND_ENTER, GN_COOKIE_FUNC(c),
			ctx->sp + GN_COOKIE_ADJUST(c));
	else
		collect(ctx, t, GN_KIND_LEAVE, GN_COOKIE_FUNC(c), ctx->sp);
	return 0;
}

#define GN_NAME_REC \
	(sizeof(struct gn_rec_text) + GN_SENT_NAME_MAX + GN_SENT_MODULE_MAX)

/* -EAGAIN: no room. The text is read where it is; user space packs it. */
static __always_inline int send_name(struct gn_task *t, __u64 time, __u32 tgid,
				     __u32 func, const struct gn_unsent *u)
{
	__u32 len = u->name_len, mod = u->module_len;
	struct gn_rec_text *r;

	/* what is tested must be what is used: the verifier knows registers */
	barrier_var(len);
	barrier_var(mod);
	if (len > GN_SENT_NAME_MAX)
		len = GN_SENT_NAME_MAX;
	if (mod > GN_SENT_MODULE_MAX)
		mod = GN_SENT_MODULE_MAX;
	r = bpf_ringbuf_reserve(&ring, GN_NAME_REC, 0);
	if (!r)
		return -11;
	t->seq++;
	fill(&r->h, time, t, t->seq, GN_KIND_NAME, 0, 0);
	r->size = GN_NAME_REC;
	r->id = func;
	r->ref = tgid;
	r->len[0] = len;
	r->len[1] = mod;
	if (bpf_probe_read_user(r->text, len, (void *)u->name) ||
	    bpf_probe_read_user(r->text + GN_SENT_NAME_MAX, mod,
				(void *)u->module)) {
		r->len[0] = 0;
		r->len[1] = 0;
		count(GN_COUNTER_BAD_READ);
	}
	submit(r);
	return 0;
}

/* Until the function is called next, or its process ends (life.bpf.h). */
static __always_inline void keep_unsent(const struct gn_unsent_key *k,
					const struct gn_unsent *u)
{
	__sync_fetch_and_add(&control.unsent, 1);
	if (!bpf_map_update_elem(&unsent, k, u, BPF_NOEXIST))
		return;
	__sync_fetch_and_sub(&control.unsent, 1);
	/* this one is lost, or the one before it that the id had */
	count(GN_COUNTER_RING_FULL);
	bpf_map_update_elem(&unsent, k, u, BPF_EXIST);
}

/* A function of a runtime got its name: the spec's texts are its name and its
 * module. */
static __always_inline int name(struct pt_regs *ctx, bool can_share)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct gn_task *t = task_of(self);
	__u64 now = bpf_ktime_get_ns();
	struct gn_unsent_key k = {};
	const struct gn_spec *spec;
	struct gn_unsent u = {};
	__u64 c;

	if (!t || !in_session(now))
		return 0;
	c = cookie_of(ctx, can_share);
	spec = spec_of(c);
	if (!spec)
		return 0;
	u.name = operand(ctx, &spec->text[0].at);
	u.name_len = operand(ctx, &spec->text[0].len);
	u.module = operand(ctx, &spec->text[1].at);
	u.module_len = operand(ctx, &spec->text[1].len);
	k.tgid = tgid_of(self);
	k.func = func_of(ctx, c, spec);
	if (!send_name(t, now, k.tgid, k.func, &u))
		return 0;
	keep_unsent(&k, &u);
	return 0;
}

/* Tries again with a name that had no room. */
static __noinline int send_unsent(struct gn_task *t, __u32 func)
{
	struct gn_unsent_key k;
	struct gn_unsent *u, copy;

	if (!t)
		return 0;
	k.tgid = tgid_of(bpf_get_current_task_btf());
	k.func = func;
	u = bpf_map_lookup_elem(&unsent, &k);
	if (!u)
		return 0;
	copy = *u;
	if (send_name(t, bpf_ktime_get_ns(), k.tgid, func, &copy))
		return 0;
	if (!bpf_map_delete_elem(&unsent, &k))
		__sync_fetch_and_sub(&control.unsent, 1);
	return 0;
}

/* The library is there. Below 0: the runtime did not take it. */
static __noinline int runtime_began(struct gn_task *t, __u32 func, __u64 result)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct gn_moment m = {.time = bpf_ktime_get_ns()};

	if (t && (__s32)result >= 0 && in_session(m.time))
		emit_thread(t, &m, GN_KIND_RUNTIME, self, func, 0);
	return 0;
}

/* Something is told of a function's code: no interval ends. */
static __noinline int tell_code(struct gn_task *t, __u32 kind, __u32 func,
				__u64 key)
{
	__u64 now = bpf_ktime_get_ns();

	if (!t || !in_session(now))
		return 0;
	if (!t->prompt)
		be_prompt(t);
	emit_code(t, now, kind, func, key);
	return 0;
}

/* Sites of a runtime: function and key where the spec says. */
static __always_inline int managed(struct pt_regs *ctx, bool can_share)
{
	struct gn_task *t = task_of(bpf_get_current_task_btf());
	const struct gn_spec *spec;
	__u32 func;
	__u64 c;

	if (!t)
		return 0;
	c = cookie_of(ctx, can_share);
	spec = spec_of(c);
	if (!spec)
		return 0;
	if (spec->flags & GN_SPEC_FORGETS)
		__sync_fetch_and_add(&control.forgotten, 1);
	if (!spec->kind)
		return 0;
	if (spec->kind == GN_KIND_RUNTIME)
		return runtime_began(t, GN_COOKIE_FUNC(c),
				     key_of(ctx, c, spec));
	func = func_of(ctx, c, spec);
	if (GN_KIND_IS_OF_CODE(spec->kind))
		return tell_code(t, spec->kind, func, key_of(ctx, c, spec));
	collect(ctx, t, spec->kind, func, key_of(ctx, c, spec));
	if (control.unsent)
		send_unsent(t, func);
	return 0;
}

/*
 * Names that come with each hit. A function is known by where its texts are;
 * that they are still the same is sure until the runtime gives memory of names
 * back. Then the texts are read again, and compared by their lengths and a hash
 * of their first bytes.
 */
#define GN_HASHED 256 /* bytes of each text */

struct gn_texts {
	struct gn_texts_key key;
	__u64 lens;
	__u32 forgotten;
	__u32 runtime; /* bits of the function's id */
	__u32 form;
	__u32 pad;
};

static __always_inline __u64 mix(__u64 h, __u64 word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15;
	return h ^ h >> 29;
}

static __always_inline __u64 read_text(char *to, __u64 at, __u32 len, __u64 h)
{
	__u64 *word = (__u64 *)to;
	int i;

	for (i = 0; i < GN_HASHED / 8; i++)
		word[i] = 0;
	if (len && bpf_probe_read_user(to, len, (void *)at))
		count(GN_COUNTER_BAD_READ);
	for (i = 0; i < GN_HASHED / 8; i++)
		h = mix(h, word[i]);
	return h;
}

static __always_inline __u32 part_len(__u64 lens, int i)
{
	__u32 len = lens >> 16 * i & 0xffff;

	/* what is tested must be what is used: the verifier knows registers */
	barrier_var(len);
	return len > GN_SENT_PART_MAX ? GN_SENT_PART_MAX : len;
}

/* Fills a NAME with the texts; the hash of them. */
static __always_inline __u64 read_texts(struct gn_rec_text *r,
					const struct gn_texts *n)
{
	__u64 h = n->lens;

	h = read_text(r->text, n->key.at[0], part_len(n->lens, 0), h);
	h = read_text(r->text + GN_SENT_PART_MAX, n->key.at[1],
		      part_len(n->lens, 1), h);
	return read_text(r->text + 2 * GN_SENT_PART_MAX, n->key.at[2],
			 part_len(n->lens, 2), h);
}

/* The index of texts that were not seen before, or are others: 0 = there is no
 * room. The NAME has its place in the ring before anybody can use the index. */
static __always_inline __u32 intern(struct gn_texts *n, __u64 hash)
{
	struct gn_interned *had, new = {
					 .forgotten = n->forgotten,
					 .lens = n->lens,
					 .hash = hash,
				 };

	had = bpf_map_lookup_elem(&interned, &n->key);
	new.index = __sync_fetch_and_add(&control.interned, 1) + 1;
	if (new.index > GN_FUNC_INDEX(~0u) ||
	    bpf_map_update_elem(&interned, &n->key, &new,
				had ? BPF_EXIST : BPF_NOEXIST))
		return 0;
	return new.index;
}

static __noinline __u32 read_name(struct gn_task *t, struct gn_texts *n)
{
	struct gn_interned *had;
	struct gn_rec_text *r;
	__u32 index;
	__u64 hash;

	if (!t || !n)
		return 0;
	r = bpf_ringbuf_reserve(&ring, GN_NAME_REC, 0);
	if (!r) {
		lost();
		return 0;
	}
	hash = read_texts(r, n);
	had = bpf_map_lookup_elem(&interned, &n->key);
	if (had && had->lens == n->lens && had->hash == hash) {
		had->forgotten = n->forgotten;
		bpf_ringbuf_discard(r, GN_RING_FLAGS);
		return had->index;
	}
	index = intern(n, hash);
	if (!index) {
		/* another thread was first, or there is no room */
		bpf_ringbuf_discard(r, GN_RING_FLAGS);
		had = bpf_map_lookup_elem(&interned, &n->key);
		if (had && had->lens == n->lens && had->hash == hash)
			return had->index;
		count(GN_COUNTER_NAMES_FULL);
		return 0;
	}
	t->seq++;
	fill(&r->h, bpf_ktime_get_ns(), t, t->seq, GN_KIND_NAME, GN_F_PARTS,
	     n->lens);
	r->size = GN_NAME_REC;
	r->id = n->runtime | index;
	r->ref = tgid_of(bpf_get_current_task_btf());
	r->len[0] = n->form;
	r->len[1] = 0;
	submit(r);
	return index;
}

/* The index of the function that the texts name. */
static __always_inline __u32 interned_index(struct gn_task *t,
					    struct gn_texts *n)
{
	struct gn_interned *had = bpf_map_lookup_elem(&interned, &n->key);

	if (had && had->forgotten == n->forgotten && had->lens == n->lens)
		return had->index;
	return read_name(t, n);
}

static __always_inline __u64 process_of(struct task_struct *self)
{
	return self->group_leader->start_time ^ self->self_exec_id << 56;
}

static __always_inline __u64 text_len(struct pt_regs *ctx,
				      const struct gn_operand *op)
{
	return operand(ctx, op) & 0xffff;
}

/* Sites that tell the texts that name their function. */
static __always_inline int names(struct pt_regs *ctx, bool can_share)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct gn_task *t = task_of(self);
	const struct gn_spec *spec;
	struct gn_texts n = {};
	__u32 index;
	__u64 c;

	if (!t)
		return 0;
	c = cookie_of(ctx, can_share);
	spec = spec_of(c);
	if (!spec)
		return 0;
	n.forgotten = control.forgotten;
	n.form = spec->form;
	n.runtime = GN_COOKIE_FUNC(c);
	n.key.process = process_of(self);
	n.key.at[0] = operand(ctx, &spec->text[0].at);
	n.lens = text_len(ctx, &spec->text[0].len);
	if (spec->ntexts > 1) {
		n.key.at[1] = operand(ctx, &spec->text[1].at);
		n.lens |= text_len(ctx, &spec->text[1].len) << 16;
	}
	if (spec->ntexts > 2) {
		n.key.at[2] = operand(ctx, &spec->text[2].at);
		n.lens |= text_len(ctx, &spec->text[2].len) << 32;
	}
	index = interned_index(t, &n);
	if (!index) {
		t->seq++; /* the record that there is none of */
		return 0;
	}
	t->hit |= GN_F_NAMED;
	collect(ctx, t, spec->kind, n.runtime | index, key_of(ctx, c, spec));
	t->hit &= ~GN_F_NAMED;
	return 0;
}

/*
 * Each body as the program types that kernels have: by uprobe.multi link (its
 * expected attach type is set by the loader) and by perf event.
 */
SEC("uprobe")
int native_session(struct pt_regs *ctx)
{
	return session(ctx);
}

#define GN_PROBE(body)                                      \
	SEC("uprobe") int body##_multi(struct pt_regs *ctx) \
	{                                                   \
		return body(ctx, false);                    \
	}                                                   \
	SEC("uprobe") int body##_perf(struct pt_regs *ctx)  \
	{                                                   \
		return body(ctx, true);                     \
	}

GN_PROBE(native)
GN_PROBE(managed)
GN_PROBE(name)
GN_PROBE(names)

#endif
