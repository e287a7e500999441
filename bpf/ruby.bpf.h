/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads which Ruby methods the current thread runs. Its control frames are at
 * the end of the memory that it has for its stack, the innermost first, so a
 * walk always ends.
 */
#ifndef GNOMON_RUBY_BPF_H
#define GNOMON_RUBY_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/interpreter.h>

#include "local.bpf.h"
#include "rbtext.bpf.h"
#include "walk.bpf.h"

/* What begins a context of execution. */
struct gn_ruby_context {
	__u64 stack;
	__u64 words;
	__u64 frame;
};

/* What begins a control frame. */
struct gn_ruby_frame {
	__u64 pc;
	__u64 sp;
	__u64 code;
	__u64 self;
	__u64 scope;
};

/* What a frame's scope is: the words up to the address in the frame. */
struct gn_ruby_scope {
	__u64 method; /* or another object, or 0 */
	__u64 outer;  /* the scope around that of a block, with two flags */
	__u64 flags;
};

#define GN_RUBY_IN_C(flags)    ((flags)&0x80)
#define GN_RUBY_IS_C(flags)    (((flags)&0x7fff0001) == 0x55550001)
#define GN_RUBY_DEFINED(flags) ((flags)&0x40) /* by define_method */
#define GN_RUBY_LOCAL(flags)   ((flags)&0x02)

/* The most blocks around a block that are looked at. */
#define GN_RUBY_SCOPES 16

struct gn_ruby_method {
	__u64 flags;
	__u64 class;
	__u64 definition;
	__u64 called;
	__u64 owner;
};

/* Kinds of the interpreter's own objects. */
#define GN_RUBY_OWN(flags)  (((flags)&0x1f) == 0x1a ? (flags) >> 12 & 15 : ~0u)
#define GN_RUBY_OWN_SPECIAL 2 /* has a scope's special variables */
#define GN_RUBY_OWN_METHOD  6
#define GN_RUBY_OWN_CODE    7

/* Where code comes from. */
struct gn_ruby_location {
	__u64 path;
	__u64 base; /* the label of the method */
	__u64 label;
	__u64 line;
};

#define GN_RUBY_BODY 16 /* in code */

/* The context of the thread whose thread pointer this is; else enum
 * gn_walk_no. */
static __always_inline __u64 ruby_context(const struct gn_interpreter *rb,
					  __u64 thread)
{
	__u64 context;
	enum local_no no = local_word(
		&context, thread, rb->addr[GN_RUBY_MODULE], rb->ruby.context);

	if (no == LOCAL_UNREAD)
		return GN_WALK_UNREAD;
	if (no == LOCAL_NONE)
		return GN_WALK_OUTSIDE;
	return context ?: GN_WALK_OUTSIDE;
}

/* Finds the method that a scope belongs to, if any, and its class. Not static:
 * see emit_slices(). Returns an enum gn_walk_no. */
__noinline __u32 ruby_method(struct gn_walk *w, __u64 scope)
{
	struct gn_ruby_scope s;
	struct gn_ruby_method m;
	int i;

	if (!w)
		return GN_WALK_STRANGE;
	w->method = w->key.owner = 0;
	for (i = 0; i < GN_RUBY_SCOPES; i++) {
		if (!user_read(&s, sizeof(s), scope - 16))
			return GN_WALK_UNREAD;
		if (s.method && !user_read(&m, sizeof(m), s.method))
			return GN_WALK_UNREAD;
		if (s.method && GN_RUBY_OWN(m.flags) == GN_RUBY_OWN_SPECIAL &&
		    m.class && !user_read(&m, sizeof(m), m.class))
			return GN_WALK_UNREAD;
		if (s.method && GN_RUBY_OWN(m.flags) == GN_RUBY_OWN_METHOD) {
			w->method = m.definition;
			w->key.owner = m.owner;
			return 0;
		}
		if (GN_RUBY_LOCAL(s.flags))
			return 0;
		scope = s.outer & ~3ull;
	}
	return 0;
}

/* The name of the walk's method goes into the record; without a method, or the
 * table of symbols, the label of its code does. */
static __always_inline bool ruby_names(struct gn_walk *w,
				       struct gn_rec_interpreted *r)
{
	__u64 name = w->method ? ruby_symbol(w, w->key.name) : 0;

	r->lead_bytes = 0;
	if (name && w->label[0])
		ruby_lead(w, r);
	if (!name)
		r->owns = GN_OWNER_NONE;
	return ruby_text(w, &r->name, name ?: w->label[0]);
}

/* Methods in C are in no file. */
static __always_inline bool ruby_file(struct gn_walk *w,
				      struct gn_rec_interpreted *r)
{
	__u64 first;

	if (!w->key.file) {
		r->file.text[0] = 'C';
		r->file.bytes = 1;
		r->file.width = GN_INTERPRETED_UTF8;
		return true;
	}
	if (ruby_text(w, &r->file, w->key.file))
		return true;
	first = ruby_item(w->key.file, 0);
	return first && ruby_text(w, &r->file, first);
}

/* Sends the name of the walk's method. 0: it is lost. Not static: see
 * emit_slices(). */
__noinline __u32 ruby_name(struct gn_walk *w)
{
	struct gn_rec_interpreted *r;
	__u32 index = 0;
	__u64 class;

	if (!w)
		return 0;
	r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);
	if (!r)
		return 0;
	w->owns = GN_OWNER_NONE;
	class = w->method ? ruby_class(w) : 0;
	r->owns = w->owns;
	ruby_path(w, &r->owner, class);
	if (ruby_names(w, r) && ruby_file(w, r))
		index = walk_index(w, true);
	walk_send(w, r, index);
	return index;
}

/* Adds the walk's method, which its key has. */
static __always_inline void ruby_add(struct gn_walk *w)
{
	__u32 index = walk_known(w) ?: ruby_name(w);

	if (!index)
		walk_count(w, GN_INTERPRETED_NAMES);
	walk_add(w, index);
}

/* Fills in the key of Ruby code, without its owner. */
static __always_inline __u32 ruby_code(struct gn_walk *w, __u64 code,
				       __u32 defined)
{
	struct gn_ruby_location at;
	__u64 body, flags;

	if (!user_word(&flags, code) ||
	    !user_word(&body, code + GN_RUBY_BODY) ||
	    !user_read(&at, sizeof(at), body + w->its.ruby.location))
		return GN_WALK_UNREAD;
	if (GN_RUBY_OWN(flags) != GN_RUBY_OWN_CODE)
		return GN_WALK_STRANGE;
	w->key.code = code;
	w->key.file = at.path;
	w->key.line = (__u32)at.line >> (w->its.ruby.line_shift & 1);
	w->label[0] = at.label;
	w->label[1] = defined ? at.label : at.base;
	return 0;
}

/* Takes a frame and goes to its caller. Not static: see emit_slices(). Returns
 * 0 if there is no further one. */
__noinline int ruby_step(struct gn_walk *w)
{
	struct gn_ruby_frame f;
	__u64 flags;
	bool in_c;

	if (!w || w->frame >= w->end)
		return 0;
	w->no = GN_WALK_UNREAD;
	if (!user_read(&f, sizeof(f), w->frame) || !user_word(&flags, f.scope))
		return 0;
	w->no = 0;
	w->frame += w->its.ruby.frame;
	in_c = GN_RUBY_IN_C(flags);
	if (in_c ? !GN_RUBY_IS_C(flags) : !f.pc)
		return 1;
	if (walk_full(w))
		return 0;
	w->no = ruby_method(w, f.scope);
	if (w->no)
		return 0;
	w->key.code = w->method;
	w->key.file = w->key.line = w->label[0] = w->label[1] = 0;
	if (!in_c)
		w->no = ruby_code(w, f.code, GN_RUBY_DEFINED(flags));
	w->key.name = w->label[0];
	if (!w->no && w->method &&
	    !user_word(&w->key.name, w->method + w->its.ruby.original_id))
		w->no = GN_WALK_UNREAD;
	if (w->no)
		return 0;
	ruby_add(w);
	return 1;
}

/* Reads the Ruby methods that the thread runs. */
static __always_inline void ruby_walk(struct gn_walk *w, __u64 thread)
{
	__u64 context = ruby_context(&w->its, thread);
	struct gn_ruby_context c;
	int i;

	if (context <= GN_WALK_NO_MAX) {
		w->no = context;
		return;
	}
	w->no = GN_WALK_UNREAD;
	if (!user_read(&c, sizeof(c), context))
		return;
	w->no = GN_WALK_STRANGE;
	w->context = context;
	w->frame = c.frame;
	w->end = c.stack + c.words * 8;
	if (w->frame < c.stack || w->frame > w->end)
		return;
	w->no = 0;
	for (i = 0; i < GN_WALK_STEPS; i++)
		if (!ruby_step(w))
			break;
	walk_end(w, i);
}

#endif
