// SPDX-License-Identifier: BSD-2-Clause
/*
 * run_format FORMAT STREAM FILE REPORT [COLUMNS]: replays a readable stream
 * once, into a file in this format and into a JSON report, for comparison by
 * check-timeline, check-stacks, check-rows and check-calls. A STREAM "hostile"
 * has hostile names and times.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/calls.h"
#include "output/output.h"
#include "output/timeline.h"
#include "parse.h"

static void add_call(struct stream *s, uint64_t start, uint64_t end,
		     uint32_t func)
{
	stream_add(s, &(struct stream_event){.time = start,
					     .tid = 1,
					     .kind = GN_KIND_ENTER,
					     .key = 0x100,
					     .func = func});
	stream_add(s, &(struct stream_event){.time = end,
					     .tid = 1,
					     .kind = GN_KIND_LEAVE,
					     .key = 0x100,
					     .func = func});
}

/* Names with control characters, with invalid UTF-8, or that end JSON; a call
 * without length, and one that ends before it begins. */
static void hostile(struct stream *s)
{
	static const char *const names[] = {
		"\033[2J\007",
		"\xff\xfe",
		"\xc3(",
		"a\"b\\c\n\t\r",
		"\xe2\x80\xae",
		"</script>",
		"\x7f",
		" ",
		"<img src=x onerror=alert(1)>",
		"<!--<script>",
	};
	const uint32_t n = sizeof(names) / sizeof(names[0]);

	stream_add(s, &(struct stream_event){.time = 10,
					     .tid = 1,
					     .kind = GN_KIND_THREAD,
					     .pid = 1,
					     .comm = "\xff\033\n\"\\"});
	for (uint32_t i = 0; i < n; i++)
		stream_add(s, &(struct stream_event){
				      .time = 10,
				      .tid = 1,
				      .kind = GN_KIND_NAME,
				      .id = GN_FUNC(GN_RUNTIME_CLR, i + 1),
				      .ref = 1,
				      .text = {names[i], names[n - 1 - i]}});
	for (uint32_t i = 0; i < n; i++)
		add_call(s, 20 + i, 20 + i + i % 2,
			 GN_FUNC(GN_RUNTIME_CLR, i + 1));
	add_call(s, 100, 90, GN_FUNC(GN_RUNTIME_CLR, 1));
	stream_add(s, &(struct stream_event){
			      .time = 200, .tid = 1, .kind = GN_KIND_EXIT});
}

static FILE *create(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	return f;
}

/* One of the two kinds of formats. */
struct format {
	const struct gn_timeline *timeline;
	const struct gn_output *output;
	const char *columns;
};

static int write_output(const struct gn_output *output, const char *columns,
			const struct gn_model *m, FILE *f)
{
	struct gn_output_opts opts = {.utf8 = true, .columns = columns};

	return output->write(m, &opts, f);
}

static int write_both(const struct format *format, const struct stream *s,
		      FILE *file, FILE *report)
{
	const struct gn_timeline *t = format->timeline;
	struct gn_pipeline_opts popts = {.raw = true};
	struct gn_timeline_opts topts = {.utf8 = true};
	struct gn_observer observer;
	struct gn_pipeline *p;
	struct gn_model *m = NULL;
	int err;

	err = t ? t->begin(&observer, file, &topts) : 0;
	popts.observer = t ? &observer : NULL;
	p = gn_pipeline_new(&popts);
	if (!err)
		err = p ? stream_feed(s, p) : -ENOMEM;
	if (!err)
		err = gn_pipeline_finish(p, &m);
	if (!err)
		err = t ? t->finish(&observer, m, NULL)
			: write_output(format->output, format->columns, m,
				       file);
	if (!err)
		err = write_output(gn_output_find("json"), NULL, m, report);
	gn_model_free(m);
	gn_pipeline_free(p);
	if (t)
		t->free(&observer);
	return err;
}

int main(int argc, char **argv)
{
	struct format format = {0};
	FILE *file, *report;
	struct script s = {0};
	int err = 0;

	if (argc == 5 || argc == 6) {
		format.timeline = gn_timeline_find(argv[1]);
		if (!strcmp(argv[1], "calls"))
			format.timeline = gn_calls_timeline("ndjson");
		format.output = gn_output_find(argv[1]);
		format.columns = argv[5];
	}
	if (!format.timeline && !format.output) {
		fprintf(stderr, "usage: run_format FORMAT STREAM FILE REPORT "
				"[COLUMNS]\n");
		return 2;
	}
	if (!strcmp(argv[2], "hostile"))
		hostile(&s.stream);
	else
		err = script_read(argv[2], &s);
	file = create(argv[3]);
	report = create(argv[4]);
	if (!err)
		err = write_both(&format, &s.stream, file, report);
	if (fclose(file) || fclose(report) || err) {
		fprintf(stderr, "%s: %s\n", argv[2], strerror(-err));
		return 1;
	}
	script_free(&s);
	return 0;
}
