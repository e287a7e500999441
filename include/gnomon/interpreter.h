/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where interpreters have what a thread runs: user space tells the BPF
 * programs, which read it in the memory of the process. Nothing there is
 * trusted.
 */
#ifndef GNOMON_INTERPRETER_H
#define GNOMON_INTERPRETER_H

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

/* Addresses of a CPython. Types are recognised by theirs. Otherwise their names
 * must be read, from pages that a forked child may not have yet. */
enum gn_python_address {
	GN_PYTHON_RUNTIME, /* of _PyRuntime */
	GN_PYTHON_CODE,
	GN_PYTHON_STR,
	GN_PYTHON_DICT,
	GN_PYTHON_ADDRESSES,
};

/* What of Ruby's structures differs between its versions. */
struct gn_ruby_layout {
	__s32 context;	   /* ruby_current_ec, from its thread's memory on */
	__u16 frame;	   /* size of a control frame */
	__u16 location;	   /* in the body of code */
	__u16 line_shift;  /* a line is a number of Ruby, or as it is */
	__u16 original_id; /* in the definition of a method */
	__u16 last_op;	   /* tLAST_OP_ID */
	__u16 text; /* where a short text has its bytes; if this is behind
		       a word, that is its length */
	/* Where a class has its variables: with `shapes`, an array in the
	 * class; else a table in its extension. */
	__u16 variables;
	__u16 shapes;	/* in the VM; 0: none */
	__u16 path;	/* in a class, as the next; 0: it is a variable */
	__u16 attached; /* to what object a singleton class belongs */
};

enum gn_ruby_address {
	/* of the word with the number of the library among those that have
	 * memory for each thread. 0: it is the program, whose memory ends where
	 * the thread pointer points to. */
	GN_RUBY_MODULE,
	GN_RUBY_SYMBOLS, /* of ruby_global_symbols */
	GN_RUBY_ADDRESSES,
};

/* Offsets in the structures of a version of PHP, in bytes. */
struct gn_php_layout {
	__u16 current; /* the frame, in executor_globals */
	__u16 code;    /* in a function of a script, as the next two */
	__u16 file;
	__u16 line;
	__u16 handler; /* in one of an extension, as the next */
	__u16 module;
};

enum gn_php_address {
	GN_PHP_GLOBALS, /* of executor_globals */
	GN_PHP_ADDRESSES,
};

#define GN_INTERPRETER_ADDRESSES 4

enum gn_interpreter_kind {
	GN_INTERPRETER_PYTHON,
	GN_INTERPRETER_RUBY,
	GN_INTERPRETER_PHP,
	GN_INTERPRETER_KINDS,
};

/* A process that runs an interpreter. User space changes `turn` when it writes,
 * and `pid` last. */
struct gn_interpreter {
	__u32 pid; /* 0: free */
	__u32 turn;
	__u32 kind;
	__u32 pad;
	__u64 addr[GN_INTERPRETER_ADDRESSES]; /* 0: not known */
	union {
		struct gn_python_layout python;
		struct gn_ruby_layout ruby;
		struct gn_php_layout php;
	};
	__u32 pad2;
};

/* A process is in one of GN_INTERPRETER_SLOTS places of the table, from
 * GN_INTERPRETER_SLOT of its PID on. */
#define GN_INTERPRETERS		1024
#define GN_INTERPRETER_SLOTS	4
#define GN_INTERPRETER_SLOT(id) ((id)*0x9e3779b1u >> 22)

_Static_assert(sizeof(struct gn_interpreter) == 88, "interpreter");
_Static_assert(GN_INTERPRETER_SLOT(0xffffffffu) < GN_INTERPRETERS, "slots");

#endif
