// SPDX-License-Identifier: BSD-2-Clause
#include "model/calltree.h"

#include <errno.h>
#include <stdlib.h>

#include "model/mem.h"

static int add_node(struct gn_tree *t, const struct gn_node *node,
		    uint32_t *out)
{
	int err;

	err = gn_grow(&t->nodes, &t->cap, (size_t)t->n + 1, sizeof(*t->nodes));
	if (err)
		return err;
	t->nodes[t->n] = *node;
	*out = t->n++;
	return 0;
}

int gn_tree_init(struct gn_tree *t)
{
	uint32_t root;

	*t = (struct gn_tree){.nclasses = 1};
	return add_node(t, &(struct gn_node){.process = true}, &root);
}

void gn_tree_free(struct gn_tree *t)
{
	free(t->nodes);
	free(t->classes);
	gn_table_free(&t->children);
	*t = (struct gn_tree){0};
}

int gn_tree_process(struct gn_tree *t, uint32_t process, uint32_t *out)
{
	struct gn_node node = {.fn = process, .process = true};

	return add_node(t, &node, out);
}

static uint32_t find_child(const struct gn_tree *t, uint32_t parent,
			   uint32_t fn)
{
	return gn_table_get(&t->children, (uint64_t)parent << 32 | fn);
}

static int add_child(struct gn_tree *t, uint32_t parent, uint32_t fn,
		     uint32_t *out)
{
	uint64_t key = (uint64_t)parent << 32 | fn;
	int err;

	err = add_node(t, &(struct gn_node){.parent = parent, .fn = fn}, out);
	if (err)
		return err;
	err = gn_table_put(&t->children, key, *out);
	if (err)
		t->n--;
	return err;
}

static int find_or_add(struct gn_tree *t, uint32_t parent, uint32_t fn,
		       uint32_t *out)
{
	*out = find_child(t, parent, fn);
	return *out == GN_NONE ? add_child(t, parent, fn, out) : 0;
}

/* The node of `fn` below the process's GN_FN_OTHER. Nodes there are flat: those
 * that `fn` calls become its siblings. */
static int find_other(struct gn_tree *t, uint32_t parent, uint32_t fn,
		      uint32_t *out)
{
	uint32_t other = parent;
	int err;

	while (!t->nodes[other].process && t->nodes[other].fn != GN_FN_OTHER)
		other = t->nodes[other].parent;
	if (t->nodes[other].process) {
		err = find_or_add(t, other, GN_FN_OTHER, &other);
		if (err)
			return err;
	}
	return find_or_add(t, other, fn, out);
}

static bool is_other(const struct gn_tree *t, uint32_t node)
{
	uint32_t parent = t->nodes[node].parent;

	return !t->nodes[node].process && !t->nodes[parent].process &&
	       t->nodes[parent].fn == GN_FN_OTHER;
}

int gn_tree_child(struct gn_tree *t, uint32_t parent, uint32_t fn,
		  uint32_t *out)
{
	uint32_t last = t->nodes[parent].last_child;
	int err = 0;

	if (last && t->nodes[last].fn == fn) {
		*out = last;
		return 0;
	}
	*out = find_child(t, parent, fn);
	if (*out == GN_NONE) {
		if (!t->most || t->n < t->most)
			err = add_child(t, parent, fn, out);
		else
			err = t->others ? find_other(t, parent, fn, out)
					: -ENOSPC;
	}
	if (err)
		return err;
	t->nodes[parent].last_child = *out;
	return 0;
}

int gn_tree_activity(struct gn_tree *t, uint32_t parent, enum gn_class class,
		     uint32_t *out)
{
	uint32_t fn = GN_FN_ACTIVITY(class);
	int err;

	*out = find_child(t, parent, fn);
	if (*out != GN_NONE)
		return 0;
	*out = parent;
	if (t->most && t->n >= t->most)
		return 0;
	err = add_child(t, parent, fn, out);
	/* last_child also tells whether a node has children */
	if (!err && !t->nodes[parent].last_child)
		t->nodes[parent].last_child = *out;
	return err;
}

uint64_t gn_tree_others(const struct gn_tree *t)
{
	uint64_t calls = 0;

	for (uint32_t i = 1; i < t->n; i++)
		if (is_other(t, i))
			calls += t->nodes[i].calls;
	return calls;
}

static int keep_node(const struct gn_tree *t, uint32_t node, uint32_t *map,
		     struct gn_tree *out)
{
	const struct gn_node *from = &t->nodes[node];
	struct gn_node to = {.parent = map[from->parent],
			     .fn = from->fn,
			     .process = from->process};
	int err;

	err = add_node(out, &to, &map[node]);
	if (err || to.process)
		return err;
	out->nodes[to.parent].last_child = map[node];
	return gn_table_put(&out->children, (uint64_t)to.parent << 32 | to.fn,
			    map[node]);
}

int gn_tree_keep(const struct gn_tree *t, uint32_t *map, struct gn_tree *out)
{
	uint32_t i;
	int err;

	err = gn_tree_init(out);
	out->most = t->most;
	for (i = t->n - 1; i > 0; i--)
		if (map[i] != GN_NONE)
			map[t->nodes[i].parent] = 0;
	map[0] = 0;
	for (i = 1; i < t->n && !err; i++)
		if (map[i] != GN_NONE)
			err = keep_node(t, i, map, out);
	if (err)
		gn_tree_free(out);
	return err;
}

int gn_tree_renumber(struct gn_tree *t, const uint32_t *fn)
{
	struct gn_table children = {0};
	uint32_t i;
	int err = 0;

	for (i = 1; i < t->n && !err; i++) {
		const struct gn_node *n = &t->nodes[i];

		if (!n->process)
			err = gn_table_put(
				&children,
				(uint64_t)n->parent << 32 | fn[n->fn], i);
	}
	if (err) {
		gn_table_free(&children);
		return err;
	}
	for (i = 1; i < t->n; i++)
		if (!t->nodes[i].process)
			t->nodes[i].fn = fn[t->nodes[i].fn];
	gn_table_free(&t->children);
	t->children = children;
	return 0;
}

static int add_classes(struct gn_tree *t, struct gn_node *node,
		       const struct gn_interval *iv)
{
	uint32_t mask = iv->mask & ~(1u << GN_CLASS_APP);
	struct gn_class_sums *sums;
	int c, err;

	if (!node->classes) {
		err = gn_grow(&t->classes, &t->classes_cap,
			      (size_t)t->nclasses + 1, sizeof(*t->classes));
		if (err)
			return err;
		t->classes[t->nclasses] = (struct gn_class_sums){0};
		node->classes = t->nclasses++;
	}
	sums = &t->classes[node->classes];
	for (c = 0; c < GN_CLASS_COUNT; c++)
		if (mask & 1u << c)
			sums->ns[c] += iv->ns[c];
	return 0;
}

int gn_tree_add(struct gn_tree *t, uint32_t node, const struct gn_interval *iv)
{
	struct gn_node *n = &t->nodes[node];

	n->elapsed += iv->elapsed;
	n->app += iv->app;
	n->error += iv->error;
	if (iv->gap)
		n->gap = true;
	if (iv->mask & ~(1u << GN_CLASS_APP))
		return add_classes(t, n, iv);
	return 0;
}
