// SPDX-License-Identifier: BSD-2-Clause
/*
 * run_timeline FORMAT STREAM TIMELINE REPORT: replays a readable stream once,
 * into a timeline and into a JSON report, for check-timeline to compare. A
 * STREAM of "hostile" is one of names and times that are hostile.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* Names that a terminal would obey, that are no UTF-8, that end JSON; a call
 * without length, one that ends before it began. */
static void hostile(struct stream *s)
{
	static const char *const names[] = {
		"\033[2J\007",	"\xff\xfe",  "\xc3(", "a\"b\\c\n\t\r",
		"\xe2\x80\xae", "</script>", "\x7f",  " ",
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

static int write_both(const struct gn_timeline *format, const struct stream *s,
		      FILE *timeline, FILE *report)
{
	struct gn_output_opts opts = {.utf8 = true};
	struct gn_pipeline_opts popts = {.raw = true};
	struct gn_observer observer;
	struct gn_pipeline *p;
	struct gn_model *m = NULL;
	int err;

	err = format->begin(&observer, timeline);
	popts.observer = &observer;
	p = gn_pipeline_new(&popts);
	if (!err)
		err = p ? stream_feed(s, p) : -ENOMEM;
	if (!err)
		err = gn_pipeline_finish(p, &m);
	if (!err)
		err = format->finish(&observer, m);
	if (!err)
		err = gn_output_find("json")->write(m, &opts, report);
	gn_model_free(m);
	gn_pipeline_free(p);
	format->free(&observer);
	return err;
}

int main(int argc, char **argv)
{
	const struct gn_timeline *format =
		argc == 5 ? gn_timeline_find(argv[1]) : NULL;
	FILE *timeline, *report;
	struct script s = {0};
	int err = 0;

	if (!format || !format->begin) {
		fprintf(stderr, "usage: run_timeline FORMAT STREAM TIMELINE "
				"REPORT\n");
		return 2;
	}
	if (!strcmp(argv[2], "hostile"))
		hostile(&s.stream);
	else
		err = script_read(argv[2], &s);
	timeline = create(argv[3]);
	report = create(argv[4]);
	if (!err)
		err = write_both(format, &s.stream, timeline, report);
	if (fclose(timeline) || fclose(report) || err) {
		fprintf(stderr, "%s: %s\n", argv[2], strerror(-err));
		return 1;
	}
	script_free(&s);
	return 0;
}
