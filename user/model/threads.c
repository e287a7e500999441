// SPDX-License-Identifier: BSD-2-Clause
#include "model/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/walk.h"

/*
 * Frames that forks may copy in any case. Beyond that, their number is limited
 * by the number of records, and so is memory. Later children begin like a
 * thread that gnomon attached to.
 */
#define INHERIT_MIN 65536

static struct gn_thread *thread_at(const struct gn_pipeline *p, uint32_t i)
{
	return i == GN_NONE ? NULL : p->threads[i];
}

static int set_tid(struct gn_pipeline *p, uint32_t i, uint32_t tid)
{
	int err = gn_table_put(&p->by_tid, tid, i);

	if (err)
		return err;
	p->threads[i]->tid = tid;
	p->threads[i]->told = false;
	p->last_tid = tid;
	p->last_thread = i;
	return 0;
}

static int new_process(struct gn_pipeline *p, uint32_t pid,
		       uint32_t forked_from, uint32_t *out)
{
	struct gn_process proc = {.pid = pid};
	int err;

	err = gn_grow(&p->processes, &p->processes_cap,
		      (size_t)p->nprocesses + 1, sizeof(*p->processes));
	if (err)
		return err;
	proc.name = gn_pool_add(&p->stage.names.pool, "", 0);
	if (!proc.name)
		return -ENOMEM;
	err = gn_names_program(&p->stage.names, forked_from, &proc.program);
	if (err)
		return err;
	err = gn_tree_process(&p->stage.tree, p->nprocesses, &proc.node);
	if (err)
		return err;
	err = gn_table_put(&p->by_pid, pid, p->nprocesses);
	if (err)
		return err;
	p->processes[p->nprocesses] = proc;
	*out = p->nprocesses++;
	return 0;
}

/* Finds the process of a new thread, created by one of process `parent`. If all
 * threads of the pid's previous process have ended, it is a new process. */
static int find_process(struct gn_pipeline *p, uint32_t tid, uint32_t pid,
			uint32_t parent, uint32_t *out)
{
	uint32_t i = gn_table_get(&p->by_pid, pid);
	uint32_t forked_from = 0;

	if (i != GN_NONE && (tid != pid || p->processes[i].live)) {
		*out = i;
		return 0;
	}
	if (parent != GN_NONE && pid)
		forked_from = p->processes[parent].program;
	return new_process(p, pid, forked_from, out);
}

/* A forked process starts within the functions that called fork. */
static int inherit(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_thread *parent)
{
	uint32_t n;

	if (parent->process == t->process || parent->closed)
		return 0;
	n = gn_stacks_current(&parent->stacks)->n;
	if (p->inherited + n > INHERIT_MIN + p->records)
		return 0;
	p->inherited += n;
	gn_walk_at(p, t, t->start);
	return gn_stacks_inherit(&t->stacks, &p->stage, &parent->stacks);
}

struct gn_thread *gn_thread_new(struct gn_pipeline *p, uint32_t tid,
				uint32_t pid, uint32_t parent, uint64_t time)
{
	struct gn_thread *creator =
		parent ? thread_at(p, gn_table_get(&p->by_tid, parent)) : NULL;
	const struct gn_ghost *ghost =
		parent && !creator ? gn_ghost_find(p, parent) : NULL;
	struct gn_thread *t = calloc(1, sizeof(*t));
	uint32_t from = ghost ? ghost->process : GN_NONE;

	if (!t)
		return NULL;
	if (creator)
		from = creator->process;
	t->index = p->nthreads;
	t->number = p->lives;
	t->tid = tid;
	t->start = t->end = t->last = time;
	t->account.since = time;
	gn_order_init(&t->order, time);
	t->name = gn_pool_add(&p->stage.names.pool, "", 0);
	if (!t->name || find_process(p, tid, pid, from, &t->process))
		goto fail;
	/* a forked child has the frames of its creator */
	t->joined = !parent ||
		    (from != t->process &&
		     (creator ? creator->joined : ghost && ghost->joined));
	if (gn_stacks_init(&t->stacks, p->processes[t->process].node))
		goto fail;
	if (creator && pid && inherit(p, t, creator))
		goto fail;
	if (creator && creator->process == t->process &&
	    gn_starved_made(p, creator, time))
		goto fail;
	if (gn_grow(&p->threads, &p->threads_cap, (size_t)p->nthreads + 1,
		    sizeof(*p->threads)))
		goto fail;
	p->threads[p->nthreads] = t;
	if (set_tid(p, p->nthreads, tid))
		goto fail;
	p->nthreads++;
	p->lives++;
	p->processes[t->process].threads++;
	p->processes[t->process].live++;
	/* the thread belongs to the session by now */
	return gn_threads_fold(p) ? NULL : t;
fail:
	gn_thread_free(t);
	return NULL;
}

int gn_thread_renumber(struct gn_pipeline *p, struct gn_thread *t, uint32_t tid)
{
	uint32_t i = gn_table_get(&p->by_tid, t->tid);

	gn_table_remove(&p->by_tid, t->tid);
	return set_tid(p, i, tid);
}

int gn_thread_set_pid(struct gn_pipeline *p, struct gn_thread *t, uint32_t pid)
{
	uint32_t to;
	int err;

	if (!pid || p->processes[t->process].pid)
		return 0;
	err = find_process(p, t->tid, pid, GN_NONE, &to);
	if (err)
		return err;
	gn_windows_end(&p->processes[t->process].windows, t, t->last, true);
	p->processes[t->process].threads--;
	p->processes[t->process].live--;
	t->process = to;
	t->told = false;
	p->processes[to].threads++;
	p->processes[to].live++;
	t->stacks.root = p->processes[to].node;
	return 0;
}

int gn_thread_set_name(struct gn_pipeline *p, struct gn_thread *t,
		       const char comm[16], bool program)
{
	struct gn_process *proc = &p->processes[t->process];
	bool leader = program && t->tid == proc->pid;
	const char *name;
	uint32_t runtime;

	name = gn_pool_add(&p->stage.names.pool, comm, strnlen(comm, 16));
	if (!name)
		return -ENOMEM;
	t->name = name;
	t->told = false;
	t->role = p->opts.roles.of_thread ? p->opts.roles.of_thread(name)
					  : GN_ROLE_NONE;
	t->account.collects = t->role == GN_ROLE_COLLECTOR;
	runtime = p->opts.roles.runtime_of ? p->opts.roles.runtime_of(name) : 0;
	if (runtime)
		proc->runtime = runtime;
	if (!leader && (!program || proc->name_is_leaders))
		return 0;
	/* without a leader, the first thread seen gives the name */
	if (leader || !proc->name[0])
		proc->name = name;
	proc->name_is_leaders |= leader;
	return 0;
}

/* Whether the open interval is not a function's own code. Frames of functions
 * that native code calls back are above it on the stack. */
static bool does_activity(const struct gn_thread *t, enum gn_class *class)
{
	const struct gn_stack *k = t->stacks.active;

	*class = gn_account_rest(&t->account);
	return *class != GN_CLASS_APP ||
	       (t->native.is && t->native.stack == k->id &&
		t->native.depth == k->n &&
		gn_stacks_owner_id(&t->stacks) == k->id);
}

int gn_thread_charge(struct gn_pipeline *p, struct gn_thread *t,
		     const struct gn_interval *iv, bool open)
{
	struct gn_tree *tree = &p->stage.tree;
	bool outside;
	enum gn_class class;
	uint32_t node, fn;
	int err = 0;

	if (!open)
		gn_walk_interval(p, t, iv);
	node = open ? gn_stacks_charge_open(&t->stacks, iv->elapsed, &outside)
		    : gn_stacks_charge(&t->stacks, iv->elapsed, &outside);
	fn = outside ? GN_NONE : tree->nodes[node].fn;
	gn_account_add(&t->account, iv, outside);
	if (!iv->sliced)
		t->open.n = 0;
	if (t->open.n)
		err = gn_wait_list_flush(&t->open, &p->waits, fn);
	if (p->opts.live && iv->elapsed)
		err |= gn_shares_add(&p->shares, t->index, fn, iv);
	/* a period's model has no such nodes, as it numbers functions anew */
	if (!p->opts.live && does_activity(t, &class))
		err |= gn_tree_activity(tree, node, class, &node);
	return err | gn_tree_add(tree, node, iv) ? -ENOMEM : 0;
}

/* This record follows those of the process's threads, maybe even their ends. */
void gn_process_late(struct gn_pipeline *p, uint32_t pid, uint64_t time)
{
	uint32_t at = gn_table_get(&p->by_pid, pid);
	uint64_t *late;

	if (at == GN_NONE)
		return;
	late = &p->stage.names.late[p->processes[at].program];
	if (*late < time)
		*late = time;
}

void gn_thread_close(struct gn_pipeline *p, struct gn_thread *t, uint64_t end,
		     enum gn_frame_end how)
{
	gn_walk_at(p, t, end);
	gn_slices_ran(p, t, end);
	if (gn_events_close(p, t, end) && !p->stage.walk.err)
		p->stage.walk.err = -ENOMEM;
	gn_stacks_end_all(&t->stacks, &p->stage, how);
	gn_stacks_free(&t->stacks);
	gn_order_free(&t->order);
	gn_wait_list_free(&t->open);
	gn_windows_end(&p->processes[t->process].windows, t, end, true);
	t->end = end;
	t->program = p->processes[t->process].program;
	t->closed = true;
	gn_walk_end(p, t);
	gn_starved_lived(p, t);
	if (gn_taken_lived(p, t) && !p->stage.walk.err)
		p->stage.walk.err = -ENOMEM;
	p->load.ended++;
	p->processes[t->process].live--;
}
