// SPDX-License-Identifier: BSD-2-Clause
#include "functions.h"

#include <stdlib.h>
#include <string.h>

#include <gnomon/selected.h>
#include "../call_sites.h"
#include "../named.h"
#include "filter.h"
#include "names.h"

#define FIRST_ROOM 1024 /* a power of two */

/*
 * A function by its class and method, or by the code of a block. The collector
 * can free a class and give its address to another one. So an entry that is
 * older than the last collection is checked by its name.
 */
struct known {
	gn_rb_value owner; /* 0: free */
	uint64_t method;   /* and its kind */
	uint32_t index;
	uint32_t epoch; /* 0: check it each time */
};

static struct {
	uint32_t epoch;
	struct known *known;
	size_t known_room, nknown;
	bool ractors;
} functions = {.epoch = 1};

void gn_functions_begin(const char *filter)
{
	gn_named_begin(filter, gn_ruby_filter);
}

void gn_functions_collected(void)
{
	if (!++functions.epoch)
		functions.epoch = 1;
}

static uint32_t index_of(const struct gn_names *n)
{
	return gn_named_index(n->name, n->module, n->line);
}

static size_t place_of(gn_rb_value owner, uint64_t method, size_t room)
{
	uint64_t h =
		(owner >> 3) * 0x9e3779b97f4a7c15 ^ method * 0xc2b2ae3d27d4eb4f;

	return (size_t)(h ^ h >> 32) & (room - 1);
}

static struct known *find_known(gn_rb_value owner, uint64_t method)
{
	size_t i = place_of(owner, method, functions.known_room);
	struct known *k;

	while ((k = &functions.known[i])->owner &&
	       (k->owner != owner || k->method != method))
		i = (i + 1) & (functions.known_room - 1);
	return k;
}

/* Entries from before the last collection are left out: they would have to be
 * checked anyway. So classes that come and go take no memory. */
static bool grow_known(void)
{
	struct known *old = functions.known;
	size_t had = functions.known_room, fresh = 0, room = FIRST_ROOM;

	for (size_t i = 0; i < had; i++)
		fresh += old[i].owner && old[i].epoch == functions.epoch;
	while (room < fresh * 4)
		room *= 2;
	functions.known = calloc(room, sizeof(*functions.known));
	if (!functions.known) {
		functions.known = old;
		return false;
	}
	functions.known_room = room;
	functions.nknown = fresh;
	for (size_t i = 0; i < had; i++)
		if (old[i].owner && old[i].epoch == functions.epoch)
			*find_known(old[i].owner, old[i].method) = old[i];
	free(old);
	return true;
}

/* The code of a block outside of methods. */
static gn_rb_value code_of_block(void)
{
	gn_rb_value frame;

	return gn_rb.frames(0, 1, &frame, NULL) == 1 ? frame : GN_RB_FALSE;
}

/* Events belong to a Ractor: hooks see those of the main one. */
static void look_for_ractors(const struct gn_names *n)
{
	if (functions.ractors || strcmp(n->name, "Ractor.new") != 0 ||
	    strcmp(n->module, "<internal:ractor>") != 0)
		return;
	functions.ractors = true;
	gn_site_call_selected(GN_SELECTED_RACTORS, 1);
}

uint32_t gn_function_of(struct gn_rb_event *e, enum gn_call_kind kind)
{
	gn_rb_value class = gn_rb.event_class(e), frame = GN_RB_FALSE;
	bool free_block = class == gn_rb.nil;
	gn_rb_value owner = class;
	struct gn_names names;
	struct known *k;
	uint64_t method;

	if (free_block) {
		class = GN_RB_FALSE;
		owner = frame = code_of_block();
	}
	if (!owner ||
	    (functions.nknown * 2 >= functions.known_room && !grow_known()))
		return 0;
	method = (free_block ? 0 : (uint64_t)e->id << 2) | kind;
	k = find_known(owner, method);
	if (k->owner && k->epoch == functions.epoch)
		return k->index;
	gn_names_of(e, kind, class, e->id, frame, &names);
	look_for_ractors(&names);
	functions.nknown += !k->owner;
	*k = (struct known){owner, method, index_of(&names),
			    names.unnamed ? 0 : functions.epoch};
	return k->index;
}

uint32_t gn_function_main(void)
{
	static const struct gn_names names = {.name = "<main>"};

	return index_of(&names);
}
