/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/probes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/hooksite.h>

static struct gn_probe_group *group_of(struct gn_probes *p, size_t file,
				       enum gn_prog prog)
{
	struct gn_probe_group *g;

	/* search the newest first: sites come file by file */
	for (size_t i = p->count; i-- > 0;)
		if (p->group[i].prog == prog && p->group[i].file == file)
			return &p->group[i];
	g = realloc(p->group, (p->count + 1) * sizeof(*g));
	if (!g)
		return NULL;
	p->group = g;
	g = &g[p->count++];
	/* return probes go before the other groups of the file, which have the
	 * enters */
	for (; prog == GN_PROG_NATIVE_RETURN && g > p->group &&
	       g[-1].file == file;
	     g--)
		*g = g[-1];
	memset(g, 0, sizeof(*g));
	g->prog = prog;
	g->file = file;
	return g;
}

static int grow(struct gn_probe_group *g)
{
	size_t room = g->room ? g->room * 2 : 64;
	uint64_t **const lists[] = {&g->offsets, &g->counters, &g->cookies};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		uint64_t *grown = reallocarray(*lists[i], room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		*lists[i] = grown;
	}
	g->room = room;
	return 0;
}

int gn_probes_add(struct gn_probes *p, size_t file, enum gn_prog prog,
		  uint64_t offset, uint64_t counter, uint64_t cookie)
{
	struct gn_probe_group *g = group_of(p, file, prog);
	int err;

	if (!g)
		return -ENOMEM;
	if (g->count == g->room) {
		err = grow(g);
		if (err)
			return err;
	}
	g->offsets[g->count] = offset;
	g->counters[g->count] = counter;
	g->cookies[g->count++] = cookie;
	return 0;
}

int gn_probes_move(struct gn_probes *p, struct gn_probes *from)
{
	size_t all = p->count + from->count;
	struct gn_probe_group *g = reallocarray(p->group, all, sizeof(*g));

	if (!g)
		return all ? -ENOMEM : 0;
	p->group = g;
	memcpy(g + p->count, from->group, from->count * sizeof(*g));
	p->count = all;
	from->count = 0;
	return 0;
}

static bool is_site(enum gn_prog prog)
{
	return prog != GN_PROG_SESSION && prog != GN_PROG_NATIVE &&
	       prog != GN_PROG_NATIVE_RETURN;
}

bool gn_probes_take_nop5(struct gn_probes *p, size_t file)
{
	bool any = false;

	for (size_t i = 0; i < p->count; i++) {
		struct gn_probe_group *g = &p->group[i];

		if (g->file != file || !is_site(g->prog))
			continue;
		for (size_t k = 0; k < g->count; k++)
			g->offsets[k] += GN_SITE_NOP5;
		any = true;
	}
	return any;
}

void gn_probes_free(struct gn_probes *p)
{
	for (size_t i = 0; i < p->count; i++) {
		free(p->group[i].offsets);
		free(p->group[i].counters);
		free(p->group[i].cookies);
	}
	free(p->group);
	memset(p, 0, sizeof(*p));
}
