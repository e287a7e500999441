/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads which Python functions the current thread runs. */
#ifndef GNOMON_PYTHON_BPF_H
#define GNOMON_PYTHON_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/interpreter.h>

#include "maps.bpf.h"
#include "pytext.bpf.h"
#include "walk.bpf.h"

/* The most thread states and interpreters that are looked at for a sample. */
#define GN_PYTHON_THREADS 512

/* 3.12 and later: a frame that stands for C code. */
#define GN_PYTHON_OF_C 3

/* 3.14 and later: what a frame says of its object, beside the address. */
#define GN_PYTHON_TAG 3ull

/* The frame that the thread state runs; 0: none, else a enum gn_walk_no. */
static __always_inline __u64 python_frame(const struct gn_interpreter *py,
					  __u64 thread)
{
	__u64 frame;

	if (!user_word(&frame, thread + py->python.frame))
		return GN_WALK_UNREAD;
	if (py->python.current == GN_PYTHON_NONE || !frame)
		return frame;
	if (!user_word(&frame, frame + py->python.current))
		return GN_WALK_UNREAD;
	return frame;
}

/*
 * Finds the state of the thread with this id: the first that runs a function. A
 * thread can have one in several interpreters, of which the newest comes first.
 * Not static: see emit_slices().
 */
__noinline __u64 python_search(const struct gn_interpreter *py, __u64 id)
{
	__u64 interpreter, thread = 0, of, its;
	int i;

	if (!py || !user_word(&interpreter, py->addr[GN_PYTHON_RUNTIME] +
						    py->python.interpreters))
		return GN_WALK_UNREAD;
	for (i = 0; i < GN_PYTHON_THREADS && interpreter; i++) {
		if (!i && !user_word(&thread, interpreter + py->python.threads))
			return GN_WALK_UNREAD;
		if (!thread) {
			if (!user_word(&interpreter,
				       interpreter +
					       py->python.next_interpreter))
				return GN_WALK_UNREAD;
			if (interpreter &&
			    !user_word(&thread,
				       interpreter + py->python.threads))
				return GN_WALK_UNREAD;
			continue;
		}
		if (!user_word(&its, thread + py->python.thread_id) ||
		    !user_word(&of, thread + py->python.interpreter))
			return GN_WALK_UNREAD;
		if (of != interpreter)
			return GN_WALK_STRANGE;
		if (its == id && python_frame(py, thread))
			return thread;
		if (!user_word(&thread, thread + py->python.next))
			return GN_WALK_UNREAD;
	}
	return interpreter ? GN_WALK_STRANGE : GN_WALK_OUTSIDE;
}

/* Whether this is the thread's state, and it can have no other. */
static __always_inline bool python_still(const struct gn_interpreter *py,
					 __u64 thread, __u64 id)
{
	__u64 interpreter, more, of, its;

	return thread > GN_WALK_NO_MAX &&
	       user_word(&interpreter, py->addr[GN_PYTHON_RUNTIME] +
					       py->python.interpreters) &&
	       interpreter &&
	       user_word(&more, interpreter + py->python.next_interpreter) &&
	       !more && user_word(&its, thread + py->python.thread_id) &&
	       its == id && user_word(&of, thread + py->python.interpreter) &&
	       of == interpreter;
}

/* Sends the name of the walk's function. 0: it is lost. Not static: see
 * emit_slices(). */
__noinline __u32 python_name(struct gn_walk *w)
{
	struct gn_rec_interpreted *r;
	__u32 index = 0;
	bool whole;

	if (!w)
		return 0;
	r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);
	if (!r)
		return 0;
	whole = python_text(&r->owner, python_module(w->globals, &w->its),
			    &w->its);
	r->owns = whole ? GN_OWNER_MODULE : GN_OWNER_NONE;
	r->lead_bytes = 0;
	if (python_text(&r->name, w->key.name, &w->its) &&
	    python_text(&r->file, w->key.file, &w->its))
		index = walk_index(w, whole);
	walk_send(w, r, index);
	return index;
}

/* Adds the function of the walk's code object. */
static __always_inline __u32 python_code(struct gn_walk *w)
{
	const struct gn_python_layout *at = &w->its.python;
	__u64 code = w->key.code;
	__u32 line, index, no;

	if (!user_word(&w->key.name, code + at->name) ||
	    !user_word(&w->key.file, code + at->file) ||
	    bpf_probe_read_user(&line, sizeof(line), (void *)(code + at->line)))
		return GN_WALK_UNREAD;
	w->key.line = line;
	index = walk_known(w);
	if (!index) {
		no = GN_PYTHON_IS(&w->its, code, CODE);
		if (no)
			return no;
		index = python_name(w);
		if (!index)
			walk_count(w, GN_INTERPRETED_NAMES);
	}
	walk_add(w, index);
	return 0;
}

/* Takes a frame and goes to its caller. Not static: see emit_slices(). Returns
 * 0 if there is no further one. */
__noinline int python_step(struct gn_walk *w)
{
	const struct gn_python_layout *at;
	__u64 frame, previous;
	__u8 owner = 0;

	if (!w)
		return 0;
	at = &w->its.python;
	frame = w->frame;
	if (!user_word(&previous, frame + at->previous) ||
	    !user_word(&w->key.code, frame + at->code) ||
	    !user_word(&w->globals, frame + at->globals) ||
	    (at->owner != GN_PYTHON_NONE &&
	     bpf_probe_read_user(&owner, sizeof(owner),
				 (void *)(frame + at->owner)))) {
		w->no = GN_WALK_UNREAD;
		return 0;
	}
	w->key.code &= ~GN_PYTHON_TAG;
	w->frame = previous;
	if (owner == GN_PYTHON_OF_C)
		return previous != 0;
	if (walk_full(w))
		return 0;
	w->no = python_code(w);
	return !w->no && previous != 0;
}

/* Reads the Python functions that the thread runs. */
static __always_inline void python_walk(struct gn_walk *w, struct gn_task *t,
					__u64 id)
{
	__u64 frame;
	int i;

	if (!python_still(&w->its, t->python_thread, id))
		t->python_thread = python_search(&w->its, id);
	frame = t->python_thread;
	if (frame > GN_WALK_NO_MAX)
		frame = python_frame(&w->its, frame) ?: GN_WALK_OUTSIDE;
	if (frame <= GN_WALK_NO_MAX) {
		w->no = frame;
		return;
	}
	w->frame = frame;
	for (i = 0; i < GN_WALK_STEPS; i++)
		if (!python_step(w))
			return;
	w->cut = 1;
}

#endif
