// SPDX-License-Identifier: BSD-2-Clause
#include "model/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"

/* One sibling among its siblings. */
struct sibling {
	uint64_t value;
	uint32_t parent;
	uint32_t rank; /* by name */
	uint32_t node;
};

struct build {
	struct gn_pipeline *p;
	struct gn_tree *tree; /* consumed */
	struct gn_model *m;
	uint32_t *fns; /* the functions that the model has, by index in names */
	uint32_t nfns, fns_cap;
	uint32_t *function_of; /* index in names -> in m->functions, by name */
	uint32_t *rank_of;     /* process -> its place by name */
	uint32_t *same; /* node -> the one it is merged into, or itself */
	uint32_t *first, *next; /* children in order; 0 = none */
	uint32_t *place;	/* node -> index in m->nodes */
};

/* All but what the live view asks for. */
static void build_free_tree(struct build *b)
{
	gn_tree_free(b->tree);
	free(b->fns);
	free(b->rank_of);
	free(b->same);
	free(b->first);
	free(b->next);
	free(b->place);
	b->fns = b->rank_of = b->same = NULL;
	b->first = b->next = b->place = NULL;
}

static int build_alloc(struct build *b)
{
	size_t nodes = b->tree->n, fns = b->p->stage.names.nfns;

	b->function_of = calloc(fns + 1, sizeof(uint32_t));
	b->rank_of = calloc((size_t)b->p->nprocesses + 1, sizeof(uint32_t));
	b->same = calloc(nodes, sizeof(uint32_t));
	b->first = calloc(nodes, sizeof(uint32_t));
	b->next = calloc(nodes, sizeof(uint32_t));
	b->place = calloc(nodes, sizeof(uint32_t));
	return b->function_of && b->rank_of && b->same && b->first && b->next &&
			       b->place
		       ? 0
		       : -ENOMEM;
}

struct named {
	const char *name, *module;
	uint32_t runtime;
	uint32_t id;	/* pid of a process */
	uint32_t index; /* in names, in processes */
	bool known;
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int cmp = strcmp(x->name, y->name);

	if (!cmp)
		cmp = strcmp(x->module, y->module);
	if (cmp)
		return cmp;
	if (x->runtime != y->runtime)
		return x->runtime < y->runtime ? -1 : 1;
	if (x->known != y->known)
		return x->known ? 1 : -1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int add_fn(struct build *b, uint32_t fn)
{
	if (fn == GN_NONE || b->function_of[fn])
		return 0;
	if (gn_grow(&b->fns, &b->fns_cap, (size_t)b->nfns + 1, sizeof(*b->fns)))
		return -ENOMEM;
	b->function_of[fn] = 1;
	b->fns[b->nfns++] = fn;
	return 0;
}

/* Those that are on a path, were compiled by a living thread, woke one, or are
 * not seen any more. */
static int list_fns(struct build *b)
{
	const struct gn_pipeline *p = b->p;
	const struct gn_names *names = &p->stage.names;
	uint32_t i, k;
	int err = 0;

	for (i = 0; i < b->tree->n; i++)
		if (!b->tree->nodes[i].process)
			err |= add_fn(b, b->tree->nodes[i].fn);
	for (i = 0; i < p->waits.n; i++) {
		err |= add_fn(b, p->waits.rows[i].fn);
		err |= add_fn(b, p->waits.rows[i].waker_fn);
	}
	for (i = 0; i < p->nthreads; i++)
		for (k = 0; k < gn_live_activities(&p->threads[i]->live); k++)
			err |= add_fn(b,
				      gn_live_at(&p->threads[i]->live, k)->fn);
	for (i = 0; i < p->shares.n; i++)
		err |= add_fn(b, p->shares.rows[i].fn);
	for (i = 0; i < names->nmuted; i++)
		err |= add_fn(b, names->muted[i]);
	return err;
}

/* What they are called, in order. 0 or -ENOMEM. */
static int list_named(struct build *b, struct named *list)
{
	struct gn_names *names = &b->p->stage.names;
	uint32_t i;

	for (i = 0; i < b->nfns; i++) {
		uint32_t fn = b->fns[i];

		list[i] = (struct named){
			.index = fn,
			.name = gn_names_text(names, fn),
			.module = gn_names_module_text(names, fn),
			.runtime = GN_FUNC_RUNTIME(names->fns[fn].func),
			.known = names->fns[fn].name,
		};
		if (!list[i].name || !list[i].module)
			return -ENOMEM;
	}
	qsort(list, b->nfns, sizeof(*list), compare_named);
	return 0;
}

static void note_muted(struct build *b)
{
	const struct gn_names *names = &b->p->stage.names;
	uint32_t i;

	for (i = 0; i < names->nmuted; i++)
		b->m->functions[b->function_of[names->muted[i]]].muted = true;
}

static enum gn_runtime_id runtime_of(const struct named *f)
{
	return f->runtime < GN_RUNTIME_COUNT ? f->runtime : GN_RUNTIME_NATIVE;
}

/* Ids of one name are one function; those without a name are each their own. */
static int make_functions(struct build *b)
{
	struct gn_names *names = &b->p->stage.names;
	struct gn_model *m = b->m;
	struct named *list;
	uint32_t i;
	int err;

	err = list_fns(b);
	if (err)
		return err;
	list = calloc((size_t)b->nfns + 1, sizeof(*list));
	m->functions = calloc((size_t)b->nfns + 1, sizeof(*m->functions));
	err = list && m->functions ? list_named(b, list) : -ENOMEM;
	if (err)
		goto out;
	for (i = 0; i < b->nfns; i++) {
		const struct named *f = &list[i], *last = i ? f - 1 : NULL;

		if (!last || !f->known || !last->known ||
		    f->name != last->name || f->module != last->module ||
		    f->runtime != last->runtime)
			m->functions[m->nfunctions++] =
				(struct gn_model_function){
					.name = f->name,
					.module = f->module,
					.runtime = runtime_of(f),
				};
		m->functions[m->nfunctions - 1].v.unprobed |=
			names->fns[f->index].unprobed;
		names->fns[f->index].unprobed = false;
		b->function_of[f->index] = (uint32_t)m->nfunctions - 1;
	}
	note_muted(b);
out:
	free(list);
	return err;
}

static int rank_processes(struct build *b)
{
	struct gn_pipeline *p = b->p;
	struct named *list = calloc((size_t)p->nprocesses + 1, sizeof(*list));
	uint32_t i;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < p->nprocesses; i++)
		list[i] = (struct named){.name = p->processes[i].name,
					 .module = "",
					 .id = p->processes[i].pid,
					 .index = i};
	qsort(list, p->nprocesses, sizeof(*list), compare_named);
	for (i = 0; i < p->nprocesses; i++)
		b->rank_of[list[i].index] = i;
	free(list);
	return 0;
}

static void merge_node(struct gn_tree *t, uint32_t into, uint32_t from)
{
	struct gn_node *a = &t->nodes[into];
	const struct gn_node *b = &t->nodes[from];
	int c;

	a->calls += b->calls;
	a->unwound += b->unwound;
	a->elapsed += b->elapsed;
	a->app += b->app;
	a->error += b->error;
	a->gap |= b->gap;
	if (b->finished && (!a->finished || b->min < a->min))
		a->min = b->min;
	if (b->max > a->max)
		a->max = b->max;
	a->finished += b->finished;
	a->spent += b->spent;
	if (!a->classes)
		a->classes = b->classes;
	else if (b->classes)
		for (c = 0; c < GN_CLASS_COUNT; c++)
			t->classes[a->classes].ns[c] +=
				t->classes[b->classes].ns[c];
}

/* Call paths of the same functions are one, whatever ids these had. */
static int merge_nodes(struct build *b)
{
	struct gn_tree *t = b->tree;
	struct gn_table seen = {0};
	uint32_t i;
	int err = 0;

	for (i = 0; i < t->n && !err; i++) {
		struct gn_node *n = &t->nodes[i];
		uint64_t key;

		b->same[i] = i;
		n->parent = b->same[n->parent];
		if (n->process)
			continue;
		n->fn = b->function_of[n->fn];
		key = (uint64_t)n->parent << 32 | n->fn;
		b->same[i] = gn_table_get(&seen, key);
		if (b->same[i] != GN_NONE) {
			merge_node(t, b->same[i], i);
			continue;
		}
		b->same[i] = i;
		err = gn_table_put(&seen, key, i);
	}
	gn_table_free(&seen);
	return err;
}

static int compare_siblings(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* A process is shown that has a thread or that any time was spent in. */
static bool process_shown(const struct build *b, uint32_t process)
{
	const struct gn_process *proc = &b->p->processes[process];
	const struct gn_node *n = &b->tree->nodes[proc->node];

	return proc->threads || n->last_child || n->elapsed;
}

static uint32_t list_siblings(struct build *b, const uint64_t *value,
			      struct sibling *list)
{
	const struct gn_tree *t = b->tree;
	uint32_t i, n = 0;

	for (i = 1; i < t->n; i++) {
		const struct gn_node *node = &t->nodes[i];

		if (b->same[i] != i ||
		    (node->process && !process_shown(b, node->fn)))
			continue;
		list[n++] = (struct sibling){
			.value = value[i],
			.parent = node->parent,
			.rank = node->process ? b->rank_of[node->fn] : node->fn,
			.node = i,
		};
	}
	qsort(list, n, sizeof(*list), compare_siblings);
	return n;
}

/* Links the children of each node in their order. */
static int order_nodes(struct build *b)
{
	const struct gn_tree *t = b->tree;
	uint64_t *value = calloc(t->n, sizeof(*value));
	struct sibling *list = calloc(t->n, sizeof(*list));
	uint32_t i, n;

	if (!value || !list) {
		free(value);
		free(list);
		return -ENOMEM;
	}
	for (i = t->n - 1; i > 0; i--) {
		if (b->same[i] != i)
			continue;
		value[i] += t->nodes[i].elapsed;
		value[t->nodes[i].parent] += value[i];
	}
	n = list_siblings(b, value, list);
	for (i = n; i > 0; i--) {
		const struct sibling *s = &list[i - 1];

		b->next[s->node] = b->first[s->parent];
		b->first[s->parent] = s->node;
	}
	b->m->nnodes = (size_t)n + 1;
	free(value);
	free(list);
	return 0;
}

static uint64_t not_below_0(int64_t ns)
{
	return ns > 0 ? (uint64_t)ns : 0;
}

static void fill_node(struct build *b, uint32_t from, struct gn_model_node *n)
{
	const struct gn_tree *t = b->tree;
	const struct gn_node *r = &t->nodes[from];
	uint64_t rest = r->elapsed;
	int c;

	n->v.calls = r->calls;
	n->v.unwound = r->unwound;
	n->v.elapsed_incl = n->v.elapsed_excl = r->elapsed;
	n->v.app_incl = n->v.app_excl = r->app;
	n->v.error_incl = n->v.error_excl = not_below_0(r->error);
	n->v.min = r->min;
	n->v.max = r->max;
	n->v.finished = r->finished;
	n->v.spent = r->spent;
	n->v.gap = r->gap;
	if (r->classes) {
		const uint64_t *ns = t->classes[r->classes].ns;

		for (c = 0; c < GN_CLASS_COUNT; c++) {
			n->v.class_incl[c] = n->v.class_excl[c] = ns[c];
			rest -= ns[c];
		}
	}
	n->v.class_incl[GN_CLASS_APP] = n->v.class_excl[GN_CLASS_APP] = rest;
	n->function = r->process ? -1 : (int32_t)r->fn;
	if (!from)
		n->name = "session";
	else if (r->process)
		n->name = b->p->processes[r->fn].name;
	else
		n->name = b->m->functions[r->fn].name;
	n->v.unprobed =
		n->function >= 0 && b->m->functions[n->function].v.unprobed;
}

static void link_node(const struct build *b, uint32_t from,
		      struct gn_model_node *n)
{
	uint32_t parent = b->tree->nodes[from].parent;

	n->parent = from ? (int32_t)b->place[parent] : -1;
	n->first_child =
		b->first[from] ? (int32_t)b->place[b->first[from]] : -1;
	n->next = b->next[from] ? (int32_t)b->place[b->next[from]] : -1;
}

/* The next of a walk in pre-order; 0: that was the last. */
static uint32_t step(const struct build *b, uint32_t at)
{
	if (b->first[at])
		return b->first[at];
	while (at && !b->next[at])
		at = b->tree->nodes[at].parent;
	return at ? b->next[at] : 0;
}

/* Inclusive values, and the sums that processes and the session have. */
static void sum_nodes(struct gn_model *m)
{
	size_t i, process = 0;

	for (i = m->nnodes - 1; i > 0; i--) {
		struct gn_values *up = &m->nodes[m->nodes[i].parent].v;

		gn_values_add_incl(up, &m->nodes[i].v);
		up->gap |= m->nodes[i].v.gap;
	}
	for (i = 1; i < m->nnodes; i++) {
		if (m->nodes[i].function < 0) {
			process = i;
			continue;
		}
		m->nodes[process].v.calls += m->nodes[i].v.calls;
		m->nodes[process].v.unwound += m->nodes[i].v.unwound;
		m->nodes[0].v.calls += m->nodes[i].v.calls;
		m->nodes[0].v.unwound += m->nodes[i].v.unwound;
	}
}

static int make_nodes(struct build *b)
{
	struct gn_model *m = b->m;
	uint32_t at = 0, i = 0;
	int err;

	err = merge_nodes(b);
	if (!err)
		err = order_nodes(b);
	if (err)
		return err;
	m->nodes = calloc(m->nnodes, sizeof(*m->nodes));
	if (!m->nodes)
		return -ENOMEM;
	do {
		b->place[at] = i;
		fill_node(b, at, &m->nodes[i++]);
		at = step(b, at);
	} while (at);
	do {
		link_node(b, at, &m->nodes[b->place[at]]);
		at = step(b, at);
	} while (at);
	sum_nodes(m);
	return 0;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void fill_thread(const struct gn_pipeline *p, const struct gn_thread *t,
			struct gn_model_thread *out)
{
	const struct gn_account *a = &t->account;
	int c;

	out->pid = p->processes[t->process].pid;
	out->tid = t->tid;
	out->name = t->name;
	out->start = t->start;
	out->end = t->closed ? t->end : a->since;
	out->elapsed = a->elapsed;
	out->probe_cost = a->cost;
	out->kernel = t->kernel;
	out->gaps = t->gaps;
	out->records = t->records;
	out->entered = t->entered;
	out->in_doubt = t->in_doubt;
	out->v.calls = t->stacks.calls;
	out->v.unwound = t->stacks.unwound;
	out->v.elapsed_incl = out->elapsed;
	out->v.elapsed_excl = out->elapsed - a->outside_elapsed;
	out->v.app_incl = a->app;
	out->v.app_excl = a->app - a->outside_app;
	out->v.error_incl = not_below_0(a->error);
	out->v.error_excl = not_below_0(a->error - a->outside_error);
	out->v.gap = t->gaps;
	for (c = 0; c < GN_CLASS_COUNT; c++) {
		out->classes[c] = a->classes[c];
		out->v.class_incl[c] = a->classes[c];
		out->v.class_excl[c] = a->classes[c] - a->outside[c];
	}
}

static uint64_t account_error(const struct gn_model_thread *t)
{
	uint64_t sum = 0;
	int c;

	for (c = 0; c < GN_CLASS_COUNT; c++)
		sum += t->classes[c];
	return distance(t->elapsed, sum) +
	       distance(t->elapsed + t->probe_cost, t->end - t->start);
}

static int compare_threads(const void *a, const void *b)
{
	const struct gn_model_thread *x = a, *y = b;
	int cmp;

	if (x->elapsed != y->elapsed)
		return x->elapsed > y->elapsed ? -1 : 1;
	cmp = strcmp(x->name, y->name);
	if (cmp)
		return cmp;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->records < y->records ? -1 : x->records > y->records;
}

static int compare_processes(const void *a, const void *b)
{
	const struct gn_model_process *x = a, *y = b;
	int cmp;

	if (x->v.elapsed_incl != y->v.elapsed_incl)
		return x->v.elapsed_incl > y->v.elapsed_incl ? -1 : 1;
	cmp = strcmp(x->name, y->name);
	if (cmp)
		return cmp;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->threads < y->threads ? -1 : x->threads > y->threads;
}

static void add_thread(struct gn_model *m, const struct gn_model_thread *t,
		       struct gn_values *process)
{
	gn_values_add_own(process, &t->v);
	gn_values_add_incl(process, &t->v);
	gn_values_add_own(&m->session, &t->v);
	gn_values_add_incl(&m->session, &t->v);
	m->checks.account_error_ns += account_error(t);
}

static int make_threads(struct build *b)
{
	const struct gn_pipeline *p = b->p;
	struct gn_model *m = b->m;
	struct gn_model_own *own = m->own;
	uint32_t i;

	m->threads = calloc((size_t)p->nthreads + 1, sizeof(*m->threads));
	m->processes = calloc((size_t)p->nprocesses + 1, sizeof(*m->processes));
	if (!m->threads || !m->processes)
		return -ENOMEM;
	if (p->opts.live) {
		own->live = calloc((size_t)p->nthreads + 1, sizeof(*own->live));
		if (!own->live)
			return -ENOMEM;
	}
	for (i = 0; i < p->nthreads; i++) {
		if (own->live)
			m->threads[i].live = &own->live[i];
		fill_thread(p, p->threads[i], &m->threads[i]);
		add_thread(m, &m->threads[i],
			   &m->processes[p->threads[i]->process].v);
		m->checks.sched_errors +=
			gn_kernel_differs(&p->threads[i]->kernel);
		m->probe_cost += p->threads[i]->account.cost;
	}
	m->nthreads = p->nthreads;
	for (i = 0; i < p->nprocesses; i++) {
		struct gn_model_process *to = &m->processes[m->nprocesses];

		if (!process_shown(b, i))
			continue;
		if (to != &m->processes[i])
			to->v = m->processes[i].v;
		to->pid = p->processes[i].pid;
		to->name = p->processes[i].name;
		to->threads = p->processes[i].threads;
		m->nprocesses++;
	}
	qsort(m->threads, m->nthreads, sizeof(*m->threads), compare_threads);
	qsort(m->processes, m->nprocesses, sizeof(*m->processes),
	      compare_processes);
	return 0;
}

static void set_bounds(const struct gn_pipeline *p, struct gn_model *m)
{
	uint32_t i;

	m->start = p->start;
	m->end = p->end ? p->end : p->last;
	if (!p->has_session && !p->periods && p->nthreads) {
		m->start = p->threads[0]->start;
		for (i = 1; i < p->nthreads; i++)
			if (p->threads[i]->start < m->start)
				m->start = p->threads[i]->start;
	}
	if (m->end < m->start)
		m->end = m->start;
}

/* Strings and the list of INFO are the model's as well. */
static int own(struct gn_pipeline *p, struct gn_model *m)
{
	struct gn_model_own *own = calloc(1, sizeof(*own));

	m->own = own;
	m->info = calloc((size_t)p->ninfo + 1, sizeof(*m->info));
	if (!own || !m->info)
		return -ENOMEM;
	if (p->ninfo)
		memcpy(m->info, p->info, p->ninfo * sizeof(*m->info));
	m->ninfo = p->ninfo;
	own->texts = gn_pool_share(&p->stage.names.pool);
	return own->texts ? 0 : -ENOMEM;
}

static void fill_session(const struct gn_pipeline *p, struct gn_model *m)
{
	int c;

	m->classify = p->opts.classify;
	m->lost = p->lost;
	m->raw = p->opts.raw || !p->costed;
	m->probe_cost_left = (int64_t)(p->owed - p->owed_before);
	for (c = 0; c < GN_PROBE_CLASS_COUNT; c++)
		m->costs[c] = gn_cost_mean(p, c);
	memcpy(m->counters, p->counters, sizeof(m->counters));
	m->checks = p->stage.checks;
	set_bounds(p, m);
}

static int make_all(struct build *b)
{
	int32_t *place = NULL;
	int err;

	err = make_functions(b);
	if (!err)
		err = gn_waits_build(&b->p->waits, b->function_of, b->m);
	if (!err)
		err = gn_code_build(b->p, b->m);
	if (!err)
		err = make_threads(b);
	if (!err)
		err = rank_processes(b);
	if (!err)
		err = make_nodes(b);
	build_free_tree(b);
	if (!err)
		err = gn_rollup(b->m, &place);
	if (!err && b->p->opts.live)
		err = gn_live_build(b->p, b->m, b->function_of, place);
	free(place);
	return err;
}

int gn_build(struct gn_pipeline *p, struct gn_tree *tree, struct gn_model **out)
{
	struct gn_model *m = calloc(1, sizeof(*m));
	struct build b = {.p = p, .tree = tree, .m = m};
	int err = -ENOMEM;

	if (!m || own(p, m) || build_alloc(&b))
		goto out;
	fill_session(p, m);
	/* what is no longer needed makes room for the model, whose nodes are
	 * much larger */
	gn_table_free(&tree->children);
	err = make_all(&b);
	if (err)
		goto out;
	/* the tree is another way to the same sum */
	m->checks.account_error_ns +=
		distance(m->nodes[0].v.elapsed_incl, m->session.elapsed_incl);
	*out = m;
	m = NULL;
out:
	build_free_tree(&b);
	free(b.function_of);
	gn_model_free(m);
	return err;
}
