// SPDX-License-Identifier: BSD-2-Clause
#include "top/prom_series.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/table.h"
#include "output/text.h"

#define SECOND 1000000000u

void gn_top_tally_add(struct gn_top_tally *t, uint64_t ns)
{
	uint64_t rest = t->ns + ns % SECOND;

	t->seconds += ns / SECOND + rest / SECOND;
	t->ns = (uint32_t)(rest % SECOND);
}

int gn_top_series_init(struct gn_top_series_set *s, bool threads, size_t most)
{
	memset(s, 0, sizeof(*s));
	s->own = calloc(most, sizeof(*s->own));
	s->other.labels =
		strdup(threads ? "pid=\"(other)\",comm=\"(other)\""
			       : "function=\"(other)\",module=\"(other)\"");
	s->threads = threads;
	s->most = most;
	return s->own && s->other.labels ? 0 : -ENOMEM;
}

static void clear(struct gn_top_series *s)
{
	free(s->name);
	free(s->module);
	free(s->labels);
	memset(s, 0, sizeof(*s));
}

void gn_top_series_clear(struct gn_top_series_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		clear(&s->own[i]);
	clear(&s->other);
	free(s->own);
	memset(s, 0, sizeof(*s));
}

/* The hash includes the NULs, which separate the texts. */
static uint64_t hash_of(uint32_t pid, const char *name, const char *module)
{
	uint64_t h = gn_hash_text(GN_HASH_TEXT ^ pid, name, strlen(name) + 1);

	return gn_hash_text(h, module, strlen(module) + 1);
}

struct gn_top_series *gn_top_series_find(struct gn_top_series_set *s,
					 uint32_t pid, const char *name,
					 const char *module)
{
	uint64_t hash = hash_of(pid, name, module);

	for (size_t i = 0; i < s->n; i++) {
		struct gn_top_series *own = &s->own[i];

		if (own->hash == hash && own->pid == pid &&
		    !strcmp(own->name, name) && !strcmp(own->module, module))
			return own;
	}
	return NULL;
}

/* key="value" of the format, whose escapes are \\, \" and \n. */
static void put_label(FILE *f, const char *key, const char *value)
{
	size_t len;

	fprintf(f, "%s=\"", key);
	for (; *value; value += len) {
		int32_t c = gn_utf8_next(value, &len);

		if (c == '\n')
			fputs("\\n", f);
		else if (c == '\\' || c == '"')
			fprintf(f, "\\%c", (char)c);
		else if (c >= 0 && gn_printable(c))
			fwrite(value, 1, len, f);
		else if (c < 0x80) /* a byte that is no character is -1 */
			fprintf(f, "\\\\x%02x", (unsigned char)*value);
		else
			fprintf(f, "\\\\u{%" PRIx32 "}", (uint32_t)c);
	}
	fputc('"', f);
}

static char *make_labels(bool thread, uint32_t pid, const char *name,
			 const char *module)
{
	struct gn_text_stream text;
	FILE *f = gn_text_stream_open(&text);

	if (!f)
		return NULL;
	if (thread) {
		fprintf(f, "pid=\"%" PRIu32 "\",", pid);
		put_label(f, "comm", name);
	} else {
		put_label(f, "function", name);
		fputc(',', f);
		put_label(f, "module", module);
	}
	return gn_text_stream_close(&text);
}

/* Whether a series has these labels: a byte that does not print looks like the
 * text of its escape. */
static bool taken(const struct gn_top_series_set *s, const char *labels)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!strcmp(s->own[i].labels, labels))
			return true;
	}
	return !strcmp(s->other.labels, labels);
}

struct gn_top_series *gn_top_series_admit(struct gn_top_series_set *s,
					  uint32_t pid, const char *name,
					  const char *module)
{
	struct gn_top_series own = {
		.hash = hash_of(pid, name, module),
		.pid = pid,
	};

	if (s->n == s->most)
		return NULL;
	own.name = strdup(name);
	own.module = strdup(module);
	own.labels = make_labels(s->threads, pid, name, module);
	if (!own.name || !own.module || !own.labels || taken(s, own.labels)) {
		clear(&own);
		return NULL;
	}
	s->own[s->n] = own;
	return &s->own[s->n++];
}
