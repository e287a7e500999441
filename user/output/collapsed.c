// SPDX-License-Identifier: BSD-2-Clause
/*
 * Collapsed stacks, for flame graph tools. A line is a call path: its frames
 * from the process on, separated by semicolons, then a blank and the value of
 * the first column of --columns.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "output/formats.h"
#include "output/paths.h"

/* A semicolon in a name would split the frame. */
static int put_frame(FILE *f, const char *name, bool utf8)
{
	char *plain = gn_escape(name[0] ? name : "(unknown)", utf8);

	if (!plain)
		return -ENOMEM;
	for (char *c = plain; *c; c++)
		fputc_unlocked(*c == ';' ? ':' : *c, f);
	free(plain);
	return 0;
}

static int put_path(const struct gn_paths *p, const struct gn_row *r, bool utf8,
		    FILE *f)
{
	int err = 0;

	for (uint32_t i = 1; i <= r->depth && !err; i++) {
		if (i > 1)
			fputc_unlocked(';', f);
		err = put_frame(f, gn_row_shown(p->path[i]), utf8);
	}
	fprintf(f, " %" PRIu64 "\n",
		gn_paths_value(r, p->picks.pick[0].column));
	return err ? err : gn_stream_status(f);
}

/* The same for samples, whose frames are not functions of the model. */
static int put_sampled(const struct gn_model *m, const uint32_t *path,
		       size_t depth, bool utf8, FILE *f)
{
	int err = 0;

	for (size_t i = depth; i-- && !err;) {
		const struct gn_model_sample_node *n =
			&m->sample_nodes[path[i]];

		err = put_frame(f, n->shown ? n->shown : n->name, utf8);
		fputc_unlocked(i ? ';' : ' ', f);
	}
	fprintf(f, "%" PRIu64 "\n", m->sample_nodes[path[0]].self);
	return err ? err : gn_stream_status(f);
}

static int write_samples(const struct gn_model *m, bool utf8, FILE *f)
{
	uint32_t *path = calloc(m->nsample_nodes + 1, sizeof(*path));
	int err = path ? 0 : -ENOMEM;

	for (size_t i = 1; i < m->nsample_nodes && !err; i++) {
		size_t depth = 0;

		if (!m->sample_nodes[i].self)
			continue;
		for (uint32_t at = (uint32_t)i; at;
		     at = m->sample_nodes[at].parent)
			path[depth++] = at;
		err = put_sampled(m, path, depth, utf8, f);
	}
	free(path);
	return err;
}

int gn_collapsed_write(const struct gn_model *m, const struct gn_output_opts *o,
		       FILE *f)
{
	const struct gn_row *r;
	struct gn_paths p;
	int err;

	if (o->by == GN_BY_SAMPLES)
		return write_samples(m, o->utf8, f);
	err = gn_paths_make(m, o, "ae", &p);
	p.picks.n = p.picks.n ? 1 : 0;
	while (!err && (r = gn_paths_next(&p)))
		if (gn_paths_has(&p, r))
			err = put_path(&p, r, o->utf8, f);
	gn_paths_clear(&p);
	return err;
}
