// SPDX-License-Identifier: BSD-2-Clause
#include "thread.h"

#include <pthread.h>
#include <stdlib.h>

#include <gnomon/grow.h>

static _Thread_local struct gn_calls *mine
	__attribute__((tls_model("initial-exec")));
static pthread_key_t ends;
static bool has_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void end(void *calls)
{
	struct gn_calls *c = calls;

	mine = NULL;
	free(c->at);
	free(c);
}

static void make_key(void)
{
	has_key = !pthread_key_create(&ends, end);
}

/* NULL: no memory, or the program has taken all keys. */
static struct gn_calls *begin(void)
{
	struct gn_calls *c = NULL;

	pthread_once(&once, make_key);
	if (has_key)
		c = calloc(1, sizeof(*c));
	if (!c || pthread_setspecific(ends, c)) {
		free(c);
		return NULL;
	}
	c->base = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)15;
	mine = c;
	return c;
}

struct gn_calls *gn_calls_mine(void)
{
	return mine ? mine : begin();
}

uint64_t gn_calls_push(struct gn_calls *c, const void *who, uint32_t index)
{
	if (gn_grow(&c->at, &c->room, c->n + 1, sizeof(*c->at)))
		return 0;
	c->at[c->n] = (struct gn_call){who, index};
	return gn_calls_key(c, c->n++);
}

uint64_t gn_calls_pop(struct gn_calls *c, const void *who, uint32_t index)
{
	for (uint32_t i = c->n; i-- > 0;) {
		if (c->at[i].who != who || c->at[i].index != index)
			continue;
		c->n = i;
		return gn_calls_key(c, i);
	}
	return 0;
}
