/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings as people and programs read them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "output/emit.h"
#include "output/header.h"
#include "output/text.h"

#define USUAL_WIDTH 100

/* A text's words, each as a shell reads it. The verb is left out. */
static void put_options(FILE *f, const char *options, const char **verb,
			size_t *verb_len)
{
	const char *word = options;

	*verb = "run";
	*verb_len = 3;
	for (bool first = true; *word; first = false) {
		size_t len = strcspn(word, " ");
		char *copy;

		if (first) {
			*verb = word;
			*verb_len = len;
		} else if (len) {
			copy = strndup(word, len);
			fputc(' ', f);
			gn_put_word(f, copy ? copy : "");
			free(copy);
		}
		word += len + strspn(word + len, " ");
	}
}

/* " -- COMMAND"; nothing where processes were attached to. */
static int put_command(FILE *f, const struct gn_model *m)
{
	const char *json = gn_model_info(m, "command");
	char *text;

	if (!json || !strcmp(json, "[]"))
		return 0;
	text = gn_command_text(json);
	if (!text)
		return -ENOMEM;
	fprintf(f, " -- %s", text);
	free(text);
	return 0;
}

/* The capture again, with other options besides. */
static int put_again(FILE *f, const struct gn_model *m, const char *next)
{
	const char *options = gn_model_info(m, "options"), *verb;
	char *kept = NULL;
	size_t size = 0, verb_len;
	FILE *memory = open_memstream(&kept, &size);

	if (!memory)
		return -ENOMEM;
	put_options(memory, options ? options : "", &verb, &verb_len);
	if (fclose(memory)) {
		free(kept);
		return -ENOMEM;
	}
	fprintf(f, "sudo gnomon %.*s%s %s", (int)verb_len, verb, kept, next);
	free(kept);
	return put_command(f, m);
}

static int put_next(FILE *f, const struct gn_model *m,
		    const struct gn_insight *finding, const char *input)
{
	if (!*finding->next)
		return 0;
	if (finding->what == GN_NEXT_WHOLE) {
		fprintf(f, "sudo gnomon %s", finding->next);
		return put_command(f, m);
	}
	if (finding->what == GN_NEXT_AGAIN || !input)
		return put_again(f, m, finding->next);
	fputs("gnomon report -i ", f);
	gn_put_word(f, input);
	fprintf(f, " %s", finding->next);
	return 0;
}

char *gn_finding_command(const struct gn_model *m,
			 const struct gn_insight *finding, const char *input)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int err;

	if (!f)
		return NULL;
	err = put_next(f, m, finding, input);
	if (fclose(f) || err) {
		free(text);
		return NULL;
	}
	return text;
}

/* How a text's lines look. */
struct lines {
	const char *prefix, *first; /* of all lines; what the first one has */
	const char *broken;	    /* what ends a line that goes on */
	size_t width;
};

/* The length of what stays together: a word, with the unit behind a number. */
static size_t piece(const char *text)
{
	static const char *const units[] = {" %", " ns", " us", " ms", " s"};
	size_t len = strcspn(text, " ");

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n = strlen(units[i]);

		if (!strncmp(text + len, units[i], n) &&
		    strchr(" ,.;:)", text[len + n]))
			return len + n + strcspn(text + len + n, " ");
	}
	return len;
}

/* An escaped text in lines, broken at blanks. */
static void put_lines(FILE *f, const char *text, const struct lines *l)
{
	size_t indent = strlen(l->first), used;

	fprintf(f, "%s%s", l->prefix, l->first);
	used = strlen(l->prefix) + indent;
	for (bool start = true; *text; start = false) {
		size_t len = piece(text), at = 0, n, cells = 0;

		for (; at < len; at += n)
			cells += (size_t)gn_cells(gn_utf8_next(text + at, &n));
		if (!start && used + 1 + cells + strlen(l->broken) > l->width) {
			fprintf(f, "%s\n%s%*s", l->broken, l->prefix,
				(int)indent, "");
			used = strlen(l->prefix) + indent;
		} else if (!start) {
			fputc(' ', f);
			used++;
		}
		fwrite(text, 1, len, f);
		used += cells;
		text += len + strspn(text + len, " ");
	}
	fputc('\n', f);
}

static int print_escaped(FILE *f, const char *text, bool utf8,
			 const struct lines *l)
{
	char *escaped = text ? gn_escape(text, utf8) : NULL;

	if (!escaped)
		return -ENOMEM;
	put_lines(f, escaped, l);
	free(escaped);
	return 0;
}

static int print_finding(const struct gn_model *m, const struct gn_insight *one,
			 size_t number, const struct gn_explain_opts *o,
			 FILE *out)
{
	struct lines l = {.prefix = o->prefix ? o->prefix : "",
			  .broken = "",
			  .width = o->width ? (size_t)o->width : USUAL_WIDTH};
	char first[24], *command = gn_finding_command(m, one, o->input);
	bool attention = o->color && one->severity == GN_SEVERITY_ERROR;
	int err = command ? 0 : -ENOMEM;

	snprintf(first, sizeof(first), "%zu. ", number);
	l.first = first;
	if (attention)
		fputs(GN_ATTENTION, out);
	if (!err)
		err = print_escaped(out, one->text, o->utf8, &l);
	if (attention)
		fputs(GN_PLAIN, out);
	l.first = "     ";
	l.broken = " \\";
	if (!err && *command)
		err = print_escaped(out, command, o->utf8, &l);
	free(command);
	return err;
}

int gn_findings_print(const struct gn_model *m, const struct gn_findings *f,
		      const struct gn_explain_opts *o, FILE *out)
{
	const char *prefix = o->prefix ? o->prefix : "";

	if (!f->n)
		fprintf(out, "%sNothing stands out.\n", prefix);
	for (size_t i = 0; i < f->n; i++) {
		int err = print_finding(m, &f->finding[i], i + 1, o, out);

		if (err)
			return err;
	}
	return gn_stream_status(out);
}

static int emit_finding(struct gn_emit *e, const struct gn_model *m,
			const struct gn_insight *f, const char *input)
{
	char *command = gn_finding_command(m, f, input);

	if (!command)
		return -ENOMEM;
	gn_emit_line(e);
	gn_emit_open(e, NULL, '{');
	gn_emit_text(e, "rule", f->rule);
	gn_emit_text(e, "severity", gn_severity_text(f->severity));
	gn_emit_pct(e, "share_pct", 100 * f->share);
	gn_emit_text(e, "text", f->text);
	if (*command)
		gn_emit_text(e, "next", command);
	gn_emit_close(e, '}');
	free(command);
	return 0;
}

int gn_findings_json(const struct gn_model *m, const struct gn_findings *f,
		     const char *input, FILE *out)
{
	struct gn_emit e = {.f = out};

	gn_emit_open(&e, NULL, '{');
	gn_emit_u64(&e, "version", 1);
	gn_emit_open(&e, "findings", '[');
	for (size_t i = 0; i < f->n; i++) {
		int err = emit_finding(&e, m, &f->finding[i], input);

		if (err)
			return err;
	}
	gn_emit_close(&e, ']');
	gn_emit_close(&e, '}');
	fputc('\n', out);
	return gn_stream_status(out);
}
