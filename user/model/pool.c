// SPDX-License-Identifier: BSD-2-Clause
#include "model/pool.h"

#include <stdlib.h>
#include <string.h>

#include "model/mem.h"

#define CHUNK_SIZE (64u << 10)

/* Memory of a string besides its bytes: a pointer, and a slot in a table that
 * is half full. */
#define STRING_COST (sizeof(char *) + 2 * sizeof(struct gn_table_slot))

struct gn_pool_chunk {
	struct gn_pool_chunk *next;
	size_t size;
	char bytes[];
};

/* The bytes of all strings. They never move. */
struct gn_pool_texts {
	size_t owners;
	struct gn_pool_chunk *newest;
};

static struct gn_pool_texts *texts_of(struct gn_pool *p)
{
	if (p->texts)
		return p->texts;
	p->texts = calloc(1, sizeof(*p->texts));
	if (p->texts)
		p->texts->owners = 1;
	return p->texts;
}

static char *take_room(struct gn_pool *p, size_t size)
{
	struct gn_pool_texts *t = texts_of(p);
	size_t bytes = size > CHUNK_SIZE ? size : CHUNK_SIZE;
	struct gn_pool_chunk *c;
	char *at;

	if (!t)
		return NULL;
	c = t->newest;
	if (!c || p->room < size) {
		c = malloc(sizeof(*c) + bytes);
		if (!c)
			return NULL;
		c->size = bytes;
		c->next = t->newest;
		t->newest = c;
		p->room = bytes;
	}
	at = c->bytes + (c->size - p->room);
	p->room -= size;
	return at;
}

static const char *add_new(struct gn_pool *p, uint64_t key, const char *text,
			   size_t len)
{
	char *copy;

	if (gn_grow(&p->strings, &p->cap, (size_t)p->n + 1, sizeof(char *)))
		return NULL;
	copy = take_room(p, len + 1);
	if (!copy || gn_table_put(&p->by_hash, key, p->n))
		return NULL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	p->strings[p->n++] = copy;
	p->size += len + 1 + STRING_COST;
	return copy;
}

const char *gn_pool_add(struct gn_pool *p, const char *text, size_t len)
{
	uint64_t key = gn_hash_text(GN_HASH_TEXT ^ len, text, len);
	uint32_t i;

	/* Texts with the same hash take the next keys. */
	for (;; key++) {
		i = gn_table_get(&p->by_hash, key);
		if (i == GN_NONE)
			return add_new(p, key, text, len);
		if (!strncmp(p->strings[i], text, len) && !p->strings[i][len])
			return p->strings[i];
	}
}

struct gn_pool_texts *gn_pool_share(struct gn_pool *p)
{
	struct gn_pool_texts *t = texts_of(p);

	if (t)
		t->owners++;
	return t;
}

void gn_pool_texts_drop(struct gn_pool_texts *t)
{
	struct gn_pool_chunk *c, *next;

	if (!t || --t->owners)
		return;
	for (c = t->newest; c; c = next) {
		next = c->next;
		free(c);
	}
	free(t);
}

void gn_pool_free(struct gn_pool *p)
{
	gn_pool_texts_drop(p->texts);
	gn_table_free(&p->by_hash);
	free(p->strings);
	*p = (struct gn_pool){0};
}
