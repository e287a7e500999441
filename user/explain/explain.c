/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/explain.h"

#include <errno.h>
#include <stdlib.h>

#include "explain/facts.h"
#include "explain/rules.h"
#include "output/text.h"

const char *gn_severity_text(enum gn_severity s)
{
	static const char *const texts[] = {
#define TEXT(name, text) [GN_SEVERITY_##name] = text,
		GN_SEVERITY_LIST(TEXT)
#undef TEXT
	};

	return texts[s];
}

/* The text that `put` writes. NULL: no memory. */
static char *text_of(void (*put)(const struct gn_facts *f,
				 const struct gn_subject *s, FILE *out),
		     const struct gn_facts *f, const struct gn_subject *s)
{
	struct gn_text_stream text;
	FILE *out = gn_text_stream_open(&text);

	if (!out)
		return NULL;
	put(f, s, out);
	return gn_text_stream_close(&text);
}

static int add(struct gn_findings *out, const struct gn_rule *r,
	       const struct gn_facts *f, const struct gn_subject *s)
{
	struct gn_insight *finding = &out->finding[out->n++];

	*finding = (struct gn_insight){
		.rule = r->name,
		.severity = s->severity,
		.share = s->share,
		.rank = s->rank < 0 ? s->share : s->rank,
		.text = text_of(r->say, f, s),
		.next = text_of(r->next, f, s),
		.what = s->what,
	};
	return finding->text && finding->next ? 0 : -ENOMEM;
}

/* Whether the rule may hold. If records were lost or a self-check failed, only
 * the rules about that may. */
static bool may_speak(const struct gn_rule *r, const struct gn_model *m,
		      bool idle)
{
	if (r->lossy || gn_model_lossy(m) || gn_model_broken(m))
		return r->lossy;
	return r->idle || !idle;
}

static int apply(const struct gn_rule *r, const struct gn_facts *f, bool *idle,
		 struct gn_findings *out)
{
	struct gn_subject s = {.class = r->class,
			       .severity = r->severity,
			       .what = r->what,
			       .rank = -1};
	int err;

	if (!may_speak(r, f->m, *idle))
		return 0;
	err = r->look(f, &s);
	if (err || s.share <= 0 || s.share < r->least)
		return err;
	*idle |= r->idle;
	return add(out, r, f, &s);
}

/* Order: the worse severity first, then the higher rank. */
static int by_weight(const void *left, const void *right)
{
	const struct gn_insight *a = left, *b = right;

	if (a->severity != b->severity)
		return (int)b->severity - (int)a->severity;
	return (b->rank > a->rank) - (b->rank < a->rank);
}

int gn_explain(const struct gn_model *m, size_t most, struct gn_findings *out)
{
	struct gn_facts facts;
	bool idle = false;
	size_t rules = 0;
	int err = 0;

	*out = (struct gn_findings){0};
	while (gn_rule(rules))
		rules++;
	out->finding = calloc(rules, sizeof(*out->finding));
	if (!out->finding)
		return -ENOMEM;
	err = gn_facts_of(m, &facts);
	for (size_t i = 0; !err && i < rules; i++)
		err = apply(gn_rule(i), &facts, &idle, out);
	qsort(out->finding, out->n, sizeof(*out->finding), by_weight);
	while (most && out->n > most) {
		out->n--;
		out->more++;
		free(out->finding[out->n].text);
		free(out->finding[out->n].next);
	}
	return err;
}

void gn_findings_clear(struct gn_findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->finding[i].text);
		free(f->finding[i].next);
	}
	free(f->finding);
	*f = (struct gn_findings){0};
}
