/* SPDX-License-Identifier: BSD-2-Clause */
/* The page around its data, and the begin and end of data elements. */
#include <string.h>

#include "output/classes.h"
#include "output/html.h"

extern const char gn_html_page_head[], gn_html_page_tail[];

int gn_html_begin_page(FILE *f)
{
	fputs(gn_html_page_head, f);
	return gn_stream_status(f);
}

int gn_html_end_page(FILE *f)
{
	fputs(gn_html_page_tail, f);
	return gn_stream_status(f);
}

void gn_html_begin_data(struct gn_emit *e, FILE *f, const char *id)
{
	*e = (struct gn_emit){.f = f, .in_markup = true};
	fprintf(f, "<script type=\"application/json\" id=\"%s\">", id);
	gn_emit_open(e, NULL, '{');
}

int gn_html_end_data(struct gn_emit *e)
{
	gn_emit_close(e, '}');
	fputs("</script>\n", e->f);
	return gn_stream_status(e->f);
}

void gn_html_json(struct gn_emit *e, const char *key, const char *json)
{
	gn_emit_number(e, key, "");
	for (; *json; json++)
		if (*json == '<') /* only within strings */
			fputs("\\u003c", e->f);
		else
			fputc_unlocked(*json, e->f);
}

void gn_html_classes(struct gn_emit *e)
{
	static const struct {
		const char *name, *help;
		uint64_t group, colour;
	} classes[GN_CLASS_COUNT] = {
#define CLASS(name, value, text, brief, letter, group, where, colour8, colour, \
	      weight, help)                                                    \
	[GN_CLASS_##name] = {text, help, GN_GROUP_##group, colour},
		GN_CLASS_LIST(CLASS)
#undef CLASS
	};

	gn_emit_line(e);
	gn_emit_open(e, "class_list", '[');
	for (int i = 0; i < GN_CLASS_COUNT; i++) {
		gn_emit_open(e, NULL, '{');
		gn_emit_text(e, "name", classes[i].name);
		gn_emit_text(e, "help", classes[i].help);
		gn_emit_u64(e, "group", classes[i].group);
		gn_emit_u64(e, "colour", classes[i].colour);
		gn_emit_close(e, '}');
	}
	gn_emit_close(e, ']');
	gn_emit_open(e, "class_order", '[');
	for (int i = 0; i < GN_CLASS_COUNT; i++)
		gn_emit_u64(e, NULL, (uint64_t)gn_class_at(i));
	gn_emit_close(e, ']');
}

void gn_html_times(struct gn_emit *e, const char *key,
		   const uint64_t classes[GN_CLASS_COUNT])
{
	gn_emit_open(e, key, '[');
	for (int i = 0; i < GN_CLASS_COUNT; i++) {
		if (!classes[i])
			continue;
		gn_emit_u64(e, NULL, (uint64_t)i);
		gn_emit_u64(e, NULL, classes[i]);
	}
	gn_emit_close(e, ']');
}
