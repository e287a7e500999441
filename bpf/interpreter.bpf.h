/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which functions of an interpreter the current thread runs. */
#ifndef GNOMON_INTERPRETER_BPF_H
#define GNOMON_INTERPRETER_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/interpreter.h>

#include "maps.bpf.h"
#include "php.bpf.h"
#include "python.bpf.h"
#include "ruby.bpf.h"
#include "values.bpf.h"
#include "walk.bpf.h"

/* The slot of the thread's process, or NULL. */
static __always_inline const struct gn_interpreter *
interpreter_of(struct gn_task *t, __u32 pid)
{
	__u32 at = t->interpreter - 1, i;

	barrier_var(at);
	if (at < GN_INTERPRETERS &&
	    interpreters[at].turn == t->interpreter_turn)
		return &interpreters[at];
	t->interpreter = 0;
	for (i = 0; i < GN_INTERPRETER_SLOTS; i++) {
		at = (GN_INTERPRETER_SLOT(pid) + i) % GN_INTERPRETERS;
		if (interpreters[at].pid != pid)
			continue;
		t->interpreter = at + 1;
		t->interpreter_turn = interpreters[at].turn;
		t->python_thread = 0;
		return &interpreters[at];
	}
	return 0;
}

static __always_inline void interpreter_count(const struct gn_walk *w)
{
	if (w->n)
		walk_count(w, GN_INTERPRETED_STACKS);
	if (w->cut)
		walk_count(w, GN_INTERPRETED_CUT);
	if (w->no == GN_WALK_OUTSIDE)
		walk_count(w, GN_INTERPRETED_OUTSIDE);
	else if (w->no == GN_WALK_UNREAD)
		walk_count(w, GN_INTERPRETED_UNREAD);
	else if (w->no == GN_WALK_STRANGE)
		walk_count(w, GN_INTERPRETED_STRANGE);
}

/* Reads the functions that the thread runs. False: its process runs no
 * interpreter that is known. */
static __always_inline bool interpreter_stack(struct gn_walk *w,
					      struct gn_task *t,
					      struct task_struct *self,
					      __u64 now)
{
	const struct gn_interpreter *its = interpreter_of(t, tgid_of(self));
	__u64 thread = BPF_CORE_READ(self, thread.fsbase);

	w->n = 0;
	w->no = 0;
	w->cut = 0;
	if (!its)
		return false;
	w->its = *its;
	w->time = now;
	w->tid = t->tid;
	w->key = (struct gn_code_key){
		.process = t->named_in ?: process_of(self),
	};
	if (w->its.kind == GN_INTERPRETER_RUBY)
		ruby_walk(w, thread);
	else if (w->its.kind == GN_INTERPRETER_PHP)
		php_walk(w, t->tid == tgid_of(self));
	else
		python_walk(w, t, thread);
	interpreter_count(w);
	return true;
}

#endif
