/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads which Python functions the current thread runs. The memory belongs to
 * the traced program: each address in it can be wrong, and each list endless.
 * What is read counts only if it has the form that CPython gives it.
 */
#ifndef GNOMON_PYTHON_BPF_H
#define GNOMON_PYTHON_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/python.h>

#include "emit.bpf.h"
#include "maps.bpf.h"
#include "pytext.bpf.h"
#include "values.bpf.h"

/* The most thread states and interpreters that are looked at for a sample, and
 * the most frames, including those that are no function's. */
#define GN_PYTHON_THREADS 512
#define GN_PYTHON_STEPS	  160

/* 3.12 and later: a frame that stands for C code. */
#define GN_PYTHON_OF_C 3

/*
 * A function, by its code object. Another one can have the same address later,
 * but hardly with the same texts in the same places.
 */
struct gn_code_key {
	__u64 process; /* changes at exec, too */
	__u64 code;
	__u64 name;
	__u64 file;
	__u64 line;
};

struct gn_code {
	__u32 index;
	/* how often its module is still looked for: memory can be unreadable
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
	struct gn_python py;
	__u64 frame;
	__u64 globals;
	__u64 time;
	__u32 tid;
	__u32 n;
	__u32 no;  /* enum gn_python_no; 0: all was read */
	__u32 cut; /* there are more */
	__u32 index[GN_PYTHON_FRAMES];
};

/* The frame that the thread state runs; 0: none, else a gn_python_no. */
static __always_inline __u64 python_frame(const struct gn_python *py,
					  __u64 thread)
{
	__u64 frame;

	if (!python_word(&frame, thread + py->at.frame))
		return GN_PYTHON_UNREAD;
	if (py->at.current == GN_PYTHON_NONE || !frame)
		return frame;
	if (!python_word(&frame, frame + py->at.current))
		return GN_PYTHON_UNREAD;
	return frame;
}

/*
 * Finds the state of the thread with this id: the first that runs a function. A
 * thread can have one in several interpreters, of which the newest comes first.
 * Not static: see emit_slices().
 */
__noinline __u64 python_search(const struct gn_python *py, __u64 id)
{
	__u64 interpreter, thread = 0, of, its;
	int i;

	if (!py ||
	    !python_word(&interpreter, py->runtime + py->at.interpreters))
		return GN_PYTHON_UNREAD;
	for (i = 0; i < GN_PYTHON_THREADS && interpreter; i++) {
		if (!i && !python_word(&thread, interpreter + py->at.threads))
			return GN_PYTHON_UNREAD;
		if (!thread) {
			if (!python_word(&interpreter,
					 interpreter + py->at.next_interpreter))
				return GN_PYTHON_UNREAD;
			if (interpreter &&
			    !python_word(&thread, interpreter + py->at.threads))
				return GN_PYTHON_UNREAD;
			continue;
		}
		if (!python_word(&its, thread + py->at.thread_id) ||
		    !python_word(&of, thread + py->at.interpreter))
			return GN_PYTHON_UNREAD;
		if (of != interpreter)
			return GN_PYTHON_STRANGE;
		if (its == id && python_frame(py, thread))
			return thread;
		if (!python_word(&thread, thread + py->at.next))
			return GN_PYTHON_UNREAD;
	}
	return interpreter ? GN_PYTHON_STRANGE : GN_PYTHON_OUTSIDE;
}

/* Whether this is the thread's state, and it can have no other. */
static __always_inline bool python_still(const struct gn_python *py,
					 __u64 thread, __u64 id)
{
	__u64 interpreter, more, of, its;

	return thread > GN_PYTHON_NO_MAX &&
	       python_word(&interpreter, py->runtime + py->at.interpreters) &&
	       interpreter &&
	       python_word(&more, interpreter + py->at.next_interpreter) &&
	       !more && python_word(&its, thread + py->at.thread_id) &&
	       its == id && python_word(&of, thread + py->at.interpreter) &&
	       of == interpreter;
}

/* The function's index: the one that it had, or a new one. 0: no room. The key
 * is copied, because older kernels take none from a function's argument. */
static __always_inline __u32 python_index(struct gn_walk *w, bool whole)
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

/* Sends the name of the walk's function. 0: it is lost. Not static: see
 * emit_slices(). */
__noinline __u32 python_name(struct gn_walk *w)
{
	struct gn_rec_python_name *r;
	__u32 index = 0;
	bool whole;

	if (!w)
		return 0;
	r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);
	if (!r)
		return 0;
	whole = python_text(&r->module, python_module(w->globals, &w->py),
			    &w->py);
	if (!whole)
		r->module.width = 0;
	if (python_text(&r->name, w->key.name, &w->py) &&
	    python_text(&r->file, w->key.file, &w->py))
		index = python_index(w, whole);
	if (!index) {
		bpf_ringbuf_discard(r, GN_RING_FLAGS);
		return 0;
	}
	r->h.time = w->time;
	r->h.tid = w->tid;
	r->h.seq = 0;
	((__u64 *)&r->h)[2] = GN_KIND_SAMPLE | GN_F_PYTHON_NAME << 8;
	r->index = index;
	r->line = w->key.line;
	submit(r);
	return index;
}

/* Adds the function of the walk's code object. */
static __always_inline __u32 python_code(struct gn_walk *w, __u32 *index)
{
	__u64 code = w->key.code;
	struct gn_code_key key;
	struct gn_code *had;
	__u32 line, no;

	if (!python_word(&w->key.name, code + w->py.at.name) ||
	    !python_word(&w->key.file, code + w->py.at.file) ||
	    bpf_probe_read_user(&line, sizeof(line),
				(void *)(code + w->py.at.line)))
		return GN_PYTHON_UNREAD;
	w->key.line = line;
	key = w->key;
	had = bpf_map_lookup_elem(&codes, &key);
	if (had && !had->tries) {
		*index = had->index;
		return 0;
	}
	no = GN_PYTHON_IS(&w->py, code, CODE);
	if (no)
		return no;
	*index = python_name(w);
	if (!*index)
		count(GN_COUNTER_PYTHON_NAMES);
	return 0;
}

/* Takes a frame and goes to its caller. Not static: see emit_slices(). Returns
 * 0 if there is no further one. */
__noinline int python_step(struct gn_walk *w)
{
	__u64 frame, previous;
	__u32 index = 0, n;
	__u8 owner = 0;

	if (!w)
		return 0;
	frame = w->frame;
	if (!python_word(&previous, frame + w->py.at.previous) ||
	    !python_word(&w->key.code, frame + w->py.at.code) ||
	    !python_word(&w->globals, frame + w->py.at.globals) ||
	    (w->py.at.owner != GN_PYTHON_NONE &&
	     bpf_probe_read_user(&owner, sizeof(owner),
				 (void *)(frame + w->py.at.owner)))) {
		w->no = GN_PYTHON_UNREAD;
		return 0;
	}
	w->frame = previous;
	if (owner == GN_PYTHON_OF_C)
		return previous != 0;
	n = w->n;
	barrier_var(n);
	if (n >= GN_PYTHON_FRAMES) {
		w->cut = 1;
		return 0;
	}
	w->no = python_code(w, &index);
	if (w->no)
		return 0;
	w->index[n] = index;
	w->n = n + 1;
	return previous != 0;
}

static __always_inline void python_walk(struct gn_walk *w, __u64 frame)
{
	int i;

	w->frame = frame;
	w->key.process = process_of(bpf_get_current_task_btf());
	for (i = 0; i < GN_PYTHON_STEPS; i++)
		if (!python_step(w))
			return;
	w->cut = 1;
}

/* The slot of the thread's process, or NULL. */
static __always_inline const struct gn_python *python_of(struct gn_task *t,
							 __u32 pid)
{
	__u32 at = t->python - 1, i;

	barrier_var(at);
	if (at < GN_PYTHONS && pythons[at].turn == t->python_turn)
		return &pythons[at];
	t->python = 0;
	for (i = 0; i < GN_PYTHON_SLOTS; i++) {
		at = (GN_PYTHON_SLOT(pid) + i) % GN_PYTHONS;
		if (pythons[at].pid != pid)
			continue;
		t->python = at + 1;
		t->python_turn = pythons[at].turn;
		t->python_thread = 0;
		return &pythons[at];
	}
	return 0;
}

static __always_inline void python_count(const struct gn_walk *w)
{
	if (w->n)
		count(GN_COUNTER_PYTHON_STACKS);
	if (w->cut)
		count(GN_COUNTER_PYTHON_CUT);
	if (w->no == GN_PYTHON_OUTSIDE)
		count(GN_COUNTER_PYTHON_OUTSIDE);
	else if (w->no == GN_PYTHON_UNREAD)
		count(GN_COUNTER_PYTHON_UNREAD);
	else if (w->no == GN_PYTHON_STRANGE)
		count(GN_COUNTER_PYTHON_STRANGE);
}

/* Reads the Python functions that the thread runs. False: its process runs no
 * Python that is known. */
static __always_inline bool python_stack(struct gn_walk *w, struct gn_task *t,
					 struct task_struct *self, __u64 now)
{
	const struct gn_python *py = python_of(t, tgid_of(self));
	__u64 id = BPF_CORE_READ(self, thread.fsbase), frame = 0;

	w->n = 0;
	w->no = 0;
	w->cut = 0;
	if (!py)
		return false;
	w->py = *py;
	w->time = now;
	w->tid = t->tid;
	if (!python_still(&w->py, t->python_thread, id))
		t->python_thread = python_search(&w->py, id);
	frame = t->python_thread;
	if (frame > GN_PYTHON_NO_MAX)
		frame = python_frame(&w->py, frame) ?: GN_PYTHON_OUTSIDE;
	if (frame > GN_PYTHON_NO_MAX)
		python_walk(w, frame);
	else
		w->no = frame;
	python_count(w);
	return true;
}

#endif
