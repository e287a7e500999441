// SPDX-License-Identifier: BSD-2-Clause
/*
 * Proofs about a function and everything that it reaches by direct calls and
 * jumps in its own file. A function is a node. Findings and proofs are cached,
 * so a file is decoded at most once, and nothing is proved twice.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "site/site_internal.h"

/* Limit of functions in one proof. */
#define NODES_MAX 20000

static const char too_many[] = "too many functions can be reached from it";

enum verdict { OPEN_QUESTION = 0, PROVED, DISPROVED };

struct node {
	bool read;
	uint8_t closed, benign;			 /* enum verdict */
	const char *why_closed, *why_not_benign; /* the function's own faults */
	uint32_t *edges; /* node << 1 | whether it is a tail jump */
	uint32_t nedges;
	uint32_t stamp;	 /* the last search that saw it */
	uint32_t parent; /* in that search */
};

struct gn_proof {
	const struct gn_elf *elf;
	struct gn_references *references;
	const struct gn_elf_symbol *symbols;
	const uint64_t *starts;
	size_t nsymbols, nstarts;
	struct node *nodes; /* those of symbols, then of starts */
	uint32_t *queue;
	size_t queue_room;
	uint32_t stamp;
	uint64_t left;	     /* bytes that proofs may still decode */
	uint64_t left_plans; /* bytes that plans may still decode */
	uint64_t left_work;  /* steps that both may still take */
};

struct gn_proof *gn_proof_new(const struct gn_elf *elf)
{
	struct gn_proof *p = calloc(1, sizeof(*p));
	struct gn_elf_section_view text;

	if (!p)
		return NULL;
	p->elf = elf;
	p->nsymbols = gn_elf_symbols(elf, &p->symbols);
	p->nstarts = gn_elf_starts(elf, &p->starts);
	p->nodes = calloc(p->nsymbols + p->nstarts + 1, sizeof(*p->nodes));
	p->references = gn_references_new(elf);
	if (!p->nodes || !p->references) {
		gn_proof_free(p);
		return NULL;
	}
	/* in a sane file, only aliases overlap */
	p->left = 1 << 20;
	p->left_plans = 16 << 20;
	for (size_t i = 0; gn_elf_text(elf, i, &text); i++) {
		p->left += 4 * text.size;
		p->left_plans += 64 * text.size;
	}
	p->left_work = p->left_plans;
	return p;
}

void gn_proof_free(struct gn_proof *p)
{
	if (!p)
		return;
	for (size_t i = 0; p->nodes && i < p->nsymbols + p->nstarts; i++)
		free(p->nodes[i].edges);
	free(p->nodes);
	gn_references_free(p->references);
	free(p->queue);
	free(p);
}

const struct gn_elf *gn_proof_elf(const struct gn_proof *p)
{
	return p->elf;
}

struct gn_references *gn_proof_facts(struct gn_proof *p)
{
	return p->references;
}

bool gn_proof_afford(struct gn_proof *p, uint64_t size)
{
	if (size > p->left_plans || !p->left_work)
		return false;
	p->left_plans -= size;
	return true;
}

void gn_proof_charge(struct gn_proof *p, const struct gn_body *b)
{
	p->left_work -= b->work < p->left_work ? b->work : p->left_work;
}

static bool find_node(const struct gn_proof *p, uint64_t addr, uint32_t *id)
{
	const struct gn_elf_symbol *s = gn_symbol_at(p->elf, addr);
	size_t i;

	if (s && !s->is_ifunc) {
		*id = (uint32_t)(s - p->symbols);
		return true;
	}
	if (s || gn_symbol_over(p->elf, addr) || !gn_start_at(p->elf, addr, &i))
		return false;
	*id = (uint32_t)(p->nsymbols + i);
	return true;
}

static uint64_t node_size(const struct gn_proof *p, uint32_t id)
{
	uint64_t begin, end;
	size_t i = id - p->nsymbols;

	if (id < p->nsymbols)
		return p->symbols[id].size;
	begin = p->starts[i];
	end = gn_start_end(p->elf, i);
	return end - begin > GN_BODY_MAX ? 0 : end - begin;
}

/* Adds a call or tail jump as an edge of the node, or marks the node
 * unproved. */
static void add_edge(struct gn_proof *p, struct node *n,
		     const struct gn_call *call)
{
	const char *import;
	uint32_t to;

	if (find_node(p, call->target, &to)) {
		n->edges[n->nedges++] = to << 1 | call->tail;
		return;
	}
	if (gn_plt_entry(p->elf, call->target, &import) && import &&
	    gn_benign_import(import))
		return;
	if (!n->why_closed)
		n->why_closed = import ? "it calls another library"
				       : "it calls unknown code";
	if (call->tail && !n->why_not_benign)
		n->why_not_benign = "it ends in a jump to unknown code";
}

static int fill_node(struct gn_proof *p, struct node *n,
		     const struct gn_body *b)
{
	n->why_closed = b->closed;
	n->why_not_benign = b->benign;
	if (!n->why_not_benign && b->tails_hidden)
		n->why_not_benign = "it ends in a jump to unknown code";
	if (b->ncalls) {
		n->edges = calloc(b->ncalls, sizeof(*n->edges));
		if (!n->edges)
			return -ENOMEM;
	}
	for (size_t i = 0; i < b->ncalls; i++)
		add_edge(p, n, &b->calls[i]);
	n->read = true;
	return 0;
}

static int read_node(struct gn_proof *p, uint32_t id, struct gn_body *scratch)
{
	struct node *n = &p->nodes[id];
	uint64_t size = node_size(p, id);
	uint64_t addr = id < p->nsymbols ? p->symbols[id].addr
					 : p->starts[id - p->nsymbols];
	int err;

	if (n->read)
		return 0;
	if (size > p->left || !p->left_work) {
		n->why_closed = n->why_not_benign = "its file is too tangled";
		n->read = true;
		return 0;
	}
	p->left -= size;
	err = gn_body_read(scratch, p->elf, p->references, addr, size);
	gn_proof_charge(p, scratch);
	return err ? err : fill_node(p, n, scratch);
}

/* Finds the node of a function whose body was decoded. */
static int own_node(struct gn_proof *p, const struct gn_body *b, uint32_t *id)
{
	if (!find_node(p, b->addr, id))
		return -ENOENT;
	return p->nodes[*id].read ? 0 : fill_node(p, &p->nodes[*id], b);
}

struct search {
	bool tails_only; /* true: prove `benign`; false: `closed` */
	size_t head, count;
};

static uint8_t *verdict_of(struct node *n, const struct search *s)
{
	return s->tails_only ? &n->benign : &n->closed;
}

static const char **why_of(struct node *n, const struct search *s)
{
	return s->tails_only ? &n->why_not_benign : &n->why_closed;
}

static int push(struct gn_proof *p, struct search *s, uint32_t id,
		uint32_t parent)
{
	struct node *n = &p->nodes[id];
	int err;

	if (n->stamp == p->stamp || *verdict_of(n, s) == PROVED)
		return 0;
	err = gn_grow_by_one(&p->queue, &p->queue_room, s->count,
			     sizeof(*p->queue));
	if (err)
		return err;
	n->stamp = p->stamp;
	n->parent = parent;
	p->queue[s->count++] = id;
	return 0;
}

/* The node is not proved, so no node on the path to it is. */
static void disprove(struct gn_proof *p, const struct search *s, uint32_t id)
{
	for (;;) {
		struct node *n = &p->nodes[id];

		*verdict_of(n, s) = DISPROVED;
		if (n->parent == id)
			return;
		id = n->parent;
	}
}

/* 1: the node has no fault of its own, and its edges were queued. 0: it is not
 * proved. */
static int visit(struct gn_proof *p, struct search *s, uint32_t id,
		 struct gn_body *scratch)
{
	struct node *n = &p->nodes[id];
	int err = read_node(p, id, scratch);

	if (err)
		return err;
	if (*verdict_of(n, s) == DISPROVED || *why_of(n, s))
		return 0;
	for (uint32_t i = 0; i < n->nedges; i++) {
		if (s->tails_only && !(n->edges[i] & 1))
			continue;
		err = push(p, s, n->edges[i] >> 1, id);
		if (err)
			return err;
	}
	return 1;
}

/* No proof of the root: whoever reaches it reaches as many. */
static int give_up(struct gn_proof *p, const struct search *s, uint32_t root)
{
	*why_of(&p->nodes[root], s) = too_many;
	disprove(p, s, root);
	return 0;
}

static int prove(struct gn_proof *p, uint32_t root, bool tails_only,
		 struct gn_body *scratch)
{
	struct search s = {.tails_only = tails_only};
	int err;

	if (*verdict_of(&p->nodes[root], &s))
		return *verdict_of(&p->nodes[root], &s) == PROVED;
	p->stamp++;
	err = push(p, &s, root, root);
	while (!err && s.head < s.count) {
		uint32_t id = p->queue[s.head++];

		if (s.head > NODES_MAX)
			return give_up(p, &s, root);
		err = visit(p, &s, id, scratch);
		if (err < 0)
			return err;
		if (!err) {
			disprove(p, &s, id);
			if (*why_of(&p->nodes[id], &s) == too_many)
				return give_up(p, &s, root);
			return 0;
		}
		err = 0;
	}
	if (err)
		return err;
	for (size_t i = 0; i < s.count; i++)
		*verdict_of(&p->nodes[p->queue[i]], &s) = PROVED;
	return 1;
}

int gn_proof_closed(struct gn_proof *p, const struct gn_body *b,
		    struct gn_body *scratch, const char **why)
{
	uint32_t id;
	int err = own_node(p, b, &id);

	*why = "it is no function of its own";
	if (err)
		return err == -ENOENT ? 0 : err;
	err = prove(p, id, false, scratch);
	*why = p->nodes[id].why_closed;
	if (!*why)
		*why = "a function that it calls can be left otherwise than by "
		       "returning";
	return err;
}

int gn_proof_benign(struct gn_proof *p, const struct gn_body *b,
		    struct gn_body *scratch, const char **why)
{
	uint32_t id;
	int err = own_node(p, b, &id);

	*why = "it is no function of its own";
	if (err)
		return err == -ENOENT ? 0 : err;
	err = prove(p, id, true, scratch);
	*why = p->nodes[id].why_not_benign;
	if (!*why)
		*why = "it ends in a jump to a function that a return probe "
		       "can harm";
	return err;
}
