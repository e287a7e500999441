/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads objects of CPython: texts, and the name of a module. */
#ifndef GNOMON_PYTEXT_BPF_H
#define GNOMON_PYTEXT_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/interpreter.h>

#include "walk.bpf.h"

/* How CPython names the types, with the NUL. */
#define GN_PYTHON_CODE_NAME 0x65646f63 /* "code" */
#define GN_PYTHON_STR_NAME  0x727473   /* "str" */
#define GN_PYTHON_DICT_NAME 0x74636964 /* "dict" */

/* Offsets in objects that are the same in all versions. */
#define GN_PYTHON_TYPE	 8  /* in an object */
#define GN_PYTHON_NAME	 24 /* in a type: the address of its name */
#define GN_PYTHON_LENGTH 16 /* in a text: in characters */
#define GN_PYTHON_STATE	 32 /* in a text: its form */
#define GN_PYTHON_KEYS	 32 /* in a dictionary */

#define GN_PYTHON_WIDTH(state)	  ((state) >> 2 & 7)
#define GN_PYTHON_COMPACT(state)  ((state) >> 5 & 1)
#define GN_PYTHON_IN_ASCII(state) ((state) >> 6 & 1)

/*
 * 0: the object has this type; else enum gn_walk_no. A program that has
 * CPython as a library can have a copy of a type, at another address; so its
 * name counts, too.
 */
static __always_inline __u32 python_is(const struct gn_interpreter *py,
				       __u64 object,
				       enum gn_python_address which, __u64 name)
{
	__u64 type, at, has = 0;

	if (!user_word(&type, object + GN_PYTHON_TYPE))
		return GN_WALK_UNREAD;
	if (type && type == py->addr[which])
		return 0;
	if (!user_word(&at, type + GN_PYTHON_NAME) ||
	    bpf_probe_read_user(&has, name >> 24 ? 5 : 4, (void *)at))
		return GN_WALK_UNREAD;
	return has == name ? 0 : GN_WALK_STRANGE;
}

#define GN_PYTHON_IS(py, object, type) \
	python_is(py, object, GN_PYTHON_##type, GN_PYTHON_##type##_NAME)

/* Reads a text; what is longer than there is room is cut. */
static __noinline bool python_text(struct gn_interpreted_text *to, __u64 object,
				   const struct gn_interpreter *py)
{
	__u64 length, data;
	__u64 bytes; /* older kernels know no bound of 32 bits of a product */
	__u32 state;

	if (!to || !py || !object || GN_PYTHON_IS(py, object, STR) ||
	    !user_word(&length, object + GN_PYTHON_LENGTH) ||
	    bpf_probe_read_user(&state, sizeof(state),
				(void *)(object + GN_PYTHON_STATE)) ||
	    !GN_PYTHON_COMPACT(state) || !GN_PYTHON_WIDTH(state))
		return false;
	data = object + (GN_PYTHON_IN_ASCII(state) ? py->python.ascii
						   : py->python.compact);
	if (length > GN_INTERPRETED_TEXT)
		length = GN_INTERPRETED_TEXT;
	bytes = length * GN_PYTHON_WIDTH(state);
	barrier_var(bytes);
	if (bytes > GN_INTERPRETED_TEXT)
		bytes = GN_INTERPRETED_TEXT;
	to->bytes = bytes;
	to->width = GN_PYTHON_WIDTH(state);
	return !bytes || !bpf_probe_read_user(to->text, bytes, (void *)data);
}

struct gn_python_entries {
	__u64 at;
	__u32 size; /* of each */
	__u32 key;  /* where it has its key; its value follows */
};

/* Where a dictionary's entries are, behind its index. */
static __always_inline bool python_entries(struct gn_python_entries *e,
					   __u64 keys,
					   const struct gn_python_layout *at)
{
	__u8 form[2] = {};
	__u64 size;

	e->size = 24;
	e->key = 8;
	if (!at->new_keys) {
		if (!user_word(&size, keys + 8))
			return false;
		e->at = keys + 40 + (size << (size > 0xff) << (size > 0xffff));
		return true;
	}
	if (bpf_probe_read_user(form, sizeof(form), (void *)(keys + 9)))
		return false;
	if (form[1]) {
		e->size = 16;
		e->key = 0;
	}
	e->at = keys + 32 + (1ull << (form[0] & 31));
	return true;
}

/* The text with the name of the module whose variables these are: it is among
 * the first. 0: not found. */
static __noinline __u64 python_module(__u64 globals,
				      const struct gn_interpreter *py)
{
	static const char word[] = "__name__";
	struct gn_python_entries e;
	__u64 keys, key, value, has;
	int i;

	if (!py || GN_PYTHON_IS(py, globals, DICT) ||
	    !user_word(&keys, globals + GN_PYTHON_KEYS) ||
	    !python_entries(&e, keys, &py->python))
		return 0;
	for (i = 0; i < 4; i++) {
		if (!user_word(&key, e.at + i * e.size + e.key) ||
		    !user_word(&value, e.at + i * e.size + e.key + 8))
			return 0;
		if (user_word(&has, key + py->python.ascii) &&
		    has == *(const __u64 *)word)
			return value;
	}
	return 0;
}

#endif
