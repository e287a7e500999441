/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <gnomon/utf8.h>
#include "top/draw.h"
#include "top_model.h"
#include "golden.h"

#define MS     1000000ULL
#define SECOND (1000 * MS)
#define START  (7000 * SECOND)

/* Functions of the sample. */
enum { MAIN, SPIN, ADD, LOCK, READ, MARK, NFUNCTIONS };

static struct gn_values values(uint64_t calls, uint64_t incl, uint64_t excl,
			       enum gn_class class, uint64_t classed)
{
	struct gn_values v = {
		.calls = calls,
		.elapsed_incl = incl,
		.elapsed_excl = excl,
	};

	v.class_incl[GN_CLASS_APP] = incl - classed;
	v.class_excl[GN_CLASS_APP] = excl > classed ? excl - classed : 0;
	v.class_incl[class] += classed;
	v.class_excl[class] += excl > classed ? classed : excl;
	v.app_incl = v.class_incl[GN_CLASS_APP];
	v.app_excl = v.class_excl[GN_CLASS_APP];
	return v;
}

static void make_functions(struct tm_period *t)
{
	static const struct gn_model_function functions[NFUNCTIONS] = {
		{.name = "App.Program.Main(System.String[])",
		 .module = "/opt/app/App.dll",
		 .runtime = GN_RUNTIME_CLR},
		{.name = "App.Work.Spin(System.Int32)",
		 .module = "/opt/app/App.dll",
		 .runtime = GN_RUNTIME_CLR},
		{.name = "App.Work.Add(System.Int32, System.Int32)",
		 .module = "/opt/app/App.dll",
		 .runtime = GN_RUNTIME_CLR},
		{.name = "pthread_mutex_lock",
		 .module = "/usr/lib/libc.so.6",
		 .runtime = GN_RUNTIME_NATIVE},
		{.name = "read_blocks",
		 .module = "/usr/lib/libdisk.so",
		 .runtime = GN_RUNTIME_NATIVE},
		{.name = "gc_mark", /* not seen in this period */
		 .module = "/usr/lib/libdisk.so",
		 .runtime = GN_RUNTIME_NATIVE},
	};
	struct gn_model_function *f = t->functions;

	memcpy(f, functions, sizeof(functions));
	for (uint32_t i = 0; i < NFUNCTIONS; i++)
		f[i].index = i;
	f[MAIN].v = values(0, SECOND, SECOND, GN_CLASS_SLEEP, SECOND);
	f[SPIN].v = values(12, 980 * MS, 380 * MS, GN_CLASS_RUNQUEUE, 20 * MS);
	f[ADD].v = values(1234567, 600 * MS, 600 * MS, GN_CLASS_RUNQUEUE, 0);
	f[LOCK].v = values(4, 990 * MS, 990 * MS, GN_CLASS_LOCK, 985 * MS);
	f[READ].v = values(2500, 900 * MS, 900 * MS, GN_CLASS_DISK, 840 * MS);
	t->m.functions = f;
	t->m.nfunctions = NFUNCTIONS;
	t->modules[0] = (struct gn_model_module){
		"/opt/app/App.dll",
		values(1234579, 1980 * MS, 1980 * MS, GN_CLASS_SLEEP, SECOND)};
	t->modules[1] =
		(struct gn_model_module){"/usr/lib/libc.so.6", f[LOCK].v};
	t->modules[2] =
		(struct gn_model_module){"/usr/lib/libdisk.so", f[READ].v};
	t->m.modules = t->modules;
	t->m.nmodules = 3;
}

/* A thread with one share, of the only function on its stack. */
static struct gn_model_thread *add_thread(struct tm_period *t, const char *name,
					  enum gn_thread_state state,
					  enum gn_class doing, uint64_t classed)
{
	size_t i = t->m.nthreads++;
	struct gn_model_thread *x = &t->threads[i];
	struct tm_thread *more = &t->more[i];

	snprintf(more->name, sizeof(more->name), "%s", name);
	more->live.state = state;
	more->live.doing = doing;
	more->live.reason = GN_NO_SYSCALL;
	more->live.shares = more->shares;
	more->live.stack = more->stack;
	*x = (struct gn_model_thread){
		.pid = 4200,
		.tid = 4200 + (uint32_t)i,
		.name = more->name,
		.start = START,
		.end = START + SECOND,
		.elapsed = SECOND,
		.v = values(0, SECOND, 0, doing, classed),
		.live = &more->live,
	};
	memcpy(x->classes, x->v.class_incl, sizeof(x->classes));
	return x;
}

/* The thread has `ns` of its own time in the function, which it is in. */
static void add_share(struct tm_period *t, struct gn_model_thread *x,
		      int32_t function, uint64_t ns)
{
	struct tm_thread *more = &t->more[x - t->threads];
	struct gn_model_share *s = &more->shares[more->live.nshares++];
	const struct gn_values *v = &t->functions[function].v;

	s->function = function;
	s->calls = v->calls;
	s->elapsed = ns;
	s->app = v->app_excl;
	memcpy(s->classes, v->class_excl, sizeof(s->classes));
	x->v.calls += v->calls;
	more->stack[more->live.nstack++] = function;
	more->live.depth = more->live.nstack;
}

static void make_threads(struct tm_period *t)
{
	struct gn_model_thread *x;
	struct gn_model_live *live;

	t->m.threads = t->threads;
	x = add_thread(t, "main", GN_THREAD_WAITING, GN_CLASS_SLEEP, SECOND);
	add_share(t, x, MAIN, SECOND);
	t->more[0].live.reason = 230;
	x = add_thread(t, "spin", GN_THREAD_RUNNING, GN_CLASS_RUNQUEUE,
		       20 * MS);
	add_share(t, x, SPIN, 380 * MS);
	add_share(t, x, ADD, 600 * MS);
	live = &t->more[1].live;
	live->doing = GN_CLASS_APP;
	live->nactivities = 2;
	live->activity[0] = (struct gn_model_activity){GN_CLASS_GC, -1,
						       START + 900 * MS, 0};
	live->activity[1] = (struct gn_model_activity){GN_CLASS_JIT, ADD,
						       START - 12345678, START};
	x = add_thread(t, "queue", GN_THREAD_WAITING, GN_CLASS_LOCK, 995 * MS);
	add_share(t, x, LOCK, 990 * MS);
	t->more[2].live.reason = 202;
	x = add_thread(t, "disk", GN_THREAD_WAITING, GN_CLASS_DISK, 840 * MS);
	add_share(t, x, READ, 900 * MS);
	add_thread(t, "starve", GN_THREAD_RUNNABLE, GN_CLASS_RUNQUEUE,
		   600 * MS);
	x = add_thread(t, "gc", GN_THREAD_ENDED, GN_CLASS_GC, 400 * MS);
	x->elapsed = 500 * MS;
	x->classes[GN_CLASS_APP] = 100 * MS;
	x->v = values(0, 500 * MS, 0, GN_CLASS_GC, 400 * MS);
}

static struct gn_model_node *add_node(struct tm_period *t, int32_t parent,
				      int32_t function, struct gn_values v)
{
	int32_t i = (int32_t)t->m.nnodes++;
	int32_t *link = parent < 0 ? NULL : &t->nodes[parent].first_child;

	while (link && *link >= 0)
		link = &t->nodes[*link].next;
	if (link)
		*link = i;
	t->nodes[i] = (struct gn_model_node){.parent = parent,
					     .first_child = -1,
					     .next = -1,
					     .function = function,
					     .v = v};
	return &t->nodes[i];
}

static void make_tree(struct tm_period *t)
{
	const struct gn_model_function *f = t->functions;

	t->m.nodes = t->nodes;
	add_node(t, -1, -1, t->m.session)->name = "session";
	add_node(t, 0, -1, t->processes[0].v)->name = "app";
	add_node(t, 1, MAIN, f[MAIN].v);
	add_node(t, 1, SPIN, f[SPIN].v);
	add_node(t, 3, ADD, f[ADD].v);
	add_node(t, 1, LOCK, f[LOCK].v);
	add_node(t, 1, READ, f[READ].v);
	/* below 1 %: closed at first */
	add_node(t, 6, MARK, values(3, 10 * MS, 0, GN_CLASS_GC, 0));
	add_node(t, 7, LOCK, values(3, 10 * MS, 10 * MS, GN_CLASS_LOCK, 0));
}

static void sum_session(struct tm_period *t)
{
	struct gn_values *s = &t->m.session;

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < t->m.nthreads; i++) {
		s->calls += t->threads[i].v.calls;
		s->elapsed_incl += t->threads[i].elapsed;
		s->app_incl += t->threads[i].v.app_incl;
		for (int c = 0; c < GN_CLASS_COUNT; c++)
			s->class_incl[c] += t->threads[i].classes[c];
	}
	for (size_t i = 0; i < t->m.nfunctions; i++)
		for (int c = 0; c < GN_CLASS_COUNT; c++)
			s->class_excl[c] += t->m.functions[i].v.class_excl[c];
}

static void make_period(struct tm_period *t)
{
	t->p = (struct gn_top_period){
		.m = &t->m,
		.number = 12,
		.length = SECOND,
		.session = 3723 * SECOND,
		.title = "/opt/app/app --verbose",
		.functions = true,
		.own_cpu_ns = 31 * MS,
		.own_rss = 25690112,
		.slowdown = -1,
	};
	t->p.machine = (struct gn_top_machine){
		.cpus = 4,
		.busy_ns = 1800 * MS,
		.total_ns = 4 * SECOND,
		.iowait_ns = 400 * MS,
		.mem_total = 16ULL << 30,
		.mem_available = 12ULL << 30,
		.load = {1.5, 0.75, 0.25},
	};
	t->m.start = START;
	t->m.end = START + SECOND;
}

static void make_process(struct tm_period *t)
{
	t->processes[0] = (struct gn_model_process){
		.pid = 4200,
		.name = "app",
		.threads = (uint32_t)t->m.nthreads,
		.v = t->m.session,
	};
	t->m.processes = t->processes;
	t->m.nprocesses = 1;
}

struct tm_period *tm_make(void)
{
	struct tm_period *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	make_period(t);
	make_functions(t);
	make_threads(t);
	sum_session(t);
	make_process(t);
	make_tree(t);
	return t;
}

struct tm_period *tm_make_many(size_t n)
{
	struct tm_period *t = calloc(1, sizeof(*t));
	char name[32];

	assert_non_null(t);
	assert_true(n <= TM_THREADS);
	make_period(t);
	make_functions(t);
	t->m.threads = t->threads;
	for (size_t i = 0; i < n; i++) {
		struct gn_model_thread *x;

		snprintf(name, sizeof(name), "w%zu", i);
		x = add_thread(t, name, GN_THREAD_WAITING, GN_CLASS_SLEEP,
			       (1000 - i) * MS);
		x->tid = 5000 + (uint32_t)i;
	}
	sum_session(t);
	make_process(t);
	return t;
}

void tm_end_thread(struct tm_period *t, uint32_t tid)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->m.nthreads; i++) {
		if (t->threads[i].tid != tid)
			t->threads[kept++] = t->threads[i];
	}
	t->m.nthreads = kept;
	t->p.number++;
	t->p.session += SECOND;
	t->m.end += SECOND;
}

void tm_lose(struct tm_period *t)
{
	t->p.lost = 5678;
	t->m.lost = 1234;
	t->m.counters[GN_COUNTER_RING_FULL] = 1200;
	t->m.counters[GN_COUNTER_MISSED] = 34;
	t->threads[1].gaps = 1;
	t->functions[SPIN].v.gap = true;
}

void tm_rename(struct tm_period *t, const char *name)
{
	for (size_t i = 0; i < t->m.nthreads; i++)
		t->threads[i].name = name;
	for (size_t i = 0; i < t->m.nfunctions; i++)
		t->functions[i].name = t->functions[i].module = name;
	for (size_t i = 0; i < t->m.nmodules; i++)
		t->modules[i].name = name;
	for (size_t i = 0; i < t->m.nprocesses; i++)
		t->processes[i].name = name;
	for (size_t i = 0; i < t->m.nnodes; i++)
		t->nodes[i].name = name;
	for (size_t i = 0; i < 3; i++)
		t->muted[i] = (struct gn_top_muted){name, name};
	t->p.title = name;
}

void tm_budget(struct tm_period *t)
{
	t->p.budget = 5;
	t->p.slowdown = 4.25;
	t->p.muted = t->muted;
	t->p.nmuted = 3;
	t->muted[0] = (struct gn_top_muted){"App.Work.Add(System.Int32, "
					    "System.Int32)",
					    "App.dll"};
	t->muted[1] = (struct gn_top_muted){"tiny", "libtiny.so"};
	t->muted[2] = (struct gn_top_muted){"small", "libtiny.so"};
	t->functions[ADD].muted = true;
}

void tm_fork(struct tm_period *t)
{
	t->processes[1] = (struct gn_model_process){
		.pid = 4300, .name = "child", .threads = 1};
	t->m.nprocesses = 2;
	t->threads[4].pid = 4300;
}

void tm_deepen(struct tm_period *t)
{
	int32_t at = 3;

	for (int i = 0; i < 60; i++) {
		add_node(t, at, i % 2 ? ADD : SPIN,
			 values(1, 500 * MS, 0, GN_CLASS_RUNQUEUE, 0));
		at = (int32_t)t->m.nnodes - 1;
	}
}

static bool append(char *buf, size_t size, size_t *at, uint32_t c)
{
	char bytes[4];
	size_t len = gn_utf8_encode(c, bytes);

	if (*at + len >= size)
		return false;
	memcpy(buf + *at, bytes, len);
	*at += len;
	return true;
}

size_t tm_row_text(const struct gn_cells *g, int row, char *buf, size_t size)
{
	size_t at = 0, used = 0;

	for (int col = 0; col < g->cols; col++) {
		const struct gn_cell *cell = gn_cells_at(g, row, col);

		if (!cell)
			break;
		if (!cell->c)
			continue;
		if (!append(buf, size, &at, cell->c))
			break;
		for (int i = 0; i < GN_CELL_MARKS && cell->marks[i]; i++) {
			if (!append(buf, size, &at, cell->marks[i]))
				break;
		}
		if (cell->c != ' ' || cell->marks[0])
			used = at;
	}
	if (size)
		buf[used < size ? used : size - 1] = '\0';
	return used;
}

char *tm_text(const struct gn_cells *g)
{
	size_t size = (size_t)g->rows * ((size_t)g->cols * 12 + 2) + 1, at = 0;
	char *text = malloc(size);

	assert_non_null(text);
	for (int row = 0; row < g->rows; row++) {
		at += tm_row_text(g, row, text + at, size - at);
		text[at++] = '\n';
	}
	text[at] = '\0';
	return text;
}

char *tm_draw(const struct gn_top_period *p, struct gn_top_view *v, int rows,
	      int cols, bool utf8, unsigned colours)
{
	struct gn_cells g = {.utf8 = utf8, .colours = colours};
	char *text;

	assert_int_equal(gn_cells_resize(&g, rows, cols), 0);
	assert_int_equal(gn_top_draw(p, v, &g), 0);
	text = tm_text(&g);
	gn_cells_free(&g);
	return text;
}

void tm_golden(const char *name, char *text)
{
	golden_compare("screen", name, text);
	free(text);
}
