/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hook sites of runtimes. */
#ifndef GNOMON_MANAGED_HOOKS_BPF_H
#define GNOMON_MANAGED_HOOKS_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/fast.h>
#include <gnomon/hook.h>

#include "collect.bpf.h"
#include "emit.bpf.h"
#include "intern.bpf.h"
#include "maps.bpf.h"
#include "names.bpf.h"
#include "operand.bpf.h"
#include "settle.bpf.h"
#include "values.bpf.h"

/* Like collect(), for events about rings. Wakes user space if the thread waits
 * for it. */
static __noinline int ring_told(struct pt_regs *ctx, struct gn_task *t,
				__u32 func, __u64 key)
{
	struct gn_moment m;

	if (!ctx || !t)
		return 0;
	if (GN_FUNC_INDEX(func) == GN_FAST_BELL) {
		wake_user();
		return 0;
	}
	if (GN_FUNC_INDEX(func) == GN_FAST_UNBOUND && !t->claimed)
		return 0;
	if (GN_FUNC_RUNTIME(func) == GN_RUNTIME_NATIVE)
		t->sleds = 1;
	if (begin_event(ctx, t, &m)) {
		if (GN_FUNC_INDEX(func) != GN_FAST_UNBOUND)
			emit_ring(t, &m, func, key, ctx->sp);
		/* native code waits for user space's answer */
		if (GN_FUNC_INDEX(func) == GN_FAST_OFFER ||
		    GN_FUNC_RUNTIME(func) == GN_RUNTIME_NATIVE)
			wake_user();
	}
	end_event(t);
	return 0;
}

/* The runtime names a function: the spec's two texts are the name and the
 * module. */
static __always_inline int name(struct pt_regs *ctx, bool can_share)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct gn_task *t = task_here(self);
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
	u.key = key_of(ctx, c, spec);
	k.tgid = tgid_of(self);
	k.func = func_of(ctx, c, spec);
	if (!send_name(t, now, k.tgid, k.func, &u))
		keep_unsent(&k, &u);
	return 0;
}

/* The hook-site library has been loaded. A negative result: the runtime refused
 * it. */
static __noinline int runtime_began(struct gn_task *t, __u32 func, __u64 result)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct gn_moment m = {.time = bpf_ktime_get_ns()};

	if (t && (__s32)result >= 0 && in_session(m.time))
		emit_thread(t, &m, GN_KIND_RUNTIME, self, func, 0);
	return 0;
}

/* The thread runs the first code of an interpreter. All threads and children
 * that it starts have the same lock. A negative `at` is where threads have
 * their context, from the thread pointer on. */
static __noinline int note_lock(struct gn_task *t, __u32 size, __u64 at)
{
	if (!t)
		return 0;
	t->lock.context = (__s64)at < 0 ? (__s32)at : 0;
	t->lock.at = t->lock.context ? 0 : at;
	t->lock.size = size;
	return 0;
}

/* Emits a record about a function's code. It ends no interval. */
static __noinline int tell_code(struct gn_task *t, __u32 kind, __u32 func,
				__u64 key)
{
	__u64 now = bpf_ktime_get_ns();

	if (!t || !in_session(now))
		return 0;
	ensure_prompt(t);
	emit_code(t, now, kind, func, key, 0);
	return 0;
}

/* The same for the address and size of code. */
static __noinline int tell_place(struct pt_regs *ctx, struct gn_task *t,
				 __u64 cookie, __u32 func)
{
	const struct gn_spec *spec = spec_of(cookie);
	__u64 now = bpf_ktime_get_ns();

	if (!ctx || !t || !spec || !in_session(now))
		return 0;
	ensure_prompt(t);
	emit_code(t, now, GN_KIND_CODE, func, key_of(ctx, cookie, spec),
		  operand(ctx, &spec->value[0]));
	return 0;
}

/* Emits an event that the runtime reports. It ends no interval. */
static __noinline int tell_event(struct pt_regs *ctx, struct gn_task *t,
				 __u64 cookie)
{
	const struct gn_spec *spec = spec_of(cookie);
	__u64 now = bpf_ktime_get_ns();
	struct gn_rec_event e = {};

	if (!t || !spec || !in_session(now))
		return 0;
	ensure_prompt(t);
	e.func = func_of(ctx, cookie, spec);
	e.event = spec->event;
	e.value[0] = operand(ctx, &spec->value[0]);
	e.value[1] = operand(ctx, &spec->value[1]);
	emit_event(t, now, &e);
	if (control.unsent)
		send_unsent(t, e.func);
	return 0;
}

/*
 * Sites of a runtime: the spec says where the function and the frame key are.
 */
static __always_inline int managed(struct pt_regs *ctx, bool can_share)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct gn_task *t = task_here(self);
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
	if (spec->flags & GN_SPEC_VALUED)
		return note_valued(t, func_of(ctx, c, spec),
				   key_of(ctx, c, spec));
	if (spec->flags & GN_SPEC_CLASS)
		return note_class(t, func_of(ctx, c, spec),
				  key_of(ctx, c, spec));
	if (spec->flags & GN_SPEC_LOCK)
		return note_lock(t, GN_FUNC_INDEX(func_of(ctx, c, spec)),
				 key_of(ctx, c, spec));
	if (!spec->kind)
		return 0;
	if (spec->kind == GN_KIND_RUNTIME)
		return runtime_began(t, GN_COOKIE_FUNC(c),
				     key_of(ctx, c, spec));
	if (spec->kind == GN_KIND_EVENT)
		return tell_event(ctx, t, c);
	func = func_of(ctx, c, spec);
	if (spec->kind == GN_KIND_RING)
		return ring_told(ctx, t, func, key_of(ctx, c, spec));
	if (spec->kind == GN_KIND_CODE)
		return tell_place(ctx, t, c, func);
	if (GN_KIND_IS_OF_CODE(spec->kind))
		return tell_code(t, spec->kind, func, key_of(ctx, c, spec));
	if (control.valued && spec->kind == GN_KIND_LEAVE)
		tell_valued(ctx, t, func, true);
	/* a site of the library for sleds is a nop, so it is emulated, whatever
	 * the function's own instructions are */
	if (GN_FUNC_RUNTIME(func) == GN_RUNTIME_NATIVE)
		t->hit |= GN_F_EMULATED;
	collect(ctx, t, spec->kind, func, key_of(ctx, c, spec));
	t->hit &= ~GN_F_EMULATED;
	if (control.valued && spec->kind == GN_KIND_ENTER)
		tell_valued(ctx, t, func, false);
	if (control.unsent)
		send_unsent(t, func);
	return 0;
}

/* Sets the place of a text. Returns the text's length, which goes to its place
 * in gn_texts.lens. */
static __always_inline __u64 take_text(struct pt_regs *ctx,
				       const struct gn_spec *spec,
				       struct gn_texts *n, int i)
{
	n->key.at[i] = operand(ctx, &spec->text[i].at);
	return (operand(ctx, &spec->text[i].len) & 0xffff) << 16 * i;
}

/* Where the runtime reports no lengths: which texts are absent, and what their
 * key depends on. */
static __always_inline void
take_sized(struct pt_regs *ctx, const struct gn_spec *spec, struct gn_texts *n)
{
	__u64 none = operand(ctx, &spec->func);
	int i;

	n->sized = 1;
	n->named = spec->kind == GN_KIND_LEAVE;
	n->key.number = operand(ctx, &spec->value[1]) & 0xffff;
	n->header = spec->header;
	for (i = 0; i < GN_SPEC_TEXTS; i++)
		if (n->key.at[i] == none)
			n->absent |= 1 << i;
	if (!spec->function)
		return;
	n->function = reg(ctx, spec->value[0].reg) + spec->function;
	if (operand(ctx, &spec->value[0]) & spec->unnamed)
		n->absent |= 1;
}

/* Whether the function resumes, and is not called. */
static __always_inline bool goes_on(struct pt_regs *ctx,
				    const struct gn_spec *spec)
{
	return spec->kind == GN_KIND_ENTER && spec->resumes &&
	       operand(ctx, &spec->value[0]) & spec->resumes;
}

/* Emits an EVENT about a function that texts name. */
static __noinline int tell_of_name(struct gn_task *t, __u32 event, __u32 func)
{
	struct gn_rec_event e = {.func = func, .event = event};
	__u64 now = bpf_ktime_get_ns();

	if (!t || !in_session(now))
		return 0;
	ensure_prompt(t);
	emit_event(t, now, &e);
	return 0;
}

/* Sites whose arguments are the texts that name the function. */
static __always_inline int names(struct pt_regs *ctx, bool can_share)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct gn_task *t = task_here(self);
	const struct gn_spec *spec;
	struct gn_texts n = {};
	__u32 index;
	__u64 c;

	/* a NAME takes a sequence number, and the thread may be closed
	 * already */
	if (!t || !in_session(bpf_ktime_get_ns()))
		return 0;
	c = cookie_of(ctx, can_share);
	spec = spec_of(c);
	if (!spec)
		return 0;
	if (spec->flags & GN_SPEC_FORGETS)
		__sync_fetch_and_add(&control.forgotten, 1);
	n.forgotten = control.forgotten;
	n.form = spec->form;
	n.runtime = GN_COOKIE_FUNC(c);
	n.key.process = process_of(self);
	n.lens = take_text(ctx, spec, &n, 0);
	if (spec->ntexts > 1)
		n.lens |= take_text(ctx, spec, &n, 1);
	if (spec->ntexts > 2)
		n.lens |= take_text(ctx, spec, &n, 2);
	if (spec->flags & GN_SPEC_SIZED)
		take_sized(ctx, spec, &n);
	index = interned_index(t, &n);
	if (!index) {
		t->seq++; /* the number of the lost record */
		return 0;
	}
	if (spec->kind == GN_KIND_CODE)
		return tell_place(ctx, t, c, n.runtime | index);
	if (spec->kind == GN_KIND_EVENT)
		return tell_of_name(t, spec->event, n.runtime | index);
	t->hit |= GN_F_NAMED;
	collect(ctx, t, goes_on(ctx, spec) ? GN_KIND_RESUMED : spec->kind,
		n.runtime | index, key_of(ctx, c, spec));
	t->hit &= ~GN_F_NAMED;
	return 0;
}

#endif
