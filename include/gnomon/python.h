/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where CPython has what a thread runs: user space tells the BPF programs,
 * which read it in the memory of the process. Nothing there is trusted.
 */
#ifndef GNOMON_PYTHON_H
#define GNOMON_PYTHON_H

#include <gnomon/types.h>

/* Offsets in the structures of a version of CPython, in bytes. */
struct gn_python_layout {
	__u16 interpreters;	/* the first interpreter, in _PyRuntime */
	__u16 threads;		/* its first thread state */
	__u16 next_interpreter; /* in an interpreter */
	__u16 next;		/* in a thread state, as the next three */
	__u16 interpreter;
	__u16 thread_id;
	__u16 frame;
	__u16 current; /* in what `frame` refers to; GN_PYTHON_NONE: that is the
			  frame itself */
	__u16 code;    /* in a frame, as the next three */
	__u16 previous;
	__u16 globals;
	__u16 owner; /* GN_PYTHON_NONE: all frames are those of functions */
	__u16 file;  /* in a code object, as the next two */
	__u16 name;
	__u16 line;
	__u16 ascii; /* size of the head of a text in ASCII, and of others */
	__u16 compact;
	__u16 new_keys; /* the keys of a dictionary are as from 3.11 on */
};

#define GN_PYTHON_NONE 0xffff

/* Types that are recognised by their addresses. Otherwise their names must be
 * read, from pages that a forked child may not have yet. */
enum gn_python_type {
	GN_PYTHON_CODE,
	GN_PYTHON_STR,
	GN_PYTHON_DICT,
	GN_PYTHON_TYPES,
};

/* A process that runs CPython. User space changes `turn` when it writes, and
 * `pid` last. */
struct gn_python {
	__u32 pid; /* 0: free */
	__u32 turn;
	__u64 runtime;		     /* address of _PyRuntime */
	__u64 type[GN_PYTHON_TYPES]; /* addresses; 0: not known */
	struct gn_python_layout at;
	__u32 pad;
};

/* A table has GN_PYTHONS places. A process is in one of GN_PYTHON_SLOTS of
 * them, from GN_PYTHON_SLOT of its PID on. */
#define GN_PYTHONS	   1024
#define GN_PYTHON_SLOTS	   4
#define GN_PYTHON_SLOT(id) ((id)*0x9e3779b1u >> 22)

_Static_assert(sizeof(struct gn_python) == 80, "python");
_Static_assert(GN_PYTHON_SLOT(0xffffffffu) < GN_PYTHONS, "slots");

#endif
