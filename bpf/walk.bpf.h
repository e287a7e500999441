/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the walks through the stacks of interpreters share. The memory belongs
 * to the traced program: each address in it can be wrong, and each list
 * endless. What is read counts only if it has the form that the interpreter
 * gives it.
 */
#ifndef GNOMON_WALK_BPF_H
#define GNOMON_WALK_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/interpreter.h>

#include "emit.bpf.h"
#include "maps.bpf.h"

/* The most frames that are looked at for a sample, including those that are no
 * function's. */
#define GN_WALK_STEPS 160

/* In the place of an address: why there is none. */
enum gn_walk_no {
	GN_WALK_OUTSIDE = 1, /* the thread runs no function */
	GN_WALK_UNREAD,	     /* the memory is not there */
	GN_WALK_STRANGE,     /* it is not as the interpreter has it */
	GN_WALK_NO_MAX = 15,
};

/*
 * A function, by its code. Another one can have the same address later, but
 * hardly with the same texts in the same places.
 */
struct gn_code_key {
	__u64 process; /* changes at exec, too */
	__u64 code;
	__u64 owner;
	__u64 name;
	__u64 file;
	__u64 line;
};

struct gn_code {
	__u32 index;
	/* how often its owner is still looked for: memory can be unreadable
	 * for a while */
	__u32 tries;
};

#define GN_CODE_TRIES 20

/* The indexes of functions. Kernels before 6.1 accept only preallocated maps
 * here. If a function is dropped, it gets another index and is named again. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1 << 16); /* 1 if unused */
	__type(key, struct gn_code_key);
	__type(value, struct gn_code);
} codes SEC(".maps");

/* Limit of the indexes, over all processes. */
#define GN_CODES_MAX (1u << 22)

struct gn_walk {
	struct gn_code_key key;
	struct gn_interpreter its;
	__u64 frame;
	__u64 globals;	/* CPython: those of the frame's function */
	__u64 end;	/* Ruby: behind the outermost frame */
	__u64 label[2]; /* Ruby: of the code, and of that around it */
	__u64 kind;	/* PHP: of the function */
	__u64 context;	/* Ruby: of execution */
	__u64 method;	/* Ruby: the definition of the method; 0: none */
	__u32 owns;	/* Ruby: enum gn_interpreted_owner */
	__u64 time;
	__u32 tid;
	__u32 n;
	__u32 no;  /* enum gn_walk_no; 0: all was read */
	__u32 cut; /* there are more */
	__u32 index[GN_INTERPRETED_FRAMES];
};

static __always_inline bool user_read(void *to, __u32 size, __u64 at)
{
	return !bpf_probe_read_user(to, size, (void *)at);
}

static __always_inline bool user_word(__u64 *to, __u64 at)
{
	return !bpf_probe_read_user(to, sizeof(*to), (void *)at);
}

static __always_inline void walk_count(const struct gn_walk *w, __u32 which)
{
	__u32 i = w->its.kind * GN_INTERPRETED_COUNTERS + which;

	barrier_var(i);
	if (i < GN_INTERPRETER_KINDS * GN_INTERPRETED_COUNTERS)
		count(GN_COUNTER_INTERPRETED(0, i));
}

/* Whether there is no room for a further frame, which is noted. */
static __always_inline bool walk_full(struct gn_walk *w)
{
	if (w->n >= GN_INTERPRETED_FRAMES)
		w->cut = 1;
	return w->cut;
}

static __always_inline void walk_add(struct gn_walk *w, __u32 index)
{
	__u32 n = w->n;

	barrier_var(n);
	if (n >= GN_INTERPRETED_FRAMES)
		return;
	w->index[n] = index;
	w->n = n + 1;
}

/* Ends a walk that took so many steps. */
static __always_inline void walk_end(struct gn_walk *w, int steps)
{
	if (steps == GN_WALK_STEPS)
		w->cut = 1;
	else if (!w->n && !w->no)
		w->no = GN_WALK_OUTSIDE;
}

/* Reads a text of UTF-8; what is longer than there is room is cut. */
static __always_inline bool walk_text(struct gn_interpreted_text *to, __u64 at,
				      __u64 bytes)
{
	if (bytes > GN_INTERPRETED_TEXT)
		bytes = GN_INTERPRETED_TEXT;
	barrier_var(bytes);
	if (bytes > GN_INTERPRETED_TEXT)
		return false;
	to->bytes = bytes;
	to->width = GN_INTERPRETED_UTF8;
	return !bytes || user_read(to->text, bytes, at);
}

/* The index of the walk's function; 0: it must be named. The key is copied,
 * because older kernels take none from a function's argument. */
static __always_inline __u32 walk_known(const struct gn_walk *w)
{
	struct gn_code_key key = w->key;
	struct gn_code *had = bpf_map_lookup_elem(&codes, &key);

	return had && !had->tries ? had->index : 0;
}

/* The function's index: the one that it had, or a new one. 0: no room. */
static __always_inline __u32 walk_index(struct gn_walk *w, bool whole)
{
	struct gn_code_key key = w->key;
	struct gn_code *had = bpf_map_lookup_elem(&codes, &key);
	struct gn_code code = {.tries = GN_CODE_TRIES};

	if (had)
		code = *had;
	else
		code.index = __sync_fetch_and_add(&control.sampled, 1) + 1;
	code.tries = whole || !code.tries ? 0 : code.tries - 1;
	if (code.index >= GN_CODES_MAX ||
	    bpf_map_update_elem(&codes, &key, &code, BPF_ANY))
		return 0;
	return code.index;
}

/* Sends a name, unless its index is 0. */
static __always_inline void walk_send(const struct gn_walk *w,
				      struct gn_rec_interpreted *r, __u32 index)
{
	if (!index) {
		bpf_ringbuf_discard(r, GN_RING_FLAGS);
		return;
	}
	r->h.time = w->time;
	r->h.tid = w->tid;
	r->h.seq = 0;
	((__u64 *)&r->h)[2] = GN_KIND_SAMPLE | GN_F_NAMES_INTERPRETED << 8;
	r->index = index;
	r->line = w->key.line;
	submit(r);
}

#endif
