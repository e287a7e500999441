/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "feed.h"
#include "fuzz.h"
#include "model/pipeline.h"
#include "show.h"
#include "trace/codec.h"
#include "trace/format.h"
#include "trace/trace.h"

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

/* Two models, one for each classification, and how to show them. */
struct models {
	struct gn_pipeline *p[2];
	unsigned int how;
};

static void models_begin(struct models *m)
{
	for (int i = 0; i < 2; i++) {
		struct gn_pipeline_opts opts = {
			.classify =
				i ? GN_CLASSIFY_INTERVAL : GN_CLASSIFY_EXACT,
		};

		m->p[i] = gn_pipeline_new(&opts);
		must(m->p[i], "there is memory");
	}
}

/* `calls`: the number of calls in `rec`. 0: it is not such a record. */
static void models_feed(struct models *m, const struct gn_rec *rec, size_t size,
			size_t calls)
{
	for (int i = 0; i < 2; i++) {
		int err = calls ? gn_pipeline_feed_calls(
					  m->p[i], (const void *)rec, calls)
				: gn_pipeline_feed(m->p[i], rec, size);

		must(!err || err == -EBADMSG, "the model takes the record");
	}
}

static void models_end(struct models *m)
{
	for (int i = 0; i < 2; i++) {
		struct gn_model *model = NULL;

		must(!gn_pipeline_finish(m->p[i], &model) && model,
		     "the model can be finished");
		must(!model->checks.account_error_ns, "the account closes");
		if (i == 0)
			gn_show(model, m->how);
		gn_model_free(model);
		gn_pipeline_free(m->p[i]);
	}
}

static void read_all(struct gn_trace_reader *r, unsigned int how)
{
	const struct gn_rec *rec;
	struct models models = {.how = how};
	uint64_t lost;
	size_t size;
	int got;

	models_begin(&models);
	while ((got = gn_trace_reader_next(r, &rec, &size)) == 1) {
		must((uintptr_t)rec % 8 == 0, "records are aligned");
		must(gn_rec_size_of(rec, size) == size && size,
		     "records are well formed");
		models_feed(&models, rec, size, gn_trace_reader_calls(r, rec));
	}
	must(got == 0, "damage is an end, not an error");
	must(gn_trace_reader_next(r, &rec, &size) == 0, "the end stays");
	must(gn_trace_reader_truncated(r, &lost) ==
		     (gn_trace_reader_tail(r) != GN_TRACE_OK),
	     "a file without a sound end is truncated");
	models_end(&models);
}

static void read_file(const uint8_t *bytes, size_t size, unsigned int how)
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
	read_all(r, how);
	gn_trace_reader_close(r);
}

uint32_t gn_feed_version(unsigned int any)
{
	any %= GN_TRACE_FORMAT_ZSTD + 1;
	return !any || (any == GN_TRACE_FORMAT_ZSTD && !gn_codec_zstd)
		       ? GN_TRACE_FORMAT
		       : any;
}

/* Corrects the header and every checksum of the file, as far as it can be
 * walked. */
static void mend(uint8_t *f, size_t size)
{
	size_t at, packed;
	uint32_t crc;

	if (size < GN_TRACE_HEADER)
		return;
	memcpy(f, GN_TRACE_MAGIC, GN_TRACE_MAGIC_SIZE);
	put32(f + 8, gn_feed_version(f[8]));
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

/* Fills in what a chunk's header must say of the records, as far as they are
 * valid. Returns the size of the valid part. */
static size_t measure(const uint8_t *records, size_t n,
		      struct gn_trace_chunk *h)
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
	return at;
}

/* Makes a file of one chunk. `h` describes the unpacked records. */
static uint8_t *whole(uint32_t version, struct gn_trace_chunk *h,
		      const uint8_t *bytes, size_t n, size_t *size)
{
	const struct gn_codec *codec = version == GN_TRACE_FORMAT_ZSTD
					       ? gn_codec_zstd
					       : &gn_codec_zlib;
	void *state = codec->compressor(1);
	size_t packed = state ? codec->bound(state, n) : 0;
	uint8_t *f = malloc(GN_TRACE_HEADER_MAX + packed +
			    2 * (size_t)GN_TRACE_CHUNK_HEAD);
	struct gn_trace_end end = {
		.records = h->records,
		.first = h->first,
		.last = h->last,
		.chunks = 1,
	};
	size_t at;

	must(f && state, "there is memory");
	at = gn_trace_header_encode(GN_TRACE_FORMAT, f);
	put32(f + 8, version);
	put32(f + 12, gn_trace_crc(0, f, 12));
	must(!codec->begin(state, f + at + GN_TRACE_CHUNK_HEAD, packed) &&
		     !codec->put(state, bytes, n) &&
		     !codec->end(state, &packed),
	     "records can be packed");
	codec->compressor_free(state);
	h->packed = (uint32_t)packed;
	h->crc = gn_trace_crc(0, f + at + GN_TRACE_CHUNK_HEAD, packed);
	gn_trace_chunk_encode(h, f + at);
	at += GN_TRACE_CHUNK_HEAD + packed;
	gn_trace_end_encode(&end, f + at);
	*size = at + GN_TRACE_CHUNK_HEAD;
	return f;
}

/* A chunk's column sizes and columns as in a file, in one piece. */
struct columns {
	uint8_t *bytes;
	uint32_t size[GN_PACK_COLUMNS];
};

static bool unpack(const struct columns *c, void *out, size_t room,
		   size_t *size)
{
	const uint8_t *at = c->bytes + GN_TRACE_COLUMNS;
	struct gn_unpacker u = {.state = gn_pack_state_new()};
	bool ok;

	must(u.state, "there is memory");
	for (int i = 0; i < GN_PACK_COLUMNS; i++) {
		u.at[i] = at;
		at += c->size[i];
		u.end[i] = at;
	}
	ok = gn_unpack(&u, out, room, size);
	gn_pack_state_free(u.state);
	return ok;
}

static size_t columns_size(const struct columns *c)
{
	size_t n = GN_TRACE_COLUMNS;

	for (int i = 0; i < GN_PACK_COLUMNS; i++)
		n += c->size[i];
	return n;
}

/* Checks that valid records unpack to what was packed. */
static void must_come_back(const struct columns *c, const void *records,
			   size_t n)
{
	uint8_t *again = malloc(n);
	size_t size;

	must(again, "there is memory");
	must(unpack(c, again, n, &size) && size == n &&
		     !memcmp(again, records, n),
	     "what is packed comes back");
	free(again);
}

/* Packs valid records into consecutive columns. */
static struct columns pack(const uint8_t *records, size_t n)
{
	struct columns c = {malloc(GN_TRACE_COLUMNS + gn_pack_bound(n)), {0}};
	struct gn_packer p = {.state = gn_pack_state_new()};
	uint8_t *room = malloc(GN_PACK_COLUMNS * gn_pack_bound(n) + 1);
	uint8_t *at = c.bytes + GN_TRACE_COLUMNS;
	uint64_t aligned[GN_TEXT_MAX / 8];
	size_t size;

	must(c.bytes && p.state && room, "there is memory");
	for (int i = 0; i < GN_PACK_COLUMNS; i++)
		p.at[i] = room + (size_t)i * gn_pack_bound(n);
	for (size_t from = 0; from < n; from += size) {
		size = n - from < sizeof(aligned) ? n - from : sizeof(aligned);
		memcpy(aligned, records + from, size);
		size = gn_rec_size_of((const void *)aligned, size);
		gn_pack(&p, (const void *)aligned, size);
	}
	for (int i = 0; i < GN_PACK_COLUMNS; i++) {
		const uint8_t *begin = room + (size_t)i * gn_pack_bound(n);

		c.size[i] = (uint32_t)(p.at[i] - begin);
		memcpy(at, begin, c.size[i]);
		at += c.size[i];
	}
	must(columns_size(&c) <= GN_TRACE_COLUMNS + gn_pack_bound(n),
	     "no record takes more than twice its size");
	memcpy(c.bytes, c.size, sizeof(c.size));
	gn_pack_state_free(p.state);
	free(room);
	must_come_back(&c, records, n);
	return c;
}

uint8_t *gn_feed_pack(uint32_t version, const uint8_t *records, size_t n,
		      size_t *size)
{
	struct gn_trace_chunk h;
	size_t sound = measure(records, n, &h);
	struct columns c;
	uint8_t *f;

	if (version == GN_TRACE_FORMAT_PLAIN || !sound)
		return whole(GN_TRACE_FORMAT_PLAIN, &h, records, n, size);
	h.raw = (uint32_t)sound;
	c = pack(records, sound);
	f = whole(version, &h, c.bytes, columns_size(&c), size);
	free(c.bytes);
	return f;
}

uint8_t *gn_feed_columns(const uint8_t *records, size_t n, size_t *size)
{
	struct gn_trace_chunk h;
	struct columns c = pack(records, measure(records, n, &h));
	uint8_t *out = malloc(6 + columns_size(&c));

	must(out, "there is memory");
	for (int i = 0; i < GN_PACK_REST; i++) {
		out[2 * i] = (uint8_t)c.size[i];
		out[2 * i + 1] = (uint8_t)(c.size[i] >> 8);
	}
	*size = 6 + columns_size(&c) - GN_TRACE_COLUMNS;
	memcpy(out + 6, c.bytes + GN_TRACE_COLUMNS, *size - 6);
	free(c.bytes);
	return out;
}

/* Makes a file from arbitrary columns. Their sizes come first, in two bytes
 * each; the last column takes the rest. If the columns unpack, the chunk's
 * header describes the result correctly. */
static uint8_t *forge(const uint8_t *bytes, size_t n, size_t *size)
{
	const size_t room = (size_t)4 << 20;
	struct columns c = {malloc(GN_TRACE_COLUMNS + n), {0}};
	uint8_t *records = malloc(room), *f;
	size_t left = n < 6 ? 0 : n - 6, got;
	struct gn_trace_chunk h;

	must(c.bytes && records, "there is memory");
	for (int i = 0; i < GN_PACK_REST && n >= 6; i++) {
		c.size[i] = bytes[2 * i] | (uint32_t)bytes[2 * i + 1] << 8;
		c.size[i] = c.size[i] < left ? c.size[i] : (uint32_t)left;
		left -= c.size[i];
	}
	c.size[GN_PACK_REST] = (uint32_t)left;
	memcpy(c.bytes, c.size, sizeof(c.size));
	if (n >= 6)
		memcpy(c.bytes + GN_TRACE_COLUMNS, bytes + 6, n - 6);
	got = unpack(&c, records, room, &got) ? got : 0;
	measure(records, got, &h);
	f = whole(GN_TRACE_FORMAT, &h, c.bytes, columns_size(&c), size);
	free(records);
	free(c.bytes);
	return f;
}

/* The kinds of kind.h, in its order. */
static const uint8_t kinds[] = {
#define ONE_KIND(name, value, text, stream, type) (value),
	GN_KIND_LIST(ONE_KIND)
#undef ONE_KIND
};

/* Makes each record in the bytes well formed with as few changes as possible.
 * Returns the size of all of them. */
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
		if (t->h.kind == GN_KIND_SAMPLE) {
			struct gn_rec_sample *sample = (void *)t;

			sample->frames %= GN_SAMPLE_FRAMES + 1;
			sample->size = gn_sample_size(sample->frames);
			size = sample->size;
		} else if (!size) {
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
	unsigned int how;
	uint8_t *copy, *file;
	size_t n;

	if (!size || size > GN_FEED_MAX)
		return;
	what = bytes[0] % GN_FEED_COUNT;
	/* what a row is, and the format: bits 0 to 2 and from 8 up of
	 * gn_show() */
	how = bytes[0] / GN_FEED_COUNT % 8 | bytes[0] / GN_FEED_COUNT / 8 << 8;
	size--;
	copy = malloc(size + 1);
	must(copy, "there is memory");
	memcpy(copy, bytes + 1, size);
	if (what == GN_FEED_FILE || what == GN_FEED_MENDED) {
		if (what == GN_FEED_MENDED)
			mend(copy, size);
		read_file(copy, size, how);
	} else {
		if (what == GN_FEED_RECORDS)
			size = shape(copy, size);
		if (what == GN_FEED_COLUMNS)
			file = forge(copy, size, &n);
		else
			file = gn_feed_pack(
				what == GN_FEED_RECORDS
					? gn_feed_version(GN_TRACE_FORMAT_ZSTD)
					: GN_TRACE_FORMAT_PLAIN,
				copy, size, &n);
		read_file(file, n, how);
		free(file);
	}
	free(copy);
}
