/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mutate_trace SEED COUNT: feeds COUNT inputs, which are realistic traces with
 * some damage. They are the same for the same SEED on every machine.
 *
 * mutate_trace SEED COUNT FOLDER: writes them there, undamaged, as the corpus
 * of a fuzzer.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/event.h>

#include "feed.h"
#include "trace/format.h"

#define INPUT_MAX 16384 /* of one input, in bytes */
#define DEPTH_MAX 12
#define THREADS	  3

struct input {
	uint8_t bytes[INPUT_MAX];
	size_t size;
};

struct thread {
	uint32_t seq;
	uint32_t slices;
	uint32_t depth;
	uint32_t funcs[DEPTH_MAX];
};

struct story {
	uint64_t random;
	uint64_t now;
	struct thread threads[THREADS];
	struct input *in;
};

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint64_t below(struct story *s, uint64_t n)
{
	return next_random(&s->random) % n;
}

static bool add(struct story *s, const void *rec, size_t size)
{
	if (size > INPUT_MAX - s->in->size)
		return false;
	memcpy(s->in->bytes + s->in->size, rec, size);
	s->in->size += size;
	return true;
}

static struct gn_rec head(struct story *s, uint32_t t, enum gn_kind kind)
{
	struct gn_rec h = {0};

	s->now += 1 + below(s, 1000);
	h.time = s->now;
	h.tid = 100 + t;
	h.kind = kind;
	h.key = 0x7ffc00001000 - s->threads[t].depth * 64;
	return h;
}

static bool add_func(struct story *s, uint32_t t, enum gn_kind kind,
		     uint32_t func)
{
	struct gn_rec_func f = {.h = head(s, t, kind), .func = func};

	f.h.seq = ++s->threads[t].seq;
	f.os_ns = below(s, 4) ? 0 : (uint32_t)below(s, 500);
	f.h.flags = f.os_ns ? GN_F_OS_EVENT : 0;
	return add(s, &f, sizeof(f));
}

static bool add_thread(struct story *s, uint32_t t, enum gn_kind kind)
{
	struct gn_rec_thread r = {
		.f.h = head(s, t, kind),
		.pid = 100,
		.parent = 100,
		.comm = "program",
	};

	r.f.h.seq = ++s->threads[t].seq;
	return add(s, &r, sizeof(r));
}

static bool add_slice(struct story *s, uint32_t t)
{
	struct gn_rec_slice r = {.h = head(s, t, GN_KIND_SLICE)};

	r.h.seq = ++s->threads[t].slices;
	r.start = r.h.time - 1;
	r.reason = (uint16_t)below(s, 300);
	r.class = (uint8_t)below(s, GN_CLASS_COUNT);
	return add(s, &r, sizeof(r));
}

static bool add_text(struct story *s, uint32_t t, enum gn_kind kind,
		     uint32_t id)
{
	union {
		struct gn_rec_text t;
		uint8_t bytes[sizeof(struct gn_rec_text) + 32];
	} u;
	struct gn_rec_text *r = &u.t;

	memset(&u, 0, sizeof(u));
	r->h = head(s, t, kind);
	if (kind == GN_KIND_NAME)
		r->h.seq = ++s->threads[t].seq;
	r->size = sizeof(u);
	r->id = id;
	r->ref = kind == GN_KIND_NAME ? 100 : 1;
	r->len[0] = (uint16_t)below(s, 17);
	r->len[1] = (uint16_t)below(s, 17);
	memset(u.bytes + sizeof(*r), 'a' + (int)(id % 26),
	       (size_t)r->len[0] + r->len[1]);
	return add(s, &u, sizeof(u));
}

static bool add_user(struct story *s)
{
	struct gn_rec_count c = {.h = head(s, 0, GN_KIND_COUNT)};
	struct gn_rec_session e = {.h = head(s, 0, GN_KIND_SESSION)};

	c.id = (uint32_t)below(s, GN_COUNTER_COUNT);
	c.count = below(s, 3);
	if (below(s, 2))
		return add(s, &c, sizeof(c));
	e.end = below(s, 2) ? 0 : s->now;
	return add(s, &e, sizeof(e));
}

/* Mostly enters and leaves, so that stacks grow and shrink. */
static bool add_step(struct story *s)
{
	uint32_t t = (uint32_t)below(s, THREADS);
	struct thread *th = &s->threads[t];
	uint32_t func = GN_FUNC((uint32_t)below(s, 2), 1 + below(s, 20));
	uint64_t what = below(s, 40);

	if (what < 16 && th->depth < DEPTH_MAX) {
		th->funcs[th->depth++] = func;
		return add_func(s, t, GN_KIND_ENTER, func);
	}
	if (what < 30 && th->depth) {
		bool ok = add_func(s, t,
				   what < 28 ? GN_KIND_LEAVE : GN_KIND_TAILCALL,
				   th->funcs[th->depth - 1]);

		th->depth--;
		return ok;
	}
	if (what < 33)
		return add_slice(s, t);
	if (what == 33)
		return add_text(s, t, GN_KIND_NAME, func);
	if (what == 34)
		return add_text(s, t, GN_KIND_FUNCTION, func);
	if (what == 35)
		return add_text(s, t, GN_KIND_MODULE, 1);
	if (what == 36)
		return add_user(s);
	if (what == 37)
		return add_thread(s, t, GN_KIND_RENAME);
	/* any kind with a plain record */
	return add_func(s, t,
			(enum gn_kind)(GN_KIND_UNWIND_BEGIN + below(s, 14)),
			th->depth ? th->funcs[th->depth - 1] : 0);
}

static void tell(struct story *s, struct input *in)
{
	uint64_t steps = 1 + below(s, 200);
	uint32_t t;

	memset(s->threads, 0, sizeof(s->threads));
	s->now = 1000000;
	s->in = in;
	in->bytes[0] = (uint8_t)below(s, GN_FEED_COUNT);
	in->size = 1;
	add_text(s, 0, GN_KIND_INFO, 0);
	for (t = 0; t < THREADS; t++)
		add_thread(s, t, GN_KIND_THREAD);
	while (steps-- && add_step(s))
		;
	for (t = 0; t < THREADS; t++)
		if (below(s, 3))
			add_func(s, t, GN_KIND_EXIT, 0);
}

/* Turns the records into a file or into columns, if the input's kind needs
 * it. */
static void pack(struct story *s, struct input *in)
{
	uint8_t *file;
	size_t n;

	if (in->bytes[0] == GN_FEED_COLUMNS)
		file = gn_feed_columns(in->bytes + 1, in->size - 1, &n);
	else if (in->bytes[0] == GN_FEED_FILE || in->bytes[0] == GN_FEED_MENDED)
		file = gn_feed_pack(gn_feed_version((unsigned int)below(s, 4)),
				    in->bytes + 1, in->size - 1, &n);
	else
		return;
	if (n <= INPUT_MAX - 1) {
		memcpy(in->bytes + 1, file, n);
		in->size = n + 1;
	}
	free(file);
}

/* Does one piece of damage. The first byte, the input's kind, stays. */
static void damage(struct story *s, struct input *in)
{
	static const uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xfe, 0xff};
	size_t at = 1 + below(s, in->size - 1), left = in->size - at;
	size_t from = 1 + below(s, in->size - 1), n;

	switch (below(s, 7)) {
	case 0:
		in->bytes[at] ^= (uint8_t)(1 << below(s, 8));
		break;
	case 1:
		in->bytes[at] = (uint8_t)below(s, 256);
		break;
	case 2:
		in->bytes[at] = edges[below(s, sizeof(edges))];
		break;
	case 3: /* overwrite a field of a common size */
		n = below(s, 2) ? 4 : 8;
		memset(in->bytes + at, edges[below(s, sizeof(edges))],
		       n < left ? n : left);
		break;
	case 4: /* copy a piece from elsewhere, often a record */
		n = below(s, 2) ? 32 : below(s, 100);
		n = n < left ? n : left;
		n = n < in->size - from ? n : in->size - from;
		memmove(in->bytes + at, in->bytes + from, n);
		break;
	case 5: /* remove a piece */
		n = below(s, 2) ? 32 : below(s, 100);
		n = n < left ? n : left;
		memmove(in->bytes + at, in->bytes + at + n, left - n);
		in->size -= n;
		break;
	default: /* rarely, cut off the end */
		if (below(s, 8) == 0)
			in->size = at;
	}
	if (in->size < 2)
		in->size = 2;
}

static int save(const struct input *in, const char *folder, unsigned long i)
{
	char path[4096];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%06lu", folder, i);
	f = fopen(path, "wb");
	if (!f) {
		perror(path);
		return -1;
	}
	n = fwrite(in->bytes, 1, in->size, f);
	if (fclose(f) || n != in->size) {
		perror(path);
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct story s = {0};
	struct input in;
	unsigned long count, i;
	uint64_t pieces;

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: mutate_trace SEED COUNT [FOLDER]\n");
		return 2;
	}
	count = strtoul(argv[2], NULL, 10);
	for (i = 0; i < count; i++) {
		s.random = strtoull(argv[1], NULL, 10) * 1000003 + i;
		memset(&in, 0, sizeof(in));
		tell(&s, &in);
		pack(&s, &in);
		if (argc == 4) {
			if (save(&in, argv[3], i))
				return 1;
			continue;
		}
		/* sometimes none: an undamaged input must pass too */
		for (pieces = below(&s, 6); pieces; pieces--)
			damage(&s, &in);
		gn_feed(in.bytes, in.size);
	}
	return 0;
}
