/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "feed.h"
#include "trace/format.h"
#include "trace/trace.h"
#ifdef GN_FEED_MODEL
#include "model/pipeline.h"
#endif

static void must(bool truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "feed: not so: %s\n", what);
	abort();
}

static uint32_t get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

/* The model twice, once for each classification. */
struct models {
#ifdef GN_FEED_MODEL
	struct gn_pipeline *p[2];
#else
	char nothing;
#endif
};

static void models_begin(struct models *m)
{
#ifdef GN_FEED_MODEL
	for (int i = 0; i < 2; i++) {
		struct gn_pipeline_opts opts = {
			.classify =
				i ? GN_CLASSIFY_INTERVAL : GN_CLASSIFY_EXACT,
		};

		m->p[i] = gn_pipeline_new(&opts);
		must(m->p[i], "there is memory");
	}
#else
	m->nothing = 0;
#endif
}

static void models_feed(struct models *m, const struct gn_rec *rec, size_t size)
{
#ifdef GN_FEED_MODEL
	for (int i = 0; i < 2; i++) {
		int err = gn_pipeline_feed(m->p[i], rec, size);

		must(!err || err == -EBADMSG, "the model takes the record");
	}
#else
	(void)m;
	(void)rec;
	(void)size;
#endif
}

static void models_end(struct models *m)
{
#ifdef GN_FEED_MODEL
	for (int i = 0; i < 2; i++) {
		struct gn_model *model = NULL;

		must(!gn_pipeline_finish(m->p[i], &model) && model,
		     "the model can be finished");
		must(!model->checks.account_error_ns, "the account closes");
		gn_model_free(model);
		gn_pipeline_free(m->p[i]);
	}
#else
	(void)m;
#endif
}

static void read_all(struct gn_trace_reader *r)
{
	const struct gn_rec *rec;
	struct models models;
	uint64_t lost;
	size_t size;
	int got;

	models_begin(&models);
	while ((got = gn_trace_reader_next(r, &rec, &size)) == 1) {
		must((uintptr_t)rec % 8 == 0, "records are aligned");
		must(gn_rec_size_of(rec, size) == size && size,
		     "records are well formed");
		models_feed(&models, rec, size);
	}
	must(got == 0, "damage is an end, not an error");
	must(gn_trace_reader_next(r, &rec, &size) == 0, "the end stays");
	must(gn_trace_reader_truncated(r, &lost) ==
		     (gn_trace_reader_tail(r) != GN_TRACE_OK),
	     "a file without a sound end is truncated");
	models_end(&models);
}

static void read_file(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("trace", MFD_CLOEXEC), err;
	struct gn_trace_reader *r;

	must(fd >= 0, "there is a file");
	must(write(fd, bytes, size) == (ssize_t)size, "it can be written");
	must(lseek(fd, 0, SEEK_SET) == 0, "it can be read");
	err = gn_trace_reader_open_fd(fd, &r);
	if (err) {
		must(err <= -GN_TRACE_NOT_A_TRACE, "the error is the file's");
		return;
	}
	read_all(r);
	gn_trace_reader_close(r);
}

/* True checksums, wherever there is something to sum. */
static void mend(uint8_t *f, size_t size)
{
	size_t at, packed;
	uint32_t crc;

	if (size < GN_TRACE_HEADER)
		return;
	memcpy(f, GN_TRACE_MAGIC, GN_TRACE_MAGIC_SIZE);
	put32(f + 8, GN_TRACE_FORMAT);
	put32(f + 12, gn_trace_crc(0, f, 12));
	at = GN_TRACE_HEADER + (size_t)f[20] * GN_TRACE_ROW;
	put32(f + 16, (uint32_t)at);
	if (at > size)
		return;
	crc = gn_trace_crc(0, f + 16, 12);
	put32(f + 28, gn_trace_crc(crc, f + 32, at - 32));
	while (size - at >= GN_TRACE_CHUNK_HEAD) {
		packed = get32(f + at + 8);
		if (packed <= size - at - GN_TRACE_CHUNK_HEAD &&
		    !memcmp(f + at, "GCHK", 4))
			put32(f + at + 40,
			      gn_trace_crc(0, f + at + GN_TRACE_CHUNK_HEAD,
					   packed));
		else
			packed = 0;
		put32(f + at + 44, gn_trace_crc(0, f + at, 44));
		at += GN_TRACE_CHUNK_HEAD + packed;
	}
}

/* What a chunk's header must say of the records, as far as they are sound. */
static void measure(const uint8_t *records, size_t n, struct gn_trace_chunk *h)
{
	uint64_t aligned[GN_TEXT_MAX / 8];
	size_t at, size, avail;
	const struct gn_rec *rec = (const struct gn_rec *)aligned;

	memset(h, 0, sizeof(*h));
	h->raw = (uint32_t)n;
	for (at = 0; at < n; at += size) {
		avail = n - at < sizeof(aligned) ? n - at : sizeof(aligned);
		memcpy(aligned, records + at, avail);
		size = gn_rec_size_of(rec, avail);
		if (!size)
			break;
		h->records++;
		gn_trace_times(&h->first, &h->last, rec->time);
	}
}

uint8_t *gn_feed_pack(const uint8_t *records, size_t n, size_t *size)
{
	uLongf packed = compressBound(n);
	uint8_t *f = malloc(GN_TRACE_HEADER_MAX + packed +
			    2 * (size_t)GN_TRACE_CHUNK_HEAD);
	struct gn_trace_chunk h;
	size_t at;

	must(f, "there is memory");
	at = gn_trace_header_encode(f);
	measure(records, n, &h);
	must(compress2(f + at + GN_TRACE_CHUNK_HEAD, &packed, records, n, 1) ==
		     Z_OK,
	     "records can be packed");
	h.packed = (uint32_t)packed;
	h.crc = gn_trace_crc(0, f + at + GN_TRACE_CHUNK_HEAD, packed);
	gn_trace_chunk_encode(&h, f + at);
	at += GN_TRACE_CHUNK_HEAD + packed;
	gn_trace_end_encode(
		&(struct gn_trace_end){
			.records = h.records,
			.first = h.first,
			.last = h.last,
			.chunks = 1,
		},
		f + at);
	*size = at + GN_TRACE_CHUNK_HEAD;
	return f;
}

/* The kinds of event.h, in its order. */
static const uint8_t kinds[] = {
#define ONE_KIND(name, value, text, stream, type) (value),
	GN_KIND_LIST(ONE_KIND)
#undef ONE_KIND
};

/* Makes each record that begins in the bytes well formed, changing as little
 * as that takes. Returns how many bytes they are. */
static size_t shape(uint8_t *bytes, size_t n)
{
	uint64_t aligned[GN_TEXT_MAX / 8];
	struct gn_rec_text *t = (struct gn_rec_text *)aligned;
	size_t at, size;

	for (at = 0; n - at >= sizeof(struct gn_rec_text); at += size) {
		memcpy(t, bytes + at, sizeof(*t));
		if (!gn_kind_info(t->h.kind)->name)
			t->h.kind = kinds[t->h.kind % sizeof(kinds)];
		size = gn_kind_info(t->h.kind)->size;
		if (!size) {
			t->len[0] %= 300;
			t->len[1] %= 300;
			size = sizeof(*t) + t->len[0] + t->len[1] + 7;
			size -= size % 8;
			t->size = (uint32_t)size;
		}
		if (size > n - at)
			break;
		memcpy(bytes + at, t, sizeof(*t));
	}
	return at;
}

void gn_feed(const uint8_t *bytes, size_t size)
{
	enum gn_feed what;
	uint8_t *copy, *file;
	size_t n;

	if (!size || size > GN_FEED_MAX)
		return;
	what = bytes[0] % GN_FEED_COUNT;
	size--;
	copy = malloc(size + 1);
	must(copy, "there is memory");
	memcpy(copy, bytes + 1, size);
	if (what == GN_FEED_FILE || what == GN_FEED_MENDED) {
		if (what == GN_FEED_MENDED)
			mend(copy, size);
		read_file(copy, size);
	} else {
		if (what == GN_FEED_RECORDS)
			size = shape(copy, size);
		file = gn_feed_pack(copy, size, &n);
		read_file(file, n);
		free(file);
	}
	free(copy);
}
