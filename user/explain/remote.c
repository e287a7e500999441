/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules about what a .NET program asks of databases and of other servers: many
 * SQL commands where one would do, and a connection for each HTTP request. Both
 * are counted by calls of the library's functions, if these are traced.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain/rules.h"

/* So many commands in one call of a function come from a loop. */
#define COMMANDS_LEAST 10
/* A function with fewer calls may do something once, as at the start. */
#define CALLS_LEAST 5
/* Fewer connections are no matter. */
#define CONNECTIONS_LEAST 20
/* The most frames to examine on one path. */
#define PATH_MOST 256

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* What a function has to do with a command of ADO.NET, which all providers
 * derive from, and all mappers and ORMs call. */
enum part {
	PART_NONE = 0,
	PART_EXECUTES,
	PART_CONTINUES, /* what an async method does later */
};

static enum part part_of(const struct gn_model_function *fn)
{
	static const char *const executes[] = {
		"Command.ExecuteDbDataReader", "Command.ExecuteReader",
		"Command.ExecuteNonQuery", "Command.ExecuteScalar"};

	/* EF Core's commands have ADO.NET's in them, not always below them; and
	 * what begins an async method has its name in its own */
	if (!GN_RUNTIME_IS_DOTNET(fn->runtime) ||
	    begins(fn->name, "Microsoft.EntityFrameworkCore.") ||
	    begins(fn->name, "System.Runtime.CompilerServices."))
		return PART_NONE;
	if (strstr(fn->name, "Command+<Execute"))
		return PART_CONTINUES;
	for (size_t i = 0; i < sizeof(executes) / sizeof(*executes); i++) {
		const char *at = strstr(fn->name, executes[i]);
		const char *end = at ? at + strlen(executes[i]) : NULL;

		if (end && (*end == '(' || begins(end, "Async(")))
			return PART_EXECUTES;
	}
	return PART_NONE;
}

struct commands {
	const struct gn_model *m;
	/* by function */
	enum part *part;
	uint64_t *calls, *below, *loops;
	/* by node */
	bool *within;	 /* of a command, or itself one */
	uint64_t *under; /* commands at and below it */
	uint64_t all;
};

static const struct gn_model_node *above(const struct gn_model *m,
					 const struct gn_model_node *n)
{
	return n->parent < 0 ? NULL : &m->nodes[n->parent];
}

/* Whether the function is on the path above the node, too. */
static bool recurs(const struct gn_model *m, const struct gn_model_node *n)
{
	int32_t function = n->function;

	n = above(m, n);
	for (int i = 0; n && i < PATH_MOST; i++, n = above(m, n))
		if (n->function == function)
			return true;
	return false;
}

/* Counts the commands below each node, and below each function. Nodes are in
 * pre-order. */
static void count_commands(struct commands *c)
{
	const struct gn_model *m = c->m;

	for (size_t i = 0; i < m->nnodes; i++) {
		const struct gn_model_node *n = &m->nodes[i];
		enum part part =
			n->function < 0 ? PART_NONE : c->part[n->function];
		bool within = n->parent >= 0 && c->within[n->parent];

		c->within[i] = within || part != PART_NONE;
		if (!within && part == PART_EXECUTES)
			c->under[i] = n->v.calls;
		c->all += c->under[i];
	}
	for (size_t i = m->nnodes; i-- > 0;) {
		const struct gn_model_node *n = &m->nodes[i];

		if (!c->under[i])
			continue;
		if (n->parent >= 0)
			c->under[n->parent] += c->under[i];
		if (n->function >= 0 && !recurs(m, n))
			c->below[n->function] += c->under[i];
	}
}

/* Counts the calls of functions. An async method that goes on is not called
 * again. */
static void count_calls(struct commands *c)
{
	const struct gn_model *m = c->m;

	for (size_t i = 0; i < m->nedges; i++) {
		const struct gn_model_edge *e = &m->edges[i];
		const char *caller =
			e->caller < 0 ? "" : m->functions[e->caller].name;

		if (!begins(caller, "System.Runtime.CompilerServices.") ||
		    !strstr(caller, "StateMachineBox<"))
			c->calls[e->callee] += e->v.calls;
	}
}

/* Whether the function executes many commands in each of its calls. */
static bool has_many(const struct commands *c, int32_t function)
{
	return c->calls[function] >= CALLS_LEAST &&
	       c->below[function] / COMMANDS_LEAST >= c->calls[function] &&
	       !gn_is_framework(&c->m->functions[function]) &&
	       gn_calls_short(c->m, function);
}

/* Attributes commands to the innermost function that executes many. */
static void find_loops(struct commands *c)
{
	const struct gn_model *m = c->m;

	for (size_t i = 0; i < m->nnodes; i++) {
		const struct gn_model_node *n = &m->nodes[i];

		if (n->function < 0 || c->part[n->function] != PART_EXECUTES ||
		    (n->parent >= 0 && c->within[n->parent]))
			continue;
		n = above(m, n);
		for (int k = 0; n && k < PATH_MOST; k++, n = above(m, n)) {
			if (n->function < 0 || !has_many(c, n->function))
				continue;
			c->loops[n->function] += m->nodes[i].v.calls;
			break;
		}
	}
}

/* The part of a time that does not depend on a busy machine, nor on what is
 * compiled once. */
static uint64_t steady(uint64_t ns, uint64_t ready, uint64_t jit)
{
	uint64_t less = ready + jit;

	return ns > less ? ns - less : 0;
}

/* The elapsed time of what the function calls to execute commands, and the
 * steady part of it. */
static uint64_t time_of(const struct commands *c, int32_t function,
			uint64_t *part)
{
	const struct gn_model *m = c->m;
	uint64_t ns = 0;

	for (size_t i = 0; i < m->nnodes; i++) {
		const struct gn_model_node *n = &m->nodes[i];
		const struct gn_model_node *parent = above(m, n);

		if (!c->under[i] || !parent || parent->function != function ||
		    recurs(m, parent))
			continue;
		ns += n->v.elapsed_incl;
		*part += steady(n->v.elapsed_incl,
				n->v.class_incl[GN_CLASS_RUNQUEUE],
				n->v.class_incl[GN_CLASS_JIT]);
	}
	return ns;
}

static void look(struct commands *c, const struct gn_facts *f,
		 struct gn_subject *s)
{
	const struct gn_model *m = c->m;
	uint64_t part = 0;

	for (size_t i = 0; i < m->nfunctions; i++)
		c->part[i] = part_of(&m->functions[i]);
	count_commands(c);
	if (!c->all)
		return;
	count_calls(c);
	find_loops(c);
	for (size_t i = 0; i < m->nfunctions; i++)
		if (c->loops[i])
			gn_subject_add(s, &m->functions[i], c->loops[i]);
	if (!s->nfunctions)
		return;
	s->ns = time_of(c, (int32_t)s->function[0]->index, &part);
	s->whole = c->calls[s->function[0]->index];
	s->share = gn_share(part, steady(f->busy + f->answers, f->ready,
					 f->classes[GN_CLASS_JIT]));
	if (s->share > 1)
		s->share = 1;
}

/* The subject's weight is commands, and `whole` the calls of the function. */
int gn_look_queries(const struct gn_facts *f, struct gn_subject *s)
{
	const struct gn_model *m = f->m;
	size_t functions = m->nfunctions + 1, nodes = m->nnodes + 1;
	struct commands c = {
		.m = m,
		.part = calloc(functions, sizeof(*c.part)),
		.calls = calloc(functions, sizeof(*c.calls)),
		.below = calloc(functions, sizeof(*c.below)),
		.loops = calloc(functions, sizeof(*c.loops)),
		.within = calloc(nodes, sizeof(*c.within)),
		.under = calloc(nodes, sizeof(*c.under)),
	};
	int err = c.part && c.calls && c.below && c.loops && c.within && c.under
			  ? 0
			  : -ENOMEM;

	if (!err)
		look(&c, f, s);
	free(c.part);
	free(c.calls);
	free(c.below);
	free(c.loops);
	free(c.within);
	free(c.under);
	return err;
}

void gn_say_queries(const struct gn_facts *f, const struct gn_subject *s,
		    FILE *out)
{
	fputs("SQL commands one by one: ", out);
	gn_put_function(out, f->m, (int32_t)s->function[0]->index);
	fprintf(out, " executes %.0f of them in a call on average: ",
		(double)s->weight[0] / (double)s->whole);
	gn_put_count(out, s->weight[0], "in", "in");
	fputs(" ", out);
	gn_put_count(out, s->whole, "call", "calls");
	fputs(", which took ", out);
	gn_put_ns(out, s->ns);
	fputs(". Fewer commands that fetch or write more each, as with a join "
	      "or Include, cost less.",
	      out);
}

void gn_next_queries(const struct gn_facts *f, const struct gn_subject *s,
		     FILE *out)
{
	(void)f;
	(void)s;
	fputs("--by tree --min-pct 5", out);
}

/* What the library's client for HTTP did. */
struct http {
	uint64_t requests, connections, ns;
	int32_t maker; /* its function that makes a client; -1: not called */
};

static struct http http_of(const struct gn_model *m)
{
	static const char *const connects[] = {"HttpConnection..ctor(",
					       "Http2Connection..ctor(",
					       "Http3Connection..ctor("};
	static const char library[] = "System.Net.Http.";
	struct http h = {.maker = -1};

	for (size_t i = 0; i < m->nfunctions; i++) {
		const struct gn_model_function *fn = &m->functions[i];
		const char *name = fn->name + sizeof(library) - 1;

		if (begins(fn->name, "System.Net."))
			h.ns += gn_own_time(fn);
		if (!GN_RUNTIME_IS_DOTNET(fn->runtime) ||
		    !begins(fn->name, library))
			continue;
		if (begins(name, "HttpConnectionPoolManager.SendAsync("))
			h.requests += fn->v.calls;
		else if (begins(name, "HttpMessageInvoker..ctor(") &&
			 (h.maker < 0 ||
			  fn->v.calls > m->functions[h.maker].v.calls))
			h.maker = (int32_t)i;
		for (size_t k = 0; k < sizeof(connects) / sizeof(*connects);
		     k++)
			if (begins(name, connects[k]))
				h.connections += fn->v.calls;
	}
	return h;
}

/* The rank is the share of the client's own code; a connection costs the
 * system and the other side more. */
int gn_look_connections(const struct gn_facts *f, struct gn_subject *s)
{
	struct http h = http_of(f->m);

	if (h.connections < CONNECTIONS_LEAST)
		return 0;
	s->share = gn_share(h.connections, h.requests);
	if (s->share > 1)
		s->share = 1;
	s->rank = gn_share_of_work(f, h.ns);
	return 0;
}

void gn_say_connections(const struct gn_facts *f, const struct gn_subject *s,
			FILE *out)
{
	struct http h = http_of(f->m);
	struct gn_caller by = {.function = -1};

	(void)s;
	if (h.maker >= 0)
		gn_caller_outside(f->m, h.maker, GN_CLASS_COUNT, false, &by);
	fputs("HTTP connections are hardly used again: ", out);
	gn_put_count(out, h.requests, "request", "requests");
	fputs(" opened ", out);
	gn_put_count(out, h.connections, "connection", "connections");
	if (by.function >= 0 && by.through >= h.connections / 2) {
		fputs(", and ", out);
		gn_put_count(out, by.through, "client was", "clients were");
		fputs(" made in ", out);
		gn_put_function(out, f->m, by.function);
	}
	fputs(". Requests that share one HttpClient (in gRPC, one "
	      "channel), or use an IHttpClientFactory, share them.",
	      out);
}

void gn_next_connections(const struct gn_facts *f, const struct gn_subject *s,
			 FILE *out)
{
	(void)f;
	(void)s;
	fputs("--by tree --min-pct 1", out);
}
