/* SPDX-License-Identifier: BSD-2-Clause */
/* The Prometheus file: its format, and the sums of its counters. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "output/classes.h"
#include "output/text.h"
#include "top/prom.h"
#include "top_sample.h"

#define MOST_SAMPLES 8192
#define MOST_LABELS  4

struct sample {
	char *name;
	char *labels;				     /* as in the file */
	char *key[MOST_LABELS], *value[MOST_LABELS]; /* unescaped */
	size_t nlabels;
	uint64_t ns; /* the value in units of 10^-9 */
};

struct file {
	char *text;
	struct sample *samples;
	size_t n;
};

static bool name_char(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == ':' || (!first && c >= '0' && c <= '9');
}

/* A name, terminated in place; returns what follows it. */
static char *take_name(char *p, char **name)
{
	assert_true(name_char(*p, true));
	for (*name = p; name_char(*p, p == *name);)
		p++;
	return p;
}

/* A quoted value, unescaped in place; returns what follows its closing
 * quote. */
static char *take_value(char *p, char **value)
{
	char *to;

	assert_int_equal(*p++, '"');
	for (*value = to = p; *p != '"'; p++) {
		assert_true((unsigned char)*p >= ' ');
		if (*p != '\\') {
			*to++ = *p;
			continue;
		}
		p++;
		assert_non_null(strchr("\\\"n", *p));
		*to++ = *p == 'n' ? '\n' : *p;
	}
	*to = '\0';
	return p + 1;
}

static void take_labels(struct sample *s)
{
	char *p = strdup(s->labels), *end;

	assert_non_null(p);
	for (;;) {
		size_t i = s->nlabels++;

		assert_true(i < MOST_LABELS);
		end = take_name(p, &s->key[i]);
		assert_int_equal(*end, '=');
		*end = '\0';
		p = take_value(end + 1, &s->value[i]);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(s->key[k], s->key[i]);
		if (!*p)
			return;
		assert_int_equal(*p++, ',');
	}
}

/* The end of the labels that begin at `p`. */
static char *end_of_labels(char *p)
{
	bool quoted = false;

	for (; *p; p++) {
		if (quoted && *p == '\\')
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (!quoted && *p == '}')
			return p;
	}
	fail_msg("labels have no end");
	return NULL;
}

static uint64_t take_number(const char *p)
{
	uint64_t whole, part = 0;
	char *end;
	int digits = 0;

	assert_true(*p >= '0' && *p <= '9');
	whole = strtoull(p, &end, 10);
	if (*end == '.') {
		for (end++; *end >= '0' && *end <= '9'; end++, digits++)
			part = part * 10 + (uint64_t)(*end - '0');
		assert_true(digits > 0 && digits <= 9);
	}
	assert_int_equal(*end, '\0');
	for (; digits < 9; digits++)
		part *= 10;
	return whole * 1000000000 + part;
}

/* All samples of a metric follow its HELP and TYPE, which appear once. */
static void take_line(struct file *f, char *line, char *metric, char *type)
{
	struct sample *s = &f->samples[f->n];
	char *p;

	if (!strncmp(line, "# HELP ", 7)) {
		assert_int_equal(sscanf(line, "# HELP %127s", metric), 1);
		*type = '\0';
		for (size_t i = 0; i < f->n; i++)
			assert_string_not_equal(f->samples[i].name, metric);
		return;
	}
	if (!strncmp(line, "# TYPE ", 7)) {
		char again[128];

		assert_int_equal(sscanf(line, "# TYPE %127s %15s", again, type),
				 2);
		assert_string_equal(again, metric);
		assert_true(!strcmp(type, "counter") || !strcmp(type, "gauge"));
		assert_int_equal(
			!strcmp(type, "counter"),
			strlen(metric) > 6 &&
				!strcmp(metric + strlen(metric) - 6, "_total"));
		return;
	}
	assert_true(f->n < MOST_SAMPLES);
	assert_true(*type);
	p = take_name(line, &s->name);
	if (*p == '{') {
		*p++ = '\0';
		s->labels = p;
		p = end_of_labels(p);
		*p++ = '\0';
	} else {
		s->labels = p + strlen(p);
	}
	assert_int_equal(*p, ' ');
	*p = '\0';
	assert_string_equal(s->name, metric);
	if (*s->labels)
		take_labels(s);
	s->ns = take_number(p + 1);
	f->n++;
}

static int by_series(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->labels, b->labels);
}

static void is_utf8(const char *text)
{
	size_t len;

	for (; *text; text += len)
		assert_true(gn_utf8_next(text, &len) >= 0);
}

static void parse(struct file *f, char *text)
{
	char metric[128] = "", type[16] = "", *save, *line;

	memset(f, 0, sizeof(*f));
	is_utf8(text);
	f->text = text;
	f->samples = calloc(MOST_SAMPLES, sizeof(*f->samples));
	assert_non_null(f->samples);
	assert_true(*text && text[strlen(text) - 1] == '\n');
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		take_line(f, line, metric, type);
	qsort(f->samples, f->n, sizeof(*f->samples), by_series);
	for (size_t i = 1; i < f->n; i++)
		assert_true(by_series(&f->samples[i - 1], &f->samples[i]) < 0);
}

static void forget(struct file *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->samples[i].key[0]);
	free(f->samples);
	free(f->text);
}

static char *print(const struct gn_top_prom *t)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(gn_top_prom_write(t, f), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static const char *label(const struct sample *s, const char *key)
{
	for (size_t i = 0; i < s->nlabels; i++) {
		if (!strcmp(s->key[i], key))
			return s->value[i];
	}
	return "";
}

/* The sum over a metric's series with a label, or over all of them; n: how
 * many. */
static uint64_t sum(const struct file *f, const char *name, const char *key,
		    const char *value, size_t *n)
{
	uint64_t all = 0;
	size_t found = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct sample *s = &f->samples[i];

		if (strcmp(s->name, name) != 0 ||
		    (key && strcmp(label(s, key), value) != 0))
			continue;
		all += s->ns;
		found++;
	}
	if (n)
		*n = found;
	return all;
}

static uint64_t one(const struct file *f, const char *name, const char *key,
		    const char *value)
{
	size_t n;
	uint64_t ns = sum(f, name, key, value, &n);

	if (n != 1)
		fail_msg("%s %s: %zu series", name, value ? value : "", n);
	return ns;
}

#define S 1000000000ULL

static void golden(void **state)
{
	struct gn_top_prom *t = gn_top_prom_new();
	struct top_sample s;
	char *text;

	(void)state;
	assert_non_null(t);
	top_sample_make(&s);
	gn_top_prom_add(t, &s.p);
	top_sample_worst(&s);
	gn_top_prom_add(t, &s.p);
	text = print(t);
	top_golden("prom", text);
	free(text);
	gn_top_prom_free(t);
}

static void values(void **state)
{
	struct gn_top_prom *t = gn_top_prom_new();
	struct top_sample s;
	struct file f;

	(void)state;
	assert_non_null(t);
	top_sample_make(&s);
	gn_top_prom_add(t, &s.p);
	parse(&f, print(t));
	assert_int_equal(one(&f, "gnomon_periods_total", NULL, NULL), S);
	assert_int_equal(one(&f, "gnomon_target_running", NULL, NULL), S);
	assert_int_equal(one(&f, "gnomon_probe_slowdown_ratio", NULL, NULL),
			 49600000);
	assert_int_equal(one(&f, "gnomon_probe_budget_ratio", NULL, NULL),
			 50000000);
	assert_int_equal(one(&f, "gnomon_muted_functions", NULL, NULL), S);
	assert_int_equal(one(&f, "gnomon_self_cpu_seconds_total", NULL, NULL),
			 32 * TOP_MS);
	assert_int_equal(one(&f, "gnomon_threads", "state", "waiting"), 3 * S);
	assert_int_equal(one(&f, "gnomon_threads", "state", "ended"), S);
	assert_int_equal(sum(&f, "gnomon_thread_time_seconds_total", "comm",
			     "spin", NULL),
			 900 * TOP_MS);
	/* a byte that is not UTF-8, and unprintable characters, as text */
	assert_int_equal(sum(&f, "gnomon_thread_time_seconds_total", "comm",
			     "evil\\x1b[31m\\x0d\n\"a,b\"\\xff\\u{202e}=1\\",
			     NULL),
			 1000 * TOP_MS);
	assert_int_equal(one(&f, "gnomon_function_calls_total", "function",
			     "take<std::map<int, char>>(unsigned long)"),
			 300 * S);
	/* too little time to get its own labels */
	assert_int_equal(
		one(&f, "gnomon_function_calls_total", "function", "(other)"),
		7 * S);
	forget(&f);
	top_sample_worst(&s);
	s.m.code.sites = 7;
	gn_top_prom_add(t, &s.p);
	parse(&f, print(t));
	assert_int_equal(one(&f, "gnomon_periods_total", NULL, NULL), 2 * S);
	assert_int_equal(one(&f, "gnomon_inlined_call_sites", NULL, NULL),
			 7 * S);
	assert_int_equal(one(&f, "gnomon_target_running", NULL, NULL), 0);
	assert_int_equal(
		one(&f, "gnomon_lost_records_total", "cause", "ring-full"),
		1200 * S);
	assert_int_equal(one(&f, "gnomon_missing_records_total", NULL, NULL),
			 1234 * S);
	assert_int_equal(one(&f, "gnomon_check_errors_total", "check",
			     "account_error_ns"),
			 77 * S);
	/* unknown: left out */
	assert_int_equal(
		sum(&f, "gnomon_probe_slowdown_ratio", NULL, NULL, NULL), 0);
	forget(&f);
	gn_top_prom_free(t);
}

/* The same sequence of numbers in each run. */
static uint32_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(*seed >> 33);
}

#define MANY_THREADS   400
#define MANY_FUNCTIONS 300

/* A random period with many threads and functions. */
struct crowd {
	struct top_sample s;
	struct gn_model_thread threads[MANY_THREADS];
	struct gn_model_function functions[MANY_FUNCTIONS];
	char thread_names[MANY_THREADS][40];
	char function_names[MANY_FUNCTIONS][64];
};

static void crowd_make(struct crowd *c)
{
	static const char *const odd[] = {
		"",	 "\"",	    "\\",	    "\n",	"\xff",
		"\\xff", "(other)", "\xe2\x80\xae", "{a=\"b\"}"};

	memset(c, 0, sizeof(*c));
	top_sample_make(&c->s);
	for (int i = 0; i < MANY_THREADS; i++) {
		snprintf(c->thread_names[i], sizeof(c->thread_names[i]), "%s%d",
			 odd[i % 9], i / 9 % 30);
		c->threads[i].name = c->thread_names[i];
	}
	for (uint32_t i = 0; i < MANY_FUNCTIONS; i++) {
		char number[8] = "";

		if (i >= 27) /* only their modules distinguish the others */
			snprintf(number, sizeof(number), "%u", i % 1000);
		snprintf(c->function_names[i], sizeof(c->function_names[i]),
			 "%s%s", odd[i % 9], number);
		c->functions[i].index = i;
		c->functions[i].name = c->function_names[i];
		c->functions[i].module = i < 9 ? "(other)" : odd[i / 9 % 9];
	}
	c->s.m.threads = c->threads;
	c->s.m.functions = c->functions;
}

static void crowd_roll(struct crowd *c, uint64_t *seed)
{
	c->s.m.nthreads = next(seed) % (MANY_THREADS + 1);
	c->s.m.nfunctions = next(seed) % (MANY_FUNCTIONS + 1);
	c->s.p.length = next(seed) % 3 * S;
	for (size_t i = 0; i < c->s.m.nthreads; i++) {
		struct gn_model_thread *t = &c->threads[i];

		t->pid = 98 + next(seed) % 4;
		t->tid = next(seed);
		t->elapsed = 0;
		for (int k = 0; k < GN_CLASS_COUNT; k++) {
			t->classes[k] = next(seed) % 3 ? 0 : next(seed);
			t->elapsed += t->classes[k];
		}
	}
	for (size_t i = 0; i < c->s.m.nfunctions; i++) {
		struct gn_values *v = &c->functions[i].v;

		v->calls = next(seed) % 100;
		v->elapsed_excl = next(seed) % 2 ? next(seed) % 100000000 : 0;
		v->app_excl = v->elapsed_excl / 3;
	}
	for (int i = 0; i < GN_COUNTER_COUNT; i++)
		c->s.m.counters[i] = next(seed) % 4;
	c->s.p.slowdown = (double)next(seed) / 1e9 - 1;
}

struct totals {
	uint64_t classes[GN_CLASS_COUNT], calls, elapsed, app, lost;
};

static void count(struct totals *t, const struct gn_model *m)
{
	for (size_t i = 0; i < m->nthreads; i++) {
		for (int c = 0; c < GN_CLASS_COUNT; c++)
			t->classes[c] += m->threads[i].classes[c];
	}
	for (size_t i = 0; i < m->nfunctions; i++) {
		t->calls += m->functions[i].v.calls;
		t->elapsed += m->functions[i].v.elapsed_excl;
		t->app += m->functions[i].v.app_excl;
	}
#define LOSS(name, value, text, loss, meaning) \
	t->lost += (loss) ? m->counters[GN_COUNTER_##name] : 0;
	GN_COUNTER_LIST(LOSS)
#undef LOSS
}

static void same_totals(const struct file *f, const struct totals *t)
{
	static const char *const functions[] = {
		"gnomon_function_calls_total",
		"gnomon_function_elapsed_exclusive_seconds_total",
		"gnomon_function_application_exclusive_seconds_total",
	};
	size_t n;

	for (int c = 0; c < GN_CLASS_COUNT; c++) {
		assert_int_equal(sum(f, "gnomon_thread_time_seconds_total",
				     "class", gn_class_text(c), &n),
				 t->classes[c]);
		assert_true(n <= GN_TOP_PROM_THREADS + 1);
	}
	for (int i = 0; i < 3; i++) {
		uint64_t wanted = i == 0   ? t->calls * S
				  : i == 1 ? t->elapsed
					   : t->app;

		assert_int_equal(sum(f, functions[i], NULL, NULL, &n), wanted);
		assert_true(n <= GN_TOP_PROM_FUNCTIONS + 1);
	}
	assert_int_equal(sum(f, "gnomon_lost_records_total", NULL, NULL, NULL),
			 t->lost * S);
}

/* Each counter is still there, and has not decreased. */
static void no_less(const struct file *before, const struct file *now)
{
	size_t k = 0;

	for (size_t i = 0; i < before->n; i++) {
		const struct sample *s = &before->samples[i];
		size_t len = strlen(s->name);

		if (len < 6 || strcmp(s->name + len - 6, "_total") != 0)
			continue;
		while (k < now->n && by_series(&now->samples[k], s) < 0)
			k++;
		assert_true(k < now->n && !by_series(&now->samples[k], s));
		assert_true(now->samples[k].ns >= s->ns);
	}
}

static void fifty_periods(void **state)
{
	struct crowd *c = malloc(sizeof(*c));
	struct gn_top_prom *t = gn_top_prom_new();
	struct totals totals = {0};
	struct file before = {0}, now;
	uint64_t seed = 42;
	size_t n;

	(void)state;
	assert_non_null(c);
	assert_non_null(t);
	crowd_make(c);
	for (uint64_t i = 1; i <= 50; i++) {
		crowd_roll(c, &seed);
		count(&totals, &c->s.m);
		gn_top_prom_add(t, &c->s.p);
		parse(&now, print(t));
		assert_int_equal(one(&now, "gnomon_periods_total", NULL, NULL),
				 i * S);
		same_totals(&now, &totals);
		no_less(&before, &now);
		forget(&before);
		before = now;
	}
	/* the sets are full, so the limits were tested */
	sum(&now, "gnomon_function_calls_total", NULL, NULL, &n);
	assert_int_equal(n, GN_TOP_PROM_FUNCTIONS + 1);
	sum(&now, "gnomon_thread_time_seconds_total", "class", "app", &n);
	assert_int_equal(n, GN_TOP_PROM_THREADS + 1);
	forget(&now);
	gn_top_prom_free(t);
	free(c);
}

static void admitted_once_and_for_good(void **state)
{
	struct gn_top_prom *t = gn_top_prom_new();
	static const char *const name = "gnomon_function_calls_total";
	struct top_sample s;
	struct file f;

	(void)state;
	assert_non_null(t);
	top_sample_make(&s);
	/* just below one per cent; and what a function did before it had labels
	 * stays with the others */
	s.functions[2].v.elapsed_excl = 10 * TOP_MS - 1;
	gn_top_prom_add(t, &s.p);
	parse(&f, print(t));
	assert_int_equal(one(&f, name, "function", "(other)"), 8 * S);
	forget(&f);
	s.functions[2].v.elapsed_excl = 10 * TOP_MS;
	gn_top_prom_add(t, &s.p);
	s.functions[2].v.elapsed_excl = 1;
	gn_top_prom_add(t, &s.p);
	parse(&f, print(t));
	assert_int_equal(one(&f, name, "function", "main"), 2 * S);
	assert_int_equal(one(&f, name, "function", "(other)"), 22 * S);
	forget(&f);
	gn_top_prom_free(t);
}

static void nothing(void **state)
{
	struct gn_top_prom *t = gn_top_prom_new();
	struct top_sample s;
	struct file f;

	(void)state;
	assert_non_null(t);
	/* also before the first period */
	parse(&f, print(t));
	assert_int_equal(one(&f, "gnomon_periods_total", NULL, NULL), 0);
	forget(&f);
	top_sample_make(&s);
	top_sample_empty(&s);
	gn_top_prom_add(t, &s.p);
	parse(&f, print(t));
	assert_int_equal(
		sum(&f, "gnomon_thread_time_seconds_total", NULL, NULL, NULL),
		0);
	assert_int_equal(one(&f, "gnomon_target_running", NULL, NULL), 0);
	forget(&f);
	gn_top_prom_free(t);
	gn_top_prom_free(NULL);
}

/* 2,000 thread-years: more nanoseconds than fit into 64 bits. */
static void no_overflow(void **state)
{
	struct gn_top_prom *t = gn_top_prom_new();
	struct top_sample s;
	char *text;

	(void)state;
	assert_non_null(t);
	top_sample_make(&s);
	s.threads[1].classes[GN_CLASS_APP] = 1ULL << 63;
	s.threads[1].elapsed = 1ULL << 63;
	for (int i = 0; i < 8; i++)
		gn_top_prom_add(t, &s.p);
	text = print(t);
	/* 2^66 / 10^9 */
	assert_non_null(strstr(text, "{pid=\"100\",comm=\"spin\",class=\"app\"}"
				     " 73786976294.838206464\n"));
	free(text);
	gn_top_prom_free(t);
}

static void write_fails(void **state)
{
	struct gn_top_prom *t = gn_top_prom_new();
	struct top_sample s;
	FILE *f = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(f);
	assert_non_null(t);
	top_sample_make(&s);
	gn_top_prom_add(t, &s.p);
	assert_int_equal(gn_top_prom_write(t, f), -ENOSPC);
	fclose(f);
	gn_top_prom_free(t);
}

static void locale_does_not_matter(void **state)
{
	struct gn_top_prom *t = gn_top_prom_new();
	struct top_sample s;
	char *plain, *comma;

	(void)state;
	assert_non_null(t);
	top_sample_make(&s);
	gn_top_prom_add(t, &s.p);
	plain = print(t);
	if (!top_locale_comma(GN_BUILD_DIR "/tests/locale-prom")) {
		free(plain);
		gn_top_prom_free(t);
		skip();
	}
	comma = print(t);
	top_locale_plain();
	assert_string_equal(plain, comma);
	free(plain);
	free(comma);
	gn_top_prom_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden),
		cmocka_unit_test(values),
		cmocka_unit_test(fifty_periods),
		cmocka_unit_test(admitted_once_and_for_good),
		cmocka_unit_test(nothing),
		cmocka_unit_test(no_overflow),
		cmocka_unit_test(write_fails),
		cmocka_unit_test(locale_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
