/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/pages.h"

#include <ctype.h>
#include <string.h>

enum gn_page gn_page_find(const char *word)
{
	static const char *const words[] = {
#define PAGE_WORD(name, word) [GN_PAGE_##name] = word,
		GN_PAGE_LIST(PAGE_WORD)
#undef PAGE_WORD
	};
	int page = 0;

	while (page < GN_PAGE_COUNT && strcmp(words[page], word) != 0)
		page++;
	return (enum gn_page)page;
}

static bool is_file(const struct gn_option *o)
{
	return o->arg && strcmp(o->arg, "FILE") == 0;
}

/* Writes text inside single quotes of a shell. */
static void put_quoted(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", f);
		else
			fputc(*text, f);
	}
}

static void put_choices(FILE *f, const struct gn_option *o, const char *between)
{
	for (size_t i = 0; o->choice(i); i++)
		fprintf(f, "%s%s", i ? between : "", o->choice(i));
}

/* The help text of a row. Of rows that share a line, the last one has it. */
static const char *help_of(const struct gn_verb_usage *u, size_t i)
{
	while (!*u->options[i].help && i + 1 < u->noptions)
		i++;
	return u->options[i].help;
}

/* ---- man(7) ---- */

static void roff(FILE *f, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", f);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", f);
		else if (*text == '-')
			fputs("\\-", f);
		else
			fputc(*text, f);
		if (*text == '\n' && (text[1] == '.' || text[1] == '\''))
			fputs("\\&", f);
	}
}

static void man_option(FILE *f, const struct gn_option *o)
{
	if (o->short_name)
		fprintf(f, "\\fB\\-%c\\fR, ", o->short_name);
	fputs("\\fB\\-\\-", f);
	roff(f, o->name);
	fputs("\\fR", f);
	if (o->arg) {
		fputs(" \\fI", f);
		roff(f, o->arg);
		fputs("\\fR", f);
	} else if (o->choice) {
		fputs(" \\fB", f);
		put_choices(f, o, "\\fR|\\fB");
		fputs("\\fR", f);
	}
}

/* The line that whatis(1) and apropos(1) show: the beginning of the summary. */
static void man_name(const struct gn_verb_usage *u, FILE *f)
{
	char text[162]; /* two lines of the help */

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(u->summary, ".:;"),
		 u->summary);
	*text = (char)tolower((unsigned char)*text);
	for (char *at = text; (at = strchr(at, '\n'));)
		*at = ' ';
	fprintf(f, "gnomon\\-%s \\- ", u->name);
	roff(f, text);
}

static void man_page(const struct gn_verb_usage *u, FILE *f)
{
	fprintf(f,
		".\\\" Made of the table that makes the help.\n"
		".TH GNOMON\\-%s 1 \"\" \"gnomon %s\"\n.SH NAME\n",
		u->name, GNOMON_VERSION);
	man_name(u, f);
	fprintf(f, "\n.SH SYNOPSIS\n.B gnomon %s\n", u->name);
	roff(f, u->synopsis);
	fputs("\n.SH DESCRIPTION\n", f);
	roff(f, u->summary);
	fputs("\n.SH OPTIONS\n", f);
	for (size_t i = 0; i < u->noptions; i++) {
		const struct gn_option *o = &u->options[i];

		/* rows that share a line of the help share a paragraph */
		if (!i || *u->options[i - 1].help)
			fputs(".TP\n", f);
		man_option(f, o);
		fputs(*o->help ? "\n" : ", ", f);
		if (!*o->help && i + 1 < u->noptions)
			continue;
		roff(f, o->help);
		fputc('\n', f);
	}
	if (u->examples) {
		fputs(".SH EXAMPLES\n.nf\n", f);
		roff(f, u->examples);
		fputs(".fi\n", f);
	}
	fputs(".SH SEE ALSO\n\\fBgnomon\\fR(1), which has all of it.\n", f);
}

/* ---- bash ---- */

static void bash_begin(const char *const *verbs, size_t n, FILE *f)
{
	fputs("# bash completion of gnomon, made of its option tables\n"
	      "_gnomon()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} i\n"
	      "\tlocal prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
	      "\tCOMPREPLY=()\n"
	      "\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W 'help --help --version",
	      f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, " %s", verbs[i]);
	fputs("' -- \"$cur\"))\n\t\treturn\n\tfi\n"
	      "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	      "\t\t[ \"${COMP_WORDS[i]}\" = -- ] || continue\n"
	      "\t\tCOMPREPLY=($(compgen -c -- \"$cur\") "
	      "$(compgen -f -- \"$cur\"))\n"
	      "\t\treturn\n\tdone\n"
	      "\tcase ${COMP_WORDS[1]} in\n",
	      f);
}

static void bash_names(FILE *f, const struct gn_option *o, const char *between)
{
	if (o->short_name)
		fprintf(f, "-%c%s", o->short_name, between);
	fprintf(f, "--%s", o->name);
}

static void bash_verb(const struct gn_verb_usage *u, FILE *f)
{
	fprintf(f, "\t%s)\n\t\tcase $prev in\n", u->name);
	for (size_t i = 0; i < u->noptions; i++) {
		const struct gn_option *o = &u->options[i];

		if (o->type == GN_OPTION_FLAG || o->type == GN_OPTION_UNFLAG)
			continue;
		fputs("\t\t", f);
		bash_names(f, o, " | ");
		fputs(") ", f);
		if (o->choice) {
			fputs("COMPREPLY=($(compgen -W '", f);
			put_choices(f, o, " ");
			fputs("' -- \"$cur\"))", f);
		} else if (is_file(o)) {
			fputs("COMPREPLY=($(compgen -f -- \"$cur\"))", f);
		}
		fputs(" ;;\n", f);
	}
	fputs("\t\t*) COMPREPLY=($(compgen -W '--help", f);
	for (size_t i = 0; i < u->noptions; i++) {
		fputc(' ', f);
		bash_names(f, &u->options[i], " ");
	}
	fprintf(f, "%s' -- \"$cur\")%s) ;;\n\t\tesac\n\t\t;;\n",
		u->rest == GN_REST_COMMAND ? " --" : "",
		u->rest == GN_REST_FILES ? " $(compgen -f -- \"$cur\")" : "");
}

/* ---- zsh ---- */

static void zsh_begin(const char *const *verbs, size_t n, FILE *f)
{
	fputs("#compdef gnomon\n"
	      "# zsh completion of gnomon, made of its option tables\n"
	      "if ((CURRENT == 2)); then\n\tcompadd help --help --version",
	      f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, " %s", verbs[i]);
	fputs("\n\treturn\nfi\n"
	      "local verb=$words[2]\n"
	      "shift words\n((CURRENT--))\n"
	      "case $verb in\n",
	      f);
}

static void zsh_text(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", f);
		else if (strchr("[]:\\", *text))
			fprintf(f, "\\%c", *text);
		else
			fputc(*text, f);
	}
}

static void zsh_option(const struct gn_verb_usage *u, size_t i, FILE *f)
{
	const struct gn_option *o = &u->options[i];

	fputs(" \\\n\t\t", f);
	if (o->short_name)
		fprintf(f, "{-%c,--%s}", o->short_name, o->name);
	else
		fprintf(f, "--%s", o->name);
	fputs("'[", f);
	zsh_text(f, help_of(u, i));
	fputc(']', f);
	if (o->choice) {
		fputs(":word:(", f);
		put_choices(f, o, " ");
		fputc(')', f);
	} else if (o->arg) {
		fputc(':', f);
		zsh_text(f, o->arg);
		fputs(is_file(o) ? ":_files" : ":", f);
	}
	fputc('\'', f);
}

static void zsh_verb(const struct gn_verb_usage *u, FILE *f)
{
	fprintf(f, "%s)\n\t_arguments -s", u->name);
	for (size_t i = 0; i < u->noptions; i++)
		zsh_option(u, i, f);
	if (u->rest == GN_REST_COMMAND)
		fputs(" \\\n\t\t'*::command:_normal'", f);
	else if (u->rest == GN_REST_FILES)
		fputs(" \\\n\t\t'*:file:_files'", f);
	fputs("\n\t;;\n", f);
}

/* ---- fish ---- */

static void fish_begin(const char *const *verbs, size_t n, FILE *f)
{
	fputs("# fish completion of gnomon, made of its option tables\n"
	      "complete -c gnomon -n __fish_use_subcommand -f -a 'help",
	      f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, " %s", verbs[i]);
	fputs("'\n", f);
}

static void fish_verb(const struct gn_verb_usage *u, FILE *f)
{
	for (size_t i = 0; i < u->noptions; i++) {
		const struct gn_option *o = &u->options[i];

		fprintf(f,
			"complete -c gnomon -n '__fish_seen_subcommand_from "
			"%s' -l %s",
			u->name, o->name);
		if (o->short_name)
			fprintf(f, " -s %c", o->short_name);
		if (o->choice) {
			fputs(" -x -a '", f);
			put_choices(f, o, " ");
			fputc('\'', f);
		} else if (is_file(o)) {
			fputs(" -r -F", f);
		} else if (o->arg) {
			fputs(" -x", f);
		}
		fputs(" -d '", f);
		put_quoted(f, help_of(u, i));
		fputs("'\n", f);
	}
}

void gn_page_begin(enum gn_page page, const char *const *verbs, size_t n,
		   FILE *f)
{
	if (page == GN_PAGE_BASH)
		bash_begin(verbs, n, f);
	else if (page == GN_PAGE_ZSH)
		zsh_begin(verbs, n, f);
	else if (page == GN_PAGE_FISH)
		fish_begin(verbs, n, f);
}

void gn_page_verb(enum gn_page page, const struct gn_verb_usage *u, FILE *f)
{
	if (page == GN_PAGE_MAN)
		man_page(u, f);
	else if (page == GN_PAGE_BASH)
		bash_verb(u, f);
	else if (page == GN_PAGE_ZSH)
		zsh_verb(u, f);
	else if (page == GN_PAGE_FISH)
		fish_verb(u, f);
}

void gn_page_end(enum gn_page page, FILE *f)
{
	if (page == GN_PAGE_BASH)
		fputs("\tesac\n}\ncomplete -o filenames -F _gnomon gnomon\n",
		      f);
	else if (page == GN_PAGE_ZSH)
		fputs("esac\n", f);
}
