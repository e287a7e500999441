/* SPDX-License-Identifier: BSD-2-Clause */
#include "compare/budget.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#define PER_CALL "_per_call"
#define SHARE	 "_share"

struct reader {
	struct gn_budget *b;
	char *why;
	size_t size;
	char where[256]; /* "function[2]" */
};

__attribute__((format(printf, 2, 3))) static int bad(struct reader *r,
						     const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(r->why, r->size, format, ap);
	va_end(ap);
	return -EINVAL;
}

static bool ends_with(const char *word, const char *end, size_t *len)
{
	size_t n = strlen(word), e = strlen(end);

	*len = n;
	if (n <= e || strcmp(word + n - e, end))
		return false;
	*len = n - e;
	return true;
}

/* Parses a word of a budget, such as "lock_per_call". False: it is no
 * metric. */
static bool find_metric(const char *word, enum gn_part part, struct gn_limit *l)
{
	char plain[64];
	size_t len;

	l->reading = GN_READ_PLAIN;
	if (ends_with(word, PER_CALL, &len))
		l->reading = GN_READ_PER_CALL;
	else if (ends_with(word, SHARE, &len))
		l->reading = GN_READ_SHARE;
	if (len >= sizeof(plain))
		return false;
	memcpy(plain, word, len);
	plain[len] = '\0';
	l->metric = gn_metric_find(plain);
	if (l->metric < 0 ||
	    (l->reading == GN_READ_SHARE && gn_metric_whole(l->metric) < 0) ||
	    (l->reading == GN_READ_PER_CALL && !gn_metric_is_time(l->metric)))
		return false;
	/* these are for the total only, or for functions only */
	if (l->metric == GN_METRIC_gc_pause || l->metric == GN_METRIC_lost)
		return part == GN_PART_TOTAL && l->reading == GN_READ_PLAIN;
	if (l->metric == GN_METRIC_longest)
		return part == GN_PART_FUNCTION && l->reading == GN_READ_PLAIN;
	return true;
}

/* Whether the kind of limit fits the metric. */
static bool fits(const struct gn_limit *l)
{
	switch (l->kind) {
	case GN_LIMIT_SHARE: /* "lock": "10%", and "lock_share" is the same */
		return l->reading != GN_READ_PER_CALL &&
		       gn_metric_whole(l->metric) >= 0;
	case GN_LIMIT_OVER_PCT:
		return true;
	default: /* a limit in percentage points cannot be written */
		return l->reading != GN_READ_SHARE;
	}
}

static int add_limit(struct reader *r, struct gn_budget_rule *rule,
		     const char *word, const json_t *value)
{
	struct gn_limit l = {.word = word}, *grown;
	char number[32];
	const char *text = json_string_value(value);

	if (!find_metric(word, rule->part, &l))
		return bad(r,
			   "%s has '%s', which cannot be limited; give calls, "
			   "application_exclusive, lock or the like",
			   r->where, word);
	if (json_is_integer(value)) {
		snprintf(number, sizeof(number), "%lld",
			 (long long)json_integer_value(value));
		text = number;
	}
	if (!text)
		return bad(r,
			   "%s.%s is neither a text nor a whole number; give "
			   "one, as \"5ms\", \"12%%\" or 100",
			   r->where, word);
	if (gn_limit_parse(text, gn_metric_is_time(l.metric), &l) || !fits(&l))
		return bad(r,
			   "%s.%s cannot be '%s'; give as a text a time (5ms), "
			   "a share (12%%), or what may be added to the base "
			   "(+5%% or +2ms); a count is a number",
			   r->where, word, text);
	/* shown as in the file */
	l.text = json_string_value(value);
	grown = reallocarray(rule->limits, rule->nlimits + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	rule->limits = grown;
	grown[rule->nlimits++] = l;
	return 0;
}

/* Takes a member of a rule that is no limit. Returns 1 if it is a limit. */
static int take_word(struct reader *r, struct gn_budget_rule *rule,
		     const char *word, const json_t *value)
{
	const char *text = json_string_value(value);
	double ns;

	if (rule->part == GN_PART_TOTAL)
		return 1;
	if (!strcmp(word, "name")) {
		rule->name = text && *text ? text : NULL;
		return rule->name ? 0
				  : bad(r, "%s.name is not a text; give a glob",
					r->where);
	}
	if (!strcmp(word, "module") && rule->part == GN_PART_FUNCTION) {
		rule->module = text;
		return text ? 0
			    : bad(r, "%s.module is not a text; give a glob",
				  r->where);
	}
	if (!strcmp(word, "sum")) {
		rule->sum = json_is_true(value);
		return json_is_boolean(value)
			       ? 0
			       : bad(r, "%s.sum is not true or false; give one",
				     r->where);
	}
	if (!strcmp(word, "at_least")) {
		if (!text || gn_limit_time(text, &ns) || ns >= 0x1p64)
			return bad(r, "%s.at_least is not a time; give 1ms",
				   r->where);
		rule->at_least = (uint64_t)ns;
		return 0;
	}
	return 1;
}

/* A sum must not have inclusive times: the time of a function that another one
 * of the sum calls would count twice. */
static int check_sum(struct reader *r, const struct gn_budget_rule *rule)
{
	if (!rule->sum || rule->part == GN_PART_THREAD)
		return 0;
	for (size_t i = 0; i < rule->nlimits; i++) {
		const struct gn_limit *l = &rule->limits[i];

		if (l->metric == GN_METRIC_elapsed_incl ||
		    l->metric == GN_METRIC_app_incl)
			return bad(r,
				   "%s.%s is not a sum: callees are in their "
				   "callers' times; give an exclusive time",
				   r->where, l->word);
	}
	return 0;
}

static int read_rule(struct reader *r, enum gn_part part, json_t *object)
{
	struct gn_budget_rule *grown, *rule;
	const char *word;
	json_t *value;
	int err;

	if (!json_is_object(object))
		return bad(r, "%s is not an object; give {\"name\": ...}",
			   r->where);
	grown = reallocarray(r->b->rules, r->b->nrules + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	r->b->rules = grown;
	rule = &grown[r->b->nrules++];
	*rule = (struct gn_budget_rule){.part = part};
	json_object_foreach(object, word, value)
	{
		err = take_word(r, rule, word, value);
		if (err > 0)
			err = add_limit(r, rule, word, value);
		if (err)
			return err;
	}
	if (part == GN_PART_TOTAL)
		rule->name = "*";
	if (!rule->name)
		return bad(r,
			   "%s has no name; give a glob, as in \"name\": "
			   "\"parse_*\"",
			   r->where);
	if (!rule->nlimits)
		return bad(r, "%s limits nothing; give it a limit", r->where);
	return check_sum(r, rule);
}

static int part_of(const char *word)
{
	static const char *const words[] = {
		[GN_PART_TOTAL] = "total",
		[GN_PART_THREAD] = "thread",
		[GN_PART_MODULE] = "module",
		[GN_PART_FUNCTION] = "function",
	};

	for (int i = 0; i < GN_PART_COUNT; i++)
		if (!strcmp(word, words[i]))
			return i;
	return -1;
}

static int read_part(struct reader *r, const char *word, json_t *value)
{
	int part = part_of(word), err = 0;
	json_t *object;
	size_t i;

	if (part < 0)
		return bad(r,
			   "a budget cannot have '%s'; give function, module, "
			   "thread or total",
			   word);
	if (part == GN_PART_TOTAL) {
		snprintf(r->where, sizeof(r->where), "%s", word);
		return read_rule(r, GN_PART_TOTAL, value);
	}
	if (!json_is_array(value))
		return bad(r, "%s is not an array; give [{\"name\": ...}]",
			   word);
	json_array_foreach(value, i, object)
	{
		snprintf(r->where, sizeof(r->where), "%s[%zu]", word, i);
		err = read_rule(r, (enum gn_part)part, object);
		if (err)
			break;
	}
	return err;
}

/* Whether reading failed for lack of memory, which jansson mostly reports as a
 * syntax error. */
static bool lacks_memory(const json_error_t *error)
{
	return errno == ENOMEM ||
	       json_error_code(error) == json_error_out_of_memory;
}

int gn_budget_read(struct gn_budget *b, const char *text, size_t size,
		   char *why, size_t whysize)
{
	struct reader r = {.b = b, .why = why, .size = whysize};
	json_error_t error;
	const char *word;
	json_t *root, *value;
	int err = 0;

	*b = (struct gn_budget){0};
	errno = 0;
	root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	b->json = root;
	if (!root && lacks_memory(&error))
		return -ENOMEM;
	if (!root)
		return bad(&r, "line %d: %s; give JSON", error.line,
			   error.text);
	if (!json_is_object(root))
		return bad(&r,
			   "it is not an object; give {\"function\": [...]}");
	json_object_foreach(root, word, value)
	{
		err = read_part(&r, word, value);
		if (err)
			return err;
	}
	return b->nrules ? 0
			 : bad(&r, "it has no rules; give {\"function\": "
				   "[...]}");
}

void gn_budget_clear(struct gn_budget *b)
{
	for (size_t i = 0; i < b->nrules; i++)
		free(b->rules[i].limits);
	free(b->rules);
	json_decref(b->json);
	*b = (struct gn_budget){0};
}

bool gn_budget_compares(const struct gn_budget *b)
{
	for (size_t i = 0; i < b->nrules; i++)
		for (size_t k = 0; k < b->rules[i].nlimits; k++)
			if (b->rules[i].limits[k].kind >= GN_LIMIT_OVER_PCT)
				return true;
	return false;
}
