/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/runtime_event_info.h>
#include "model/model.h"
#include "output/output.h"
#include "output/timeline.h"

#define OPTIONS_MAX 48
#define HELP_COLUMN 30
#define HELP_WIDTH  80
/* getopt's value for a row without a short name: this plus its index */
#define LONG_ONLY   0x100
#define OPTION_HELP 0x0fe

const char *gn_leave_choice(size_t i)
{
	static const char *const texts[] = {
		[GN_LEAVE_CHOICE_AUTO] = "auto",
		[GN_LEAVE_CHOICE_RETURN] = "return",
		[GN_LEAVE_CHOICE_RET] = "ret",
	};

	return GN_CHOICE(texts, i);
}

const char *gn_classify_choice(size_t i)
{
	static const char *const texts[] = {
		[GN_CLASSIFY_EXACT] = "exact",
		[GN_CLASSIFY_INTERVAL] = "interval",
	};

	return GN_CHOICE(texts, i);
}

const char *gn_by_choice(size_t i)
{
	static const char *const texts[] = {
#define BY_TEXT(name, text, meaning) [GN_BY_##name] = text,
		GN_BY_LIST(BY_TEXT) GN_BY_WALK_LIST(BY_TEXT)
#undef BY_TEXT
	};

	return GN_CHOICE(texts, i);
}

const char *gn_of_choice(size_t i)
{
	static const char *const texts[] = {
#define OF_TEXT(name, text) [GN_OF_##name] = text,
		GN_OF_LIST(OF_TEXT)
#undef OF_TEXT
	};

	return GN_CHOICE(texts, i);
}

const char *gn_format_choice(size_t i)
{
	const struct gn_timeline *timeline;
	size_t outputs = 0;

	while (gn_output_at(outputs))
		outputs++;
	if (i < outputs)
		return gn_output_at(i)->name;
	timeline = gn_timeline_at(i - outputs);
	return timeline ? timeline->name : NULL;
}

/* A user who names exceptions gets them even in a runtime that this can
 * crash. */
static uint32_t with_risk(uint32_t family)
{
	if (family & (GN_FAMILY_EXCEPTIONS | GN_FAMILY_HANDLERS))
		return family | GN_FAMILIES_RISKED;
	return family;
}

static uint32_t family_of(const char *word, size_t len)
{
	const char *text;

	if (len == 3 && !strncmp(word, "all", len))
		return GN_FAMILIES_ALL | GN_FAMILIES_RISKED;
	if (len == 5 && !strncmp(word, "usual", len))
		return GN_FAMILIES_USUAL;
	for (uint32_t bit = 0; (text = gn_family_text(bit)); bit++)
		if (strlen(text) == len && !strncmp(word, text, len))
			return with_risk(1u << bit);
	return 0;
}

int gn_events_parse(const char *list, uint32_t usual, uint32_t *families)
{
	*families = list ? 0 : usual;
	if (!list || !strcmp(list, "none"))
		return 0;
	for (;;) {
		size_t len = strcspn(list, ",");
		uint32_t family = family_of(list, len);

		if (!family)
			return -EINVAL;
		*families |= family;
		if (!list[len])
			return 0;
		list += len + 1;
	}
}

void gn_args_init(struct gn_args *args)
{
	memset(args, 0, sizeof(*args));
	args->follow = true;
	args->limit = GN_LIMIT_DEFAULT;
	args->of = GN_OF_BUSY;
}

void gn_args_clear(struct gn_args *args)
{
	free(args->pids.pid);
	free(args->functions.item);
	free(args->labels.item);
	free(args->only.item);
	free(args->threads.item);
	memset(args, 0, sizeof(*args));
}

/* Writes one sentence about what is wrong. Returns -EINVAL. */
__attribute__((format(printf, 3, 4))) static int bad(char *err, size_t size,
						     const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(err, size, format, ap);
	va_end(ap);
	return -EINVAL;
}

static bool takes_argument(const struct gn_option *o)
{
	return o->type != GN_OPTION_FLAG && o->type != GN_OPTION_UNFLAG;
}

void gn_choices_join(const char *(*choice)(size_t i), const char *between,
		     char *buf, size_t size)
{
	size_t at = 0;

	buf[0] = '\0';
	for (size_t i = 0; choice(i) && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s",
				       i ? between : "", choice(i));
}

static int set_choice(const struct gn_option *o, const char *text, int *field,
		      char *err, size_t size)
{
	char all[768];

	for (size_t i = 0; o->choice(i); i++) {
		if (strcmp(o->choice(i), text) == 0) {
			*field = (int)i;
			return 0;
		}
	}
	gn_choices_join(o->choice, ", ", all, sizeof(all));
	return bad(err, size, "--%s cannot be '%s'; give one of %s", o->name,
		   text, all);
}

static int add_item(struct gn_list *list, const char *text)
{
	const char **grown;

	grown = reallocarray(list->item, list->n + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	grown[list->n++] = text;
	list->item = grown;
	return 0;
}

/* Stores the argument of one row. -EINVAL or -ERANGE: a bad number. */
static int store(const struct gn_option *o, const char *text, void *field)
{
	uint64_t *number = field;
	int err;

	switch (o->type) {
	case GN_OPTION_TEXT:
		*(const char **)field = text;
		return *text ? 0 : -EINVAL;
	case GN_OPTION_LIST:
		return *text ? add_item(field, text) : -EINVAL;
	case GN_OPTION_PIDS:
		return gn_parse_pids(text, field);
	case GN_OPTION_DURATION:
		err = gn_parse_duration(text, number);
		return !err && !*number ? -EINVAL : err;
	case GN_OPTION_SIZE:
		err = gn_parse_size(text, number);
		return !err && !*number ? -EINVAL : err;
	case GN_OPTION_COUNT:
		return gn_parse_u64(text, number);
	case GN_OPTION_RATE:
		err = gn_parse_u64(text, number);
		return !err && (!*number || *number > GN_RATE_MOST) ? -ERANGE
								    : err;
	case GN_OPTION_PERCENT:
		return gn_parse_percent(text, field);
	default:
		return -EINVAL;
	}
}

static const char *wanted(enum gn_option_type type)
{
	switch (type) {
	case GN_OPTION_PIDS:
		return "give process numbers, as in 17 or 17,42";
	case GN_OPTION_DURATION:
		return "give a time above 0, as in 10s, 500ms or 2m";
	case GN_OPTION_SIZE:
		return "give bytes above 0, as in 65536, 512K or 4M";
	case GN_OPTION_COUNT:
		return "give a whole number";
	case GN_OPTION_RATE:
		return "give samples a second, from 1 to 10000";
	case GN_OPTION_PERCENT:
		return "give a number from 0 to 100";
	default:
		return "give a text";
	}
}

static int set_option(const struct gn_option *o, const char *text, void *args,
		      char *err, size_t size)
{
	void *field = (char *)args + o->offset;
	int status;

	if (o->type == GN_OPTION_FLAG || o->type == GN_OPTION_UNFLAG) {
		*(bool *)field = o->type == GN_OPTION_FLAG;
		return 0;
	}
	if (o->type == GN_OPTION_CHOICE)
		return set_choice(o, text, field, err, size);
	status = store(o, text, field);
	if (status == -EINVAL || status == -ERANGE)
		return bad(err, size, "--%s cannot be '%s'%s; %s", o->name,
			   text, status == -ERANGE ? " (out of range)" : "",
			   wanted(o->type));
	return status;
}

/* Makes the tables for getopt from the verb's options. */
static void make_getopt(const struct gn_verb_usage *u, char *shorts,
			struct option *longs)
{
	size_t n = 0;

	/* '+': stop at the command's first word. ':': a missing argument is
	 * reported by ':'. */
	if (u->rest != GN_REST_FILES)
		*shorts++ = '+';
	*shorts++ = ':';
	*shorts++ = 'h';
	for (size_t i = 0; i < u->noptions; i++) {
		const struct gn_option *o = &u->options[i];

		longs[n++] = (struct option){
			.name = o->name,
			.has_arg = takes_argument(o) ? required_argument
						     : no_argument,
			.val = LONG_ONLY + (int)i,
		};
		if (!o->short_name)
			continue;
		*shorts++ = (char)o->short_name;
		if (takes_argument(o))
			*shorts++ = ':';
	}
	*shorts = '\0';
	longs[n++] = (struct option){.name = "help", .val = OPTION_HELP};
	longs[n] = (struct option){0};
}

static const struct gn_option *find_option(const struct gn_verb_usage *u, int c)
{
	if (c >= LONG_ONLY)
		return &u->options[c - LONG_ONLY];
	for (size_t i = 0; i < u->noptions; i++) {
		if (c && u->options[i].short_name == c)
			return &u->options[i];
	}
	return NULL;
}

/* A long option that getopt does not take. */
static int bad_long(const struct gn_verb_usage *u, const char *word, char *err,
		    size_t size)
{
	size_t len = strcspn(word, "="),
	       n = !strncmp("help", word + 2, len - 2);

	for (size_t i = 0; i < u->noptions && len > 2; i++)
		n += !strncmp(u->options[i].name, word + 2, len - 2);
	return bad(err, size, "option '%s' %s; see 'gnomon %s --help'", word,
		   n > 1 ? "is ambiguous" : "is unknown", u->name);
}

static int no_argument_given(const struct gn_option *o, char *err, size_t size)
{
	char all[768];

	if (o->type == GN_OPTION_CHOICE) {
		gn_choices_join(o->choice, ", ", all, sizeof(all));
		return bad(err, size, "--%s needs an argument; give one of %s",
			   o->name, all);
	}
	if (o->type == GN_OPTION_TEXT || o->type == GN_OPTION_LIST)
		return bad(err, size, "--%s needs an argument; give --%s %s",
			   o->name, o->name, o->arg);
	return bad(err, size, "--%s needs an argument; %s", o->name,
		   wanted(o->type));
}

/* getopt returned '?' or ':' for the argument before optind. */
static int bad_option(const struct gn_verb_usage *u, int c, char **argv,
		      char *err, size_t size)
{
	const struct gn_option *o = find_option(u, optopt);

	if (c == ':' && o)
		return no_argument_given(o, err, size);
	if (o || optopt == OPTION_HELP)
		return bad(err, size,
			   "--%s takes no argument; see 'gnomon %s "
			   "--help'",
			   o ? o->name : "help", u->name);
	if (!optopt)
		return bad_long(u, argv[optind - 1], err, size);
	return bad(err, size, "option '-%c' is unknown; see 'gnomon %s --help'",
		   optopt, u->name);
}

static bool reads_file(const struct gn_verb_usage *u)
{
	for (size_t i = 0; i < u->noptions; i++)
		if (u->options[i].short_name == 'i')
			return true;
	return false;
}

static int take_rest(const struct gn_verb_usage *u, int argc, char **argv,
		     struct gn_args *args, char *err, size_t size)
{
	bool dashes = strcmp(argv[optind - 1], "--") == 0;

	if (optind < argc && u->rest == GN_REST_NONE)
		return bad(err, size,
			   "argument '%s' is not expected; %ssee 'gnomon %s "
			   "--help'",
			   argv[optind],
			   reads_file(u) ? "a file is named with -i; " : "",
			   u->name);
	if (u->rest == GN_REST_NONE)
		return GN_PARSED_OK;
	if (dashes && optind >= argc && u->rest == GN_REST_COMMAND)
		return bad(err, size,
			   "no command follows '--'; see 'gnomon %s --help'",
			   u->name);
	if (optind < argc && !argv[optind][0])
		return bad(err, size,
			   u->rest == GN_REST_FILES
				   ? "a file's name is empty; name a file"
				   : "the command is empty; name a program");
	if (optind < argc) {
		args->command = argv + optind;
		args->ncommand = argc - optind;
	}
	return GN_PARSED_OK;
}

int gn_options_parse(const struct gn_verb_usage *u, int argc, char **argv,
		     struct gn_args *args, char *err, size_t size)
{
	/* "+:h", two characters for each row, and the NUL */
	char shorts[2 * OPTIONS_MAX + 4];
	struct option longs[OPTIONS_MAX + 2];
	int status = 0, c;

	if (u->noptions > OPTIONS_MAX)
		return -E2BIG;
	make_getopt(u, shorts, longs);
	opterr = 0;
	optind = 0; /* glibc: start afresh */
	while (!status) {
		const struct gn_option *o;

		optopt = 0;
		c = getopt_long(argc, argv, shorts, longs, NULL);
		if (c == -1)
			return take_rest(u, argc, argv, args, err, size);
		if (c == 'h' || c == OPTION_HELP)
			return GN_PARSED_HELP;
		o = c == '?' || c == ':' ? NULL : find_option(u, c);
		if (o)
			status = set_option(o, optarg, args, err, size);
		else
			status = bad_option(u, c, argv, err, size);
	}
	return status;
}

/* Writes "-o, --output FILE" and returns its width. `first`: it is the first on
 * its line, so it is aligned. */
static int help_words(const struct gn_option *o, bool first, FILE *f)
{
	char choices[128], sign[8] = "";
	const char *arg = o->arg;

	if (o->short_name)
		snprintf(sign, sizeof(sign), "-%c, ", o->short_name);
	if (!arg && o->type == GN_OPTION_CHOICE) {
		gn_choices_join(o->choice, "|", choices, sizeof(choices));
		arg = choices;
	}
	return fprintf(f, "%s%*s--%s%s%s", first ? "  " : ", ", first ? 4 : 0,
		       sign, o->name, arg ? " " : "", arg ? arg : "");
}

static void help_options(const struct gn_verb_usage *u, FILE *f)
{
	int width = 0;

	for (size_t i = 0; i < u->noptions; i++) {
		const struct gn_option *o = &u->options[i];

		width += help_words(o, !width, f);
		if (!*o->help && i + 1 < u->noptions)
			continue;
		if ((size_t)width + 2 + strlen(o->help) > HELP_WIDTH) {
			fputc('\n', f);
			width = 0;
		}
		fprintf(f, "%*s%s\n",
			width <= HELP_COLUMN - 2 ? HELP_COLUMN - width : 2, "",
			o->help);
		width = 0;
	}
}

void gn_options_help(const struct gn_verb_usage *u, FILE *f)
{
	fprintf(f, "usage: gnomon %s %s\n%s\n", u->name, u->synopsis,
		u->summary);
	help_options(u, f);
	if (u->examples)
		fprintf(f, "Examples: (all options at length: man gnomon)\n%s",
			u->examples);
}
