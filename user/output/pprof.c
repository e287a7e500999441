// SPDX-License-Identifier: BSD-2-Clause
/*
 * pprof's profile format, compressed. The message is written in parts: readers
 * merge parts that follow one another, and append lists. Each function is its
 * own location.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "output/caveats.h"
#include "output/formats.h"
#include "output/paths.h"
#include "pprof.pb-c.h"

#define USUAL "calls,ee,ae,classes"

/* A text and its index in the string table. */
struct text {
	const char *name;
	int64_t at;
};

struct pprof {
	const struct gn_model *m;
	struct gn_paths paths;
	FILE *f;
	z_stream z;
	uint8_t *buf;
	size_t room;
	int64_t strings; /* written so far */
	struct text runtimes[GN_RUNTIME_COUNT + 1];
};

static int deflate_all(struct pprof *w, const void *data, size_t size,
		       int flush)
{
	uint8_t out[16384];
	size_t n;

	w->z.next_in = (Bytef *)data;
	w->z.avail_in = (uInt)size;
	do {
		w->z.next_out = out;
		w->z.avail_out = sizeof(out);
		deflate(&w->z, flush);
		n = sizeof(out) - w->z.avail_out;
		fwrite_unlocked(out, 1, n, w->f);
	} while (!w->z.avail_out);
	return gn_stream_status(w->f);
}

static int put(struct pprof *w, const Pprof__Profile *part)
{
	size_t size = pprof__profile__get_packed_size(part);

	if (size > w->room) {
		uint8_t *buf = realloc(w->buf, 2 * size);

		if (!buf)
			return -ENOMEM;
		w->buf = buf;
		w->room = 2 * size;
	}
	pprof__profile__pack(part, w->buf);
	return deflate_all(w, w->buf, size, Z_NO_FLUSH);
}

/* Writes a string, and sets *at to its index. */
static int put_string(struct pprof *w, const char *text, int64_t *at)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	char *plain = gn_escape(text, true);
	int err;

	if (!plain)
		return -ENOMEM;
	part.n_string_table = 1;
	part.string_table = &plain;
	err = put(w, &part);
	free(plain);
	*at = w->strings++;
	return err;
}

static int put_types(struct pprof *w)
{
	const struct gn_picks *picks = &w->paths.picks;
	bool shown = false;
	int err = 0;

	for (int i = 0; i < picks->n && !err; i++) {
		int column = picks->pick[i].column;
		Pprof__Profile part = PPROF__PROFILE__INIT;
		Pprof__ValueType type = PPROF__VALUE_TYPE__INIT, *types = &type;
		bool calls = column == GN_COLUMN_CALLS;

		err = put_string(w, gn_column_name(column), &type.type);
		if (!err)
			err = put_string(w, calls ? "count" : "nanoseconds",
					 &type.unit);
		part.n_sample_type = 1;
		part.sample_type = &types;
		/* what readers show first; without it, the last type */
		if (!calls && !shown) {
			part.default_sample_type = type.type;
			shown = true;
		}
		if (!err)
			err = put(w, &part);
	}
	return err;
}

static int put_frame(struct pprof *w, size_t frame, const char *name,
		     const char *module)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Function function = PPROF__FUNCTION__INIT,
			*functions = &function;
	Pprof__Location location = PPROF__LOCATION__INIT,
			*locations = &location;
	Pprof__Line line = PPROF__LINE__INIT, *lines = &line;
	int err;

	err = put_string(w, name[0] ? name : "(unknown)", &function.name);
	if (!err && module[0])
		err = put_string(w, module, &function.filename);
	if (err)
		return err;
	/* no system_name: readers would try to demangle a copy of the name, and
	 * cut it at its first bracket */
	function.id = location.id = line.function_id = frame + 1;
	location.n_line = 1;
	location.line = &lines;
	part.n_function = part.n_location = 1;
	part.function = &functions;
	part.location = &locations;
	return put(w, &part);
}

static int put_frames(struct pprof *w)
{
	const struct gn_model *m = w->m;
	size_t processes = 0;
	int err = 0;

	for (size_t i = 0; i < m->nfunctions && !err; i++)
		err = put_frame(w, i, gn_function_shown(&m->functions[i]),
				m->functions[i].module);
	for (size_t i = 0; i < m->nactivities && !err; i++)
		err = put_frame(
			w, m->nfunctions + i,
			gn_activity_text((enum gn_activity_node)(i + 1)), "");
	for (size_t i = 0; i < w->paths.rows.n && !err; i++)
		if (w->paths.rows.row[i].depth == 1)
			err = put_frame(
				w, m->nfunctions + m->nactivities + processes++,
				w->paths.rows.row[i].name, "");
	return err;
}

static int put_sample(struct pprof *w, const struct gn_row *r, size_t process,
		      uint64_t *locations, Pprof__Label *runtime)
{
	const struct gn_picks *picks = &w->paths.picks;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples = &sample;
	int64_t values[GN_COLUMN_COUNT];

	/* the innermost first */
	for (uint32_t i = 0; i < r->depth; i++)
		locations[i] =
			1 + gn_paths_frame(w->m, w->paths.path[r->depth - i],
					   process);
	for (int i = 0; i < picks->n; i++)
		values[i] = (int64_t)gn_paths_value(r, picks->pick[i].column);
	sample.n_location_id = r->depth;
	sample.location_id = locations;
	sample.n_value = (size_t)picks->n;
	sample.value = values;
	sample.n_label = runtime->str ? 1 : 0;
	sample.label = &runtime;
	part.n_sample = 1;
	part.sample = &samples;
	return put(w, &part);
}

/* Sets *at to the index of a runtime's name; 0: no runtime. */
static int runtime_string(struct pprof *w, const char *runtime, int64_t *at)
{
	struct text *t = w->runtimes;

	*at = 0;
	if (!runtime)
		return 0;
	while (t->name && strcmp(t->name, runtime))
		t++;
	if (!t->name) {
		int err = put_string(w, runtime, &t->at);

		if (err)
			return err;
		t->name = runtime;
	}
	*at = t->at;
	return 0;
}

static int put_samples(struct pprof *w)
{
	Pprof__Label runtime = PPROF__LABEL__INIT;
	size_t process = 0, seen = 0;
	uint64_t *locations = calloc(w->paths.rows.n + 1, sizeof(*locations));
	const struct gn_row *r;
	int err = locations ? put_string(w, "runtime", &runtime.key) : -ENOMEM;

	while (!err && (r = gn_paths_next(&w->paths))) {
		if (r->depth == 1)
			process = seen++;
		if (!gn_paths_has(&w->paths, r))
			continue;
		err = runtime_string(w, r->runtime, &runtime.str);
		if (!err)
			err = put_sample(w, r, process, locations, &runtime);
	}
	free(locations);
	return err;
}

/* `go tool pprof -comments` and the pages of readers show them. */
static int put_comments(struct pprof *w)
{
	struct gn_caveats caveats;
	int err = 0;

	gn_caveats_make(w->m, &caveats);
	for (size_t i = 0; i < caveats.n && !err; i++) {
		Pprof__Profile part = PPROF__PROFILE__INIT;
		int64_t at = 0;

		err = put_string(w, caveats.line[i], &at);
		part.n_comment = 1;
		part.comment = &at;
		if (!err)
			err = put(w, &part);
	}
	return err;
}

static int put_all(struct pprof *w)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	int64_t empty;
	int err;

	if (w->m->end > w->m->start)
		part.duration_nanos = (int64_t)(w->m->end - w->m->start);
	err = put_string(w, "", &empty);
	if (!err)
		err = put(w, &part);
	if (!err)
		err = put_comments(w);
	if (!err)
		err = put_types(w);
	if (!err)
		err = put_frames(w);
	if (!err)
		err = put_samples(w);
	return err ? err : deflate_all(w, NULL, 0, Z_FINISH);
}

int gn_pprof_write(const struct gn_model *m, const struct gn_output_opts *o,
		   FILE *f)
{
	struct pprof w = {.m = m, .f = f};
	int err = gn_paths_make(m, o, USUAL, &w.paths);

	/* 15 bits of window, and 16 for gzip's header */
	if (!err && deflateInit2(&w.z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8,
				 Z_DEFAULT_STRATEGY) != Z_OK)
		err = -ENOMEM;
	if (!err) {
		err = put_all(&w);
		deflateEnd(&w.z);
	}
	free(w.buf);
	gn_paths_clear(&w.paths);
	return err;
}
