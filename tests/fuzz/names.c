/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names from a hostile program in every output: of functions, modules, threads
 * and programs, and what a trace file says of itself. An input is a number that
 * chooses how the model is shown, then texts that end with a NUL.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model/pipeline.h"
#include "show.h"

#define NATIVE	GN_FUNC(GN_RUNTIME_NATIVE, 1)
#define MANAGED GN_FUNC(GN_RUNTIME_CLR, 1)
#define TEXT	900 /* most bytes of a text */

struct story {
	struct gn_fuzz_in in;
	struct gn_pipeline *p;
	uint64_t now;
	uint32_t seq;
};

static void feed(struct story *s, const void *rec, size_t size)
{
	must(!gn_pipeline_feed(s->p, rec, size), "the model takes the record");
}

static struct gn_rec head(struct story *s, enum gn_kind kind)
{
	s->now += 1000;
	return (struct gn_rec){
		.time = s->now, .tid = 100, .kind = kind, .seq = ++s->seq};
}

/* Feeds a record with two texts from the input. `key`, if not NULL, replaces
 * the first. */
static void feed_text(struct story *s, struct gn_rec h, const char *key,
		      uint32_t id, uint32_t ref)
{
	union {
		struct gn_rec_text t;
		uint8_t bytes[sizeof(struct gn_rec_text) + 2 * TEXT + 8];
	} u;
	char *at = u.t.text;

	memset(&u, 0, sizeof(u));
	u.t.h = h;
	u.t.id = id;
	u.t.ref = ref;
	for (int i = 0; i < 2; i++) {
		char *text = key && !i ? strdup(key)
				       : gn_fuzz_take_text(&s->in, 0, NULL);
		size_t n;

		must(text, "there is memory");
		n = strnlen(text, TEXT);
		memcpy(at, text, n);
		at += n;
		u.t.len[i] = (uint16_t)n;
		free(text);
	}
	u.t.size = (uint32_t)(((uint8_t *)at - u.bytes + 7) & ~(size_t)7);
	feed(s, &u, u.t.size);
}

static void feed_thread(struct story *s, enum gn_kind kind)
{
	struct gn_rec_thread r = {
		.f.h = head(s, kind), .pid = 100, .parent = 1};
	char *comm = gn_fuzz_take_text(&s->in, 0, NULL);

	memcpy(r.comm, comm, strnlen(comm, sizeof(r.comm)));
	feed(s, &r, sizeof(r));
	free(comm);
}

static void feed_func(struct story *s, enum gn_kind kind, uint32_t func)
{
	struct gn_rec_func r = {.h = head(s, kind), .func = func};

	r.h.key = 0x7ffc00001000 - (func == MANAGED ? 64 : 0);
	feed(s, &r, sizeof(r));
}

static void feed_wait(struct story *s)
{
	struct gn_rec_slice r = {
		.h = {.time = s->now + 500,
		      .tid = 100,
		      .seq = 1,
		      .kind = GN_KIND_SLICE},
		.start = s->now + 100,
		.waker = 100,
		.reason = 202,
		.class = GN_CLASS_LOCK,
	};

	feed(s, &r, sizeof(r));
}

static void tell(struct story *s)
{
	static const char *const keys[] = {"command", "version", "hint",
					   "functions.verdict", "options"};
	struct gn_rec user = {.tid = 0};

	s->now = 1000000;
	s->seq = 0;
	feed_thread(s, GN_KIND_THREAD);
	user.kind = GN_KIND_FUNCTION;
	feed_text(s, user, NULL, NATIVE, 1);
	user.kind = GN_KIND_MODULE;
	feed_text(s, user, NULL, 1, 0);
	feed_text(s, head(s, GN_KIND_NAME), NULL, MANAGED, 100);
	feed_func(s, GN_KIND_ENTER, NATIVE);
	feed_func(s, GN_KIND_ENTER, MANAGED);
	feed_wait(s);
	feed_func(s, GN_KIND_LEAVE, MANAGED);
	feed_thread(s, GN_KIND_RENAME);
	user.kind = GN_KIND_INFO;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		feed_text(s, user, keys[i], 0, 0);
	feed_text(s, user, NULL, 0, 0);
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size};
	unsigned int how = (unsigned int)gn_fuzz_take(&in, 2);

	for (int live = 0; live < 2; live++) {
		struct gn_pipeline_opts opts = {.live = live};
		struct story s = {.in = in, .p = gn_pipeline_new(&opts)};
		struct gn_model *m = NULL;

		must(s.p, "there is memory");
		tell(&s);
		must(!(live ? gn_pipeline_period(s.p, &m)
			    : gn_pipeline_finish(s.p, &m)) &&
			     m,
		     "the model can be made");
		if (live)
			gn_show_period(m, how);
		else
			gn_show(m, how);
		gn_model_free(m);
		gn_pipeline_free(s.p);
	}
}
