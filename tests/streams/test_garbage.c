// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_garbage [SEED [COUNT]]: meaningless records, and damaged good ones.
 * Whatever comes, nothing crashes and the account adds up.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "model/threads.h"
#include "simulate.h"

union record {
	struct gn_rec h;
	struct gn_rec_slice slice;
	struct gn_rec_thread thread;
	struct gn_rec_stack stack;
	struct gn_rec_text text;
	struct gn_rec_now now;
	struct gn_rec_mute mute;
	uint64_t words[16];
	unsigned char bytes[128];
};

static uint64_t few(uint64_t *r, uint64_t n)
{
	return sim_random(r) % n;
}

/* Random bytes, but with values that are likely to match each other. */
static void scramble(uint64_t *r, union record *rec, uint64_t *now)
{
	size_t i;

	for (i = 0; i < 16; i++)
		rec->words[i] = sim_random(r) >> few(r, 64);
	if (few(r, 8))
		rec->h.kind = few(r, 50);
	if (few(r, 8)) {
		*now += few(r, 20);
		rec->h.time = *now;
	}
	if (few(r, 16))
		rec->h.tid = (uint32_t)few(r, 4);
	if (few(r, 8))
		rec->h.seq = (uint32_t)few(r, 40);
	if (few(r, 4))
		rec->h.key = few(r, 4) ? few(r, 64) * 8 : sim_random(r);
	if (few(r, 4))
		rec->words[3] = few(r, 8) | few(r, 3) << 28 | few(r, 30) << 32;
	if (rec->h.kind == GN_KIND_SLICE && few(r, 4)) {
		rec->slice.start = rec->h.time - few(r, 5);
		rec->slice.class = (uint8_t)few(r, 16);
	}
	if (rec->h.kind == GN_KIND_NOW && few(r, 8)) {
		rec->now.since = rec->h.time - few(r, 30);
		rec->now.woken = rec->h.time - few(r, 30);
		rec->now.state = (uint8_t)few(r, 6);
		rec->now.class = (uint8_t)few(r, 16);
	}
	if (rec->h.kind == GN_KIND_MUTE && few(r, 8)) {
		rec->mute.func = (uint32_t)(few(r, 8) | few(r, 3) << 28);
		rec->mute.pid = (uint32_t)few(r, 4);
	}
	if (rec->h.kind == GN_KIND_SLICE && few(r, 2))
		rec->slice.waker = (uint32_t)few(r, 4);
	if (rec->h.kind == GN_KIND_WAKE && few(r, 4))
		rec->h.key = few(r, 4);
	if (rec->h.kind == GN_KIND_STACK && few(r, 4)) {
		rec->stack.lo = few(r, 32) * 4096;
		rec->stack.hi = rec->stack.lo + few(r, 4) * 4096;
	}
	if (few(r, 2)) {
		rec->text.size = 40 + (uint32_t)few(r, 12) * 8;
		rec->text.len[0] = (uint16_t)few(r, 8);
		rec->text.len[1] = (uint16_t)few(r, 8);
	}
	if (rec->h.kind == GN_KIND_EXEC || rec->h.kind == GN_KIND_THREAD) {
		rec->thread.pid = (uint32_t)few(r, 4);
		rec->thread.parent = (uint32_t)few(r, 4);
	}
}

static void make_garbage(uint64_t *r, struct stream *s, int records)
{
	union record rec;
	uint64_t now = few(r, 1000);
	int i;

	for (i = 0; i < records; i++) {
		scramble(r, &rec, &now);
		stream_raw(s, &rec,
			   few(r, 8) ? 24 + few(r, 14) * 8
				     : few(r, sizeof(rec) + 1));
	}
}

/* Flips bytes in a stream's records; their lengths stay valid. */
static void damage(uint64_t *r, struct stream *s, int bytes)
{
	size_t i, at, words;

	for (; bytes > 0; bytes--) {
		at = few(r, s->n);
		for (i = 0; i < s->n; i += words) {
			words = 1 + (s->words[i] + 7) / 8;
			if (at > i && at < i + words)
				s->words[at] ^= few(r, 256) << few(r, 57);
		}
	}
}

/* The account of every model adds up, whatever the input was. */
static bool take_model(struct gn_model *m, FILE *sink)
{
	bool ok = !m->checks.account_error_ns;

	dump_model(m, sink);
	if (!ok)
		dump_model(m, stdout);
	gn_model_free(m);
	return ok;
}

/* Limits that the stream reaches. */
static void narrow(struct gn_pipeline *p)
{
	p->stage.most_frames = 60;
	p->stage.tree.most = 30;
	p->stage.names.most_fns = 12;
	p->stage.names.most_texts = 2000;
}

static bool is_narrow(const struct gn_pipeline *p)
{
	return p->stage.tree.n <=
		       p->stage.tree.most + 1 + p->stage.names.nprograms &&
	       p->stage.frames <= 2 * p->stage.most_frames;
}

/* Whatever is swept at any time, nothing refers to it afterwards. */
static void sweep(uint64_t *r, struct gn_pipeline *p)
{
	if (!few(r, 4))
		p->sweep.texts_at = 0;
	if (!few(r, 2))
		p->sweep.fns_at = 0;
}

static bool lives(void *ctx, uint32_t pid, uint32_t tid)
{
	(void)pid;
	(void)tid;
	return few(ctx, 2);
}

static bool survives(const struct stream *s,
		     const struct gn_pipeline_opts *opts, uint64_t *r)
{
	struct gn_pipeline *p = gn_pipeline_new(opts);
	struct gn_model *m = NULL;
	FILE *sink = fopen("/dev/null", "w");
	bool ok = true, bounds = opts->live && few(r, 2);
	size_t i = 0;
	int err;

	if (!p || !sink)
		abort();
	if (bounds)
		narrow(p);
	else if (!opts->live && few(r, 2))
		p->stage.tree.most = 30;
	while (i < s->n) {
		err = stream_feed_next(s, &i, p);
		if (err && err != -74 /* EBADMSG */)
			abort();
		sweep(r, p);
		if (bounds && !is_narrow(p))
			return false;
		if (!opts->live || few(r, 20))
			continue;
		if (gn_pipeline_silent(p, lives, r) ||
		    gn_pipeline_period(p, &m))
			abort();
		ok &= take_model(m, sink);
	}
	if (gn_pipeline_finish(p, &m))
		abort();
	ok &= take_model(m, sink);
	fclose(sink);
	gn_pipeline_free(p);
	return ok;
}

static bool run(uint64_t seed)
{
	struct sim_opts opts = {.seed = seed,
				.steps = 100,
				.loss_permille = (int)(seed % 3) * 50,
				.now_permille = (int)(seed % 5) * 50};
	static const struct gn_pipeline_opts all[] = {
		{.classify = GN_CLASSIFY_EXACT},
		{.classify = GN_CLASSIFY_INTERVAL},
		{.raw = true},
		{.classify = GN_CLASSIFY_EXACT, .live = true},
		{.classify = GN_CLASSIFY_INTERVAL, .live = true},
	};
	struct oracle *o = calloc(1, sizeof(*o));
	struct stream s = {0};
	uint64_t r = seed;
	bool ok = true;
	size_t i;

	if (!o)
		abort();
	if (seed % 2) {
		make_garbage(&r, &s, 400);
	} else {
		simulate(&opts, &s, o);
		damage(&r, &s, 1 + (int)few(&r, 40));
	}
	for (i = 0; ok && i < sizeof(all) / sizeof(*all); i++)
		ok = survives(&s, &all[i], &r);
	stream_free(&s);
	free(o);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : 2000;
	uint64_t i;

	for (i = seed; i < seed + count; i++) {
		if (run(i))
			continue;
		printf("seed %" PRIu64 "\n", i);
		return 1;
	}
	return 0;
}
