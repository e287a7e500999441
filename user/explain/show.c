/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows findings to people and programs. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "output/emit.h"
#include "output/header.h"
#include "output/text.h"
#include "output/wrap.h"

#define USUAL_WIDTH 100
/* A longer command would bury the findings between its lines. */
#define COMMAND_MAX 480

/* Whether the word is the long option, or a prefix that is accepted for it. */
static bool names(const char *word, size_t len, const char *option)
{
	return len > 2 && !strncmp(word, "--", 2) &&
	       !strncmp(word + 2, option, len - 2);
}

/* Properties of the next command that decide which of the capture's options it
 * must not repeat. */
struct next {
	const char *own; /* its own options */
	bool view;	 /* it shows a view of its own */
	bool samples;	 /* it takes samples in the place of functions */
};

/* Whether the word is one of its own options: that one counts. */
static bool is_own(const char *own, const char *word, size_t len)
{
	for (const char *at = own; (at = strstr(at, "--")); at += 2)
		if ((at == own || at[-1] == ' ') && names(word, len, at + 2))
			return true;
	return false;
}

/* *value: the option's value is the next word. */
static bool left_out(const char *word, size_t len, struct next next,
		     bool *value)
{
	static const char *const views[] = {
		"by",	 "columns", "sort", "limit", "min-pct",
		"depth", "thread",  "only", "min",   "format",
	};
	/* what samples do without, and what would make them cost more */
	static const char *const traced[] = {"function", "args", "events",
					     "clr-hooks"};
	size_t name = 0;

	/* "-o FILE", "-oFILE", "-qo FILE": it would overwrite the file */
	if (word[0] == '-' && word[1] != '-') {
		name = 1 + strspn(word + 1, "qv");
		*value = name + 1 == len;
		return name < len && (word[name] == 'o' ||
				      (next.samples && (word[name] == 'f' ||
							word[name] == 'a')));
	}
	while (name < len && word[name] != '=')
		name++;
	*value = name == len;
	if (names(word, name, "output") || is_own(next.own, word, name))
		return true;
	for (size_t i = 0; next.samples && i < sizeof(traced) / sizeof(*traced);
	     i++)
		if (names(word, name, traced[i]))
			return true;
	for (size_t i = 0; next.view && i < sizeof(views) / sizeof(*views); i++)
		if (names(word, name, views[i]))
			return true;
	*value = false;
	return next.view && names(word, name, "tree");
}

/* Takes a word and the blanks after it off *text. */
static void take_word(const char **text, char *word)
{
	const char *end = gn_take_word(*text, word);

	*text = end + strspn(end, " ");
}

/* Writes the capture's verb and its options, without those to leave out and a
 * final "--". 0 or -ENOMEM. */
static int put_options(FILE *f, const char *options, struct next next)
{
	char *word = malloc(strlen(options) + 1);
	bool skip = false; /* the next word is the value of an option left
			      out */

	if (!word)
		return -ENOMEM;
	take_word(&options, word);
	gn_put_word(f, *word ? word : "run");
	while (*options) {
		bool value = false;

		take_word(&options, word);
		if (skip) {
			skip = false;
		} else if (left_out(word, strlen(word), next, &value)) {
			skip = value;
		} else if (strcmp(word, "--") != 0) {
			fputc(' ', f);
			gn_put_word(f, word);
		}
	}
	free(word);
	return 0;
}

static bool has_clr(const struct gn_model *m, uint32_t pid)
{
	for (size_t i = 0; i < m->nthreads; i++)
		if (m->threads[i].pid == pid &&
		    m->threads[i].runtime == GN_RUNTIME_CLR)
			return true;
	return false;
}

/* The process, or its program if that has all functions, if there is no
 * command. */
static void put_process(FILE *f, const struct gn_model *m)
{
	const char *path;
	char key[32];
	uint32_t pid;

	if (!gn_model_attached(m) || !m->nprocesses)
		return;
	pid = m->processes[0].pid;
	snprintf(key, sizeof(key), "program.%" PRIu32, pid);
	path = gn_model_info(m, key);
	if (has_clr(m, pid)) {
		fprintf(f, " -p %" PRIu32, pid);
	} else if (path) {
		fputs(" -- ", f);
		gn_put_word(f, path);
	} else {
		fprintf(f, " -- /proc/%" PRIu32 "/exe", pid);
	}
}

/* Writes " -- COMMAND"; nothing if gnomon attached to processes. */
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

/* Writes the command of this capture, with the finding's options. */
static int put_again(FILE *f, const struct gn_model *m,
		     const struct gn_insight *finding)
{
	const struct next next = {
		.own = finding->next,
		/* the view of samples is another one than that of functions */
		.view = finding->what == GN_NEXT_REPORT ||
			finding->what == GN_NEXT_SAMPLES ||
			finding->what == GN_NEXT_EVENTS,
		.samples = finding->what == GN_NEXT_SAMPLES,
	};
	const char *options = gn_model_info(m, "options");
	int err;

	fputs("sudo gnomon ", f);
	err = put_options(f, options ? options : "", next);
	if (err)
		return err;
	fprintf(f, " %s", finding->next);
	return put_command(f, m);
}

static int put_next(FILE *f, const struct gn_model *m,
		    const struct gn_insight *finding, const char *input)
{
	if (!*finding->next)
		return 0;
	if (finding->what == GN_NEXT_OTHER) {
		fprintf(f, "sudo gnomon %s", finding->next);
		return 0;
	}
	if (finding->what == GN_NEXT_WHOLE) {
		fprintf(f, "sudo gnomon %s", finding->next);
		put_process(f, m);
		return put_command(f, m);
	}
	if (finding->what != GN_NEXT_REPORT || !input)
		return put_again(f, m, finding);
	fputs("gnomon report -i ", f);
	gn_put_word(f, input);
	fprintf(f, " %s", finding->next);
	return 0;
}

/* The whole command to type next; "": none. The caller frees it. NULL: no
 * memory. */
static char *command_of(const struct gn_model *m,
			const struct gn_insight *finding, const char *input)
{
	struct gn_text_stream stream;
	FILE *f = gn_text_stream_open(&stream);
	char *text;
	int err;

	if (!f)
		return NULL;
	err = put_next(f, m, finding, input);
	text = gn_text_stream_close(&stream);
	if (err) {
		free(text);
		return NULL;
	}
	return text;
}

static int print_escaped(FILE *f, const char *text, bool utf8,
			 const struct gn_wrap *w)
{
	char *escaped = gn_escape(text, utf8);

	if (!escaped)
		return -ENOMEM;
	gn_wrap(f, escaped, w);
	free(escaped);
	return 0;
}

/* "1. " after the prefix; further lines are indented below the text. */
static int print_sentence(const struct gn_insight *one, size_t number,
			  const struct gn_explain_opts *o, FILE *out)
{
	const char *prefix = o->prefix ? o->prefix : "";
	char first[64], rest[64];
	struct gn_wrap w = {.first = first,
			    .rest = rest,
			    .broken = "",
			    .width = o->width ? (size_t)o->width : USUAL_WIDTH};

	snprintf(first, sizeof(first), "%.32s%zu. ", prefix, number);
	snprintf(rest, sizeof(rest), "%.32s   ", prefix);
	return print_escaped(out, one->text, o->utf8, &w);
}

/* Prints below a sentence. `broken`: the end of a continued line. */
static int print_indented(const char *text, const char *broken,
			  const struct gn_explain_opts *o, FILE *out)
{
	const char *prefix = o->prefix ? o->prefix : "";
	char first[64];
	struct gn_wrap w = {.first = first,
			    .rest = first,
			    .broken = broken,
			    .width = o->width ? (size_t)o->width : USUAL_WIDTH};

	snprintf(first, sizeof(first), "%.32s     ", prefix);
	return print_escaped(out, text, o->utf8, &w);
}

/* Prints the changes to the command that the header shows. */
static int print_change(const struct gn_insight *one,
			const struct gn_explain_opts *o, FILE *out)
{
	char *text;
	int err;

	if (asprintf(&text, "The same command%s, with %s",
		     one->what == GN_NEXT_SAMPLES ? " without -f and -a" : "",
		     one->next) < 0)
		return -ENOMEM;
	err = print_indented(text, "", o, out);
	free(text);
	return err;
}

/* Prints a command so that it can be copied: continued lines end with a
 * backslash, unless they have a prefix. */
static int print_command(const struct gn_insight *one, const char *command,
			 size_t before, const struct gn_explain_opts *o,
			 FILE *out)
{
	bool again = one->what != GN_NEXT_WHOLE && one->what != GN_NEXT_OTHER &&
		     (one->what != GN_NEXT_REPORT || !o->input);
	char text[64];

	if (!*command)
		return 0;
	if (before) {
		snprintf(text, sizeof(text), "The same command as of %zu.",
			 before);
		return print_indented(text, "", o, out);
	}
	return again && strlen(command) > COMMAND_MAX
		       ? print_change(one, o, out)
		       : print_indented(command, " \\", o, out);
}

/* The first of the commands before that is the same, counted from 1. 0: none.
 */
static size_t same_before(char *const *command, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(command[i], command[at]))
			return i + 1;
	return 0;
}

static int print_finding(const struct gn_insight *one, char *const *command,
			 size_t at, const struct gn_explain_opts *o, FILE *out)
{
	bool attention = o->color && one->severity == GN_SEVERITY_ERROR;
	int err;

	if (attention)
		fputs(GN_ATTENTION, out);
	err = print_sentence(one, at + 1, o, out);
	if (attention)
		fputs(GN_PLAIN, out);
	return err ? err
		   : print_command(one, command[at], same_before(command, at),
				   o, out);
}

int gn_findings_print(const struct gn_model *m, const struct gn_findings *f,
		      const struct gn_explain_opts *o, FILE *out)
{
	char **command = calloc(f->n + 1, sizeof(*command));
	int err = command ? 0 : -ENOMEM;

	if (!f->n)
		fprintf(out, "%sNothing stands out.\n",
			o->prefix ? o->prefix : "");
	for (size_t i = 0; i < f->n && !err; i++) {
		command[i] = command_of(m, &f->finding[i], o->input);
		err = command[i] ? print_finding(&f->finding[i], command, i, o,
						 out)
				 : -ENOMEM;
	}
	for (size_t i = 0; command && i < f->n; i++)
		free(command[i]);
	free(command);
	return err ? err : gn_stream_status(out);
}

static int emit_finding(struct gn_emit *e, const struct gn_model *m,
			const struct gn_insight *f, const char *input)
{
	char *command = command_of(m, f, input);

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
