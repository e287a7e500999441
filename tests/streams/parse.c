// SPDX-License-Identifier: BSD-2-Clause
#include "parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct words {
	char *w[SCRIPT_WORDS];
	size_t n;
};

static int fail(struct script *s, const char *error)
{
	s->error = error;
	return -EINVAL;
}

static char *slurp(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	long size;

	if (!f)
		return NULL;
	if (!fseek(f, 0, SEEK_END) && (size = ftell(f)) >= 0 &&
	    !fseek(f, 0, SEEK_SET)) {
		text = calloc(1, (size_t)size + 1);
		if (text && fread(text, 1, (size_t)size, f) != (size_t)size) {
			free(text);
			text = NULL;
		}
	}
	fclose(f);
	return text;
}

/* Splits a line into words in place, and removes quotes. */
static int cut_words(struct script *s, char *line, struct words *out)
{
	char *from = line, *to;
	int quoted;

	out->n = 0;
	for (;;) {
		while (*from == ' ' || *from == '\t')
			from++;
		if (!*from || *from == '#')
			return 0;
		if (out->n == SCRIPT_WORDS)
			return fail(s, "too many words");
		out->w[out->n++] = to = from;
		for (quoted = 0; *from; from++) {
			if (*from == '"')
				quoted = !quoted;
			else if (!quoted && (*from == ' ' || *from == '\t'))
				break;
			else
				*to++ = *from;
		}
		if (*from)
			from++;
		*to = '\0';
	}
}

static int number(struct script *s, const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 0);
	if (errno || *end || end == text)
		return fail(s, "not a number");
	return 0;
}

static int find_kind(const char *text)
{
#define KIND(name, value, kind_text, stream, type) \
	if (!strcmp(text, kind_text))              \
		return value;
	GN_KIND_LIST(KIND)
#undef KIND
	return -1;
}

static int find_class(const char *text)
{
#define CLASS(name, value, class_text, ...) \
	if (!strcmp(text, class_text))      \
		return value;
	GN_CLASS_LIST(CLASS)
#undef CLASS
	return -1;
}

static int find_probe(const char *text)
{
#define PROBE(name, value, probe_text) \
	if (!strcmp(text, probe_text)) \
		return value;
	GN_PROBE_CLASS_LIST(PROBE)
#undef PROBE
	return -1;
}

static int runtime_func(struct script *s, const char *text, size_t len,
			const char *index, uint32_t *out)
{
	uint64_t i;

	if (number(s, index, &i))
		return -EINVAL;
#define RUNTIME(name, value, runtime_text)          \
	if (strlen(runtime_text) == len &&          \
	    !strncmp(text, runtime_text, len)) {    \
		*out = GN_FUNC(value, (uint32_t)i); \
		return 0;                           \
	}
	GN_RUNTIME_LIST(RUNTIME)
#undef RUNTIME
	return fail(s, "no such runtime");
}

static int find_func(struct script *s, const char *text, uint32_t *out)
{
	const char *colon = strchr(text, ':');
	size_t i;

	*out = 0;
	if (!strcmp(text, "0"))
		return 0;
	for (i = 0; i < s->nfunctions; i++) {
		if (!strcmp(s->functions[i].name, text)) {
			*out = s->functions[i].func;
			return 0;
		}
	}
	if (colon)
		return runtime_func(s, text, (size_t)(colon - text), colon + 1,
				    out);
	return fail(s, "no such function");
}

static int add_function(struct script *s, const struct words *w)
{
	uint32_t index = (uint32_t)s->nfunctions + 1;
	struct stream_event e = {.kind = GN_KIND_FUNCTION, .id = index};
	struct stream_event module = {.kind = GN_KIND_MODULE};
	int probe = 0;
	size_t i;

	if (w->n < 2 || s->nfunctions == SCRIPT_FUNCTIONS)
		return fail(s, "function NAME");
	for (i = 2; i < w->n && probe >= 0; i++) {
		if (!strcmp(w->w[i], "return"))
			e.flags |= GN_F_LEAVE_RETURN;
		else if (!strncmp(w->w[i], "enter=", 6) &&
			 (probe = find_probe(w->w[i] + 6)) >= 0)
			e.flags |= GN_F_CLASSES(probe, 0);
		else if (!strncmp(w->w[i], "leave=", 6) &&
			 (probe = find_probe(w->w[i] + 6)) >= 0)
			e.flags |= GN_F_CLASSES(0, probe);
		else if (!strncmp(w->w[i], "module=", 7))
			module.text[0] = w->w[i] + 7;
		else if (!strcmp(w->w[i], "moves"))
			module.flags = GN_F_MOVES_STACKS;
		else
			return fail(s, "unknown word");
	}
	if (module.text[0]) {
		module.id = e.ref = index;
		stream_add(&s->stream, &module);
	}
	e.text[0] = w->w[1];
	stream_add(&s->stream, &e);
	s->functions[s->nfunctions].name = w->w[1];
	s->functions[s->nfunctions++].func = index;
	return 0;
}

static int parse_tid(struct script *s, const char *text, uint32_t *tid)
{
	uint64_t n;

	if (*text != 't' || number(s, text + 1, &n))
		return fail(s, "tTID expected");
	*tid = (uint32_t)n;
	return 0;
}

struct numeric {
	const char *key;
	size_t offset, size;
};

#define NUMERIC(key, field)                                       \
	{                                                         \
		key, offsetof(struct stream_event, field),        \
			sizeof(((struct stream_event *)0)->field) \
	}

static const struct numeric numerics[] = {
	NUMERIC("key", key),
	NUMERIC("os", os_ns),
	NUMERIC("pid", pid),
	NUMERIC("parent", parent),
	NUMERIC("start", start),
	NUMERIC("ns", ns),
	NUMERIC("lo", lo),
	NUMERIC("hi", hi),
	NUMERIC("id", id),
	NUMERIC("ref", ref),
	NUMERIC("n", count),
	NUMERIC("end", end),
	NUMERIC("woken", key),
	NUMERIC("waker", waker),
	NUMERIC("reason", reason),
	NUMERIC("detail", detail),
	NUMERIC("before", before),
	NUMERIC("after", after),
	NUMERIC("spread", spread),
	NUMERIC("turn", turn),
	NUMERIC("kernel-cpu", kernel_cpu),
	NUMERIC("kernel-delay", kernel_delay),
	NUMERIC("cpu", cpu),
	NUMERIC("delay", delay),
	NUMERIC("cpu-apart", cpu_apart),
	NUMERIC("delay-apart", delay_apart),
	NUMERIC("irq", irq),
	NUMERIC("stolen", stolen),
	NUMERIC("switches", switches),
	NUMERIC("drift", drift),
	NUMERIC("span", span),
};

static int set_numeric(struct script *s, const char *key, const char *value,
		       struct stream_event *e)
{
	uint64_t n;
	uint32_t n32;
	size_t i;

	for (i = 0; i < sizeof(numerics) / sizeof(*numerics); i++) {
		const struct numeric *d = &numerics[i];

		if (strcmp(d->key, key))
			continue;
		if (number(s, value, &n))
			return -EINVAL;
		n32 = (uint32_t)n;
		if (d->size == 4 && n32 != n)
			return fail(s, "number too large");
		memcpy((char *)e + d->offset,
		       d->size == 4 ? (void *)&n32 : (void *)&n, d->size);
		return 0;
	}
	return fail(s, "unknown field");
}

static int set_field(struct script *s, char *word, struct stream_event *e)
{
	char *value = strchr(word, '=');
	int class, probe;

	if (!strcmp(word, "in-doubt")) {
		e->flags |= GN_F_IN_DOUBT;
		return 0;
	}
	if (!strcmp(word, "signal")) {
		e->flags |= GN_F_SIGNAL_STACK;
		return 0;
	}
	if (!strcmp(word, "os-event") || !strcmp(word, "in-probe")) {
		e->flags |= word[0] == 'o' ? GN_F_OS_EVENT : GN_F_IN_PROBE;
		return 0;
	}
	if (!value)
		return fail(s, "FIELD=VALUE expected");
	*value++ = '\0';
	if (!strcmp(word, "f"))
		return find_func(s, value, &e->func);
	if (!strcmp(word, "probe")) {
		probe = find_probe(value);
		e->id = (uint32_t)probe;
		return probe < 0 ? fail(s, "no such probe class") : 0;
	}
	if (!strcmp(word, "comm"))
		e->comm = value;
	else if (!strcmp(word, "name"))
		e->text[0] = value;
	else if (!strcmp(word, "module") || !strcmp(word, "value"))
		e->text[1] = value;
	else if (strcmp(word, "class"))
		return set_numeric(s, word, value, e);
	else if ((class = find_class(value)) < 0)
		return fail(s, "no such class");
	else
		e->class = (enum gn_class) class;
	return 0;
}

static int add_record(struct script *s, struct words *w)
{
	struct stream_event e = {0};
	struct stream_seq *seq;
	uint64_t n;
	size_t i;
	int kind;

	if (w->n < 3)
		return fail(s, "TIME tTID KIND expected");
	kind = find_kind(w->w[2]);
	if (kind < 0)
		return fail(s, "no such kind");
	e.kind = (enum gn_kind)kind;
	if (number(s, w->w[0], &e.time) || parse_tid(s, w->w[1], &e.tid))
		return -EINVAL;
	for (i = 3; i < w->n; i++) {
		if (!strncmp(w->w[i], "seq=", 4)) {
			if (number(s, w->w[i] + 4, &n))
				return -EINVAL;
			seq = stream_seq(&s->stream, e.tid);
			if (kind == GN_KIND_SLICE)
				seq->slice_seq = (uint32_t)n - 1;
			else
				seq->seq = (uint32_t)n - 1;
		} else if (set_field(s, w->w[i], &e)) {
			return -EINVAL;
		}
	}
	if (kind == GN_KIND_NAME || kind == GN_KIND_SOURCE) {
		e.id = e.func;
		e.ref = e.pid;
	}
	e.samples = (uint32_t)e.count;
	stream_add(&s->stream, &e);
	return 0;
}

static int lose(struct script *s, const struct words *w)
{
	struct stream_seq *seq;
	const char *count;
	uint32_t tid;
	uint64_t n;
	bool slices;

	if (w->n != 3 || parse_tid(s, w->w[1], &tid))
		return fail(s, "lose tTID [slices=]N");
	slices = !strncmp(w->w[2], "slices=", 7);
	count = slices ? w->w[2] + 7 : w->w[2];
	if (number(s, count, &n))
		return -EINVAL;
	seq = stream_seq(&s->stream, tid);
	if (slices)
		seq->slice_seq += (uint32_t)n;
	else
		seq->seq += (uint32_t)n;
	return 0;
}

static int add_expect(struct script *s, const struct words *w)
{
	struct expect *e = &s->expects[s->nexpects];
	size_t i = 1;

	if (s->nexpects == SCRIPT_EXPECTS)
		return fail(s, "too many truths");
	e->line = s->line;
	e->classify = -1;
	if (w->n > 1 && !strcmp(w->w[1], "exact"))
		e->classify = GN_CLASSIFY_EXACT;
	else if (w->n > 1 && !strcmp(w->w[1], "interval"))
		e->classify = GN_CLASSIFY_INTERVAL;
	else if (w->n > 1 && !strcmp(w->w[1], "raw"))
		e->classify = EXPECT_RAW;
	if (e->classify >= 0)
		i++;
	if (w->n <= i || w->n - i > EXPECT_WORDS)
		return fail(s, "expect OBJECT FIELD=VALUE ...");
	for (; i < w->n; i++)
		e->words[e->nwords++] = w->w[i];
	s->nexpects++;
	return 0;
}

static int take_line(struct script *s, struct words *w)
{
	uint32_t tid;

	if (!w->n)
		return 0;
	if (!strcmp(w->w[0], "function"))
		return add_function(s, w);
	if (!strcmp(w->w[0], "lose"))
		return lose(s, w);
	if (!strcmp(w->w[0], "expect"))
		return add_expect(s, w);
	if (strcmp(w->w[0], "reuse"))
		return add_record(s, w);
	if (w->n != 2 || parse_tid(s, w->w[1], &tid))
		return fail(s, "reuse tTID");
	stream_new_thread(&s->stream, tid);
	return 0;
}

int script_read(const char *path, struct script *s)
{
	struct words w;
	char *line, *next;
	int err;

	*s = (struct script){0};
	s->text = slurp(path);
	if (!s->text)
		return -errno;
	for (line = s->text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		s->line++;
		err = cut_words(s, line, &w);
		if (!err)
			err = take_line(s, &w);
		if (err)
			return err;
	}
	return 0;
}

int script_load(const char *path, struct script *s)
{
	int err = script_read(path, s);

	if (!err)
		return 0;
	fprintf(stderr, "%s:%zu: %s\n", path, s->line,
		s->error ? s->error : strerror(-err));
	script_free(s);
	return err;
}

void script_free(struct script *s)
{
	stream_free(&s->stream);
	free(s->text);
	s->text = NULL;
}
