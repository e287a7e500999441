/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads objects of Ruby: texts, symbols, and the names of classes. */
#ifndef GNOMON_RBTEXT_BPF_H
#define GNOMON_RBTEXT_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/interpreter.h>

#include "walk.bpf.h"

/* What an object is: its first word has it. */
#define GN_RUBY_TYPE(flags) ((flags)&0x1f)
#define GN_RUBY_CLASS	    2
#define GN_RUBY_MODULE_TYPE 3
#define GN_RUBY_STRING	    5
#define GN_RUBY_ARRAY	    7
#define GN_RUBY_INCLUDED    0x1c /* a module among the ancestors of a class */

/* Flags of types. */
#define GN_RUBY_SINGLETON(flags) ((flags) >> 12 & 1)
#define GN_RUBY_APART(flags)	 ((flags) >> 13 & 1) /* a long text */
#define GN_RUBY_INSIDE(flags)	 ((flags) >> 13 & 1) /* a short array */
#define GN_RUBY_LENGTH(flags)	 ((flags) >> 14 & 31)

/* Offsets in objects. */
#define GN_RUBY_CLASS_OF  8
#define GN_RUBY_FIRST	  16
#define GN_RUBY_SUPER	  16
#define GN_RUBY_EXTENSION 24
#define GN_RUBY_BYTES	  24 /* of a long text */
#define GN_RUBY_ITEMS	  32 /* of a long array */
#define GN_RUBY_THREAD	  48 /* in a context of execution */
#define GN_RUBY_VM	  32 /* in a thread */

/* The table of symbols: arrays of arrays with a text and a symbol for each. */
#define GN_RUBY_SYMBOL_ARRAYS 16
#define GN_RUBY_SYMBOLS_EACH  512

/* Offsets in a hash table. The variable with its name is among the first of a
 * class. */
#define GN_RUBY_TABLE_BOUND   40
#define GN_RUBY_TABLE_ENTRIES 48
#define GN_RUBY_VARIABLES     8

struct gn_ruby_entry {
	__u64 hash;
	__u64 key;
	__u64 value;
};

/* A shape says which variable an object got last. Further ones are in the
 * shape that it had before. */
struct gn_ruby_shape {
	__u64 next;
	__u64 name;
	__u32 variables;
	__u32 room;
	__u32 kind;
	__u32 before;
};

/* The most shapes that are looked at. */
#define GN_RUBY_SHAPES 64

/* Where a text has its bytes, and how many. False: it is none. */
static __always_inline bool ruby_bytes(const struct gn_walk *w, __u64 text,
				       __u64 *at, __u64 *bytes)
{
	__u64 flags;

	if (!text || !user_word(&flags, text) ||
	    GN_RUBY_TYPE(flags) != GN_RUBY_STRING)
		return false;
	*at = text + w->its.ruby.text;
	*bytes = GN_RUBY_LENGTH(flags);
	if (!GN_RUBY_APART(flags) && w->its.ruby.text == GN_RUBY_FIRST)
		return true;
	return user_word(bytes, text + GN_RUBY_FIRST) &&
	       (!GN_RUBY_APART(flags) || user_word(at, text + GN_RUBY_BYTES));
}

/* Reads a text; what is longer than there is room is cut. */
static __noinline bool ruby_text(const struct gn_walk *w,
				 struct gn_interpreted_text *to, __u64 text)
{
	__u64 at, bytes;

	if (!w || !to || !ruby_bytes(w, text, &at, &bytes))
		return false;
	return walk_text(to, at, bytes);
}

/* The beginning of a label: "block in ", if the label is longer than that of
 * its method. */
static __always_inline void ruby_lead(const struct gn_walk *w,
				      struct gn_rec_interpreted *r)
{
	__u64 label = w->label[0], base = w->label[1];
	__u64 at, from, bytes, all;

	if (label == base || !ruby_bytes(w, label, &at, &all) ||
	    !ruby_bytes(w, base, &from, &bytes) || bytes >= all)
		return;
	bytes = all - bytes;
	barrier_var(bytes);
	if (bytes <= sizeof(r->lead) && user_read(r->lead, bytes, at))
		r->lead_bytes = bytes;
}

/* An item of an array; 0: there is none. */
static __always_inline __u64 ruby_item(__u64 array, __u32 i)
{
	__u64 flags, at = array + GN_RUBY_FIRST, item;

	if (!array || !user_word(&flags, array) ||
	    GN_RUBY_TYPE(flags) != GN_RUBY_ARRAY)
		return 0;
	if (!GN_RUBY_INSIDE(flags) && !user_word(&at, array + GN_RUBY_ITEMS))
		return 0;
	return user_word(&item, at + i * 8) ? item : 0;
}

/* The text of a symbol; 0: not found. Not static: see emit_slices(). */
__noinline __u64 ruby_symbol(const struct gn_walk *w, __u64 id)
{
	__u64 arrays;
	__u32 serial;

	if (!w || !w->its.addr[GN_RUBY_SYMBOLS] ||
	    !user_word(&arrays,
		       w->its.addr[GN_RUBY_SYMBOLS] + GN_RUBY_SYMBOL_ARRAYS))
		return 0;
	serial = id > w->its.ruby.last_op ? id >> 4 : id;
	return ruby_item(ruby_item(arrays, serial / GN_RUBY_SYMBOLS_EACH),
			 serial % GN_RUBY_SYMBOLS_EACH * 2);
}

/* Whether a symbol begins with these eight bytes. */
static __always_inline bool ruby_is(const struct gn_walk *w, __u64 id,
				    __u64 name)
{
	__u64 at, bytes, has;

	return ruby_bytes(w, ruby_symbol(w, id), &at, &bytes) &&
	       bytes > sizeof(has) && user_word(&has, at) && has == name;
}

static __always_inline __u64 ruby_shapes(const struct gn_walk *w)
{
	__u64 thread, vm, shapes;

	return user_word(&thread, w->context + GN_RUBY_THREAD) &&
			       user_word(&vm, thread + GN_RUBY_VM) &&
			       user_word(&shapes, vm + w->its.ruby.shapes)
		       ? shapes
		       : 0;
}

/* The value of a variable of a class that has shapes. Not static: see
 * emit_slices(). */
__noinline __u64 ruby_shaped(const struct gn_walk *w, __u64 class, __u64 name)
{
	__u64 id, shapes, values, value;
	struct gn_ruby_shape s;
	__u32 i;

	if (!w || !user_word(&id, class))
		return 0;
	id >>= 32;
	shapes = ruby_shapes(w);
	for (i = 0; i < GN_RUBY_SHAPES; i++) {
		if (!user_read(&s, sizeof(s), shapes + id * sizeof(s)) ||
		    !s.variables)
			return 0;
		if (s.variables <= GN_RUBY_VARIABLES &&
		    ruby_is(w, s.name, name))
			break;
		id = s.before;
	}
	return i < GN_RUBY_SHAPES &&
			       user_word(&values,
					 class + w->its.ruby.variables) &&
			       user_word(&value, values + (s.variables - 1) * 8)
		       ? value
		       : 0;
}

/* The same of a class that has a table of them. */
__noinline __u64 ruby_tabled(const struct gn_walk *w, __u64 class, __u64 name)
{
	__u64 extension, table, bound, entries;
	struct gn_ruby_entry e;
	__u32 i;

	if (!w || !user_word(&extension, class + GN_RUBY_EXTENSION) ||
	    !user_word(&table, extension + w->its.ruby.variables) ||
	    !user_word(&bound, table + GN_RUBY_TABLE_BOUND) ||
	    !user_word(&entries, table + GN_RUBY_TABLE_ENTRIES))
		return 0;
	for (i = 0; i < GN_RUBY_VARIABLES && i < bound; i++)
		if (user_read(&e, sizeof(e), entries + i * sizeof(e)) &&
		    ruby_is(w, e.key, name))
			return e.value;
	return 0;
}

/* What a class has in `field`, or without one in a variable, by the first eight
 * bytes of its name; 0: nothing. */
static __always_inline __u64 ruby_variable(const struct gn_walk *w, __u64 class,
					   __u16 field, __u64 name)
{
	__u64 value;

	if (field)
		return user_word(&value, class + field) ? value : 0;
	return w->its.ruby.shapes ? ruby_shaped(w, class, name)
				  : ruby_tabled(w, class, name);
}

/*
 * The class to name as the owner of the walk's method, and what it is to it: a
 * method of a class itself, or of one object, belongs to a class of its own.
 * 0: not found. Not static: see emit_slices().
 */
__noinline __u64 ruby_class(struct gn_walk *w)
{
	static const char attached[] = "__attached__";
	__u64 class, flags, object;

	if (!w)
		return 0;
	w->owns = GN_OWNER_CLASS;
	class = w->key.owner;
	if (!user_word(&flags, class))
		return 0;
	if (GN_RUBY_TYPE(flags) == GN_RUBY_INCLUDED &&
	    (!user_word(&class, class + GN_RUBY_CLASS_OF) ||
	     !user_word(&flags, class)))
		return 0;
	if (GN_RUBY_TYPE(flags) != GN_RUBY_CLASS || !GN_RUBY_SINGLETON(flags))
		return class;
	w->owns = GN_OWNER_ITSELF;
	object = ruby_variable(w, class, w->its.ruby.attached,
			       *(const __u64 *)attached);
	if (!user_word(&flags, object))
		return 0;
	if (GN_RUBY_TYPE(flags) == GN_RUBY_CLASS ||
	    GN_RUBY_TYPE(flags) == GN_RUBY_MODULE_TYPE)
		return object;
	w->owns = GN_OWNER_OBJECT;
	return user_word(&class, class + GN_RUBY_SUPER) ? class : 0;
}

/* Reads the path of a class; one without a name has none. */
static __always_inline void
ruby_path(const struct gn_walk *w, struct gn_interpreted_text *to, __u64 class)
{
	static const char path[] = "__classpath__";
	__u64 text =
		ruby_variable(w, class, w->its.ruby.path, *(const __u64 *)path);

	/* where no variable has it, a class in one without a name begins with
	 * that of the other: #<Class: */
	if (!ruby_text(w, to, text) ||
	    (w->its.ruby.path && to->bytes && to->text[0] == '#'))
		to->width = 0;
}

#endif
