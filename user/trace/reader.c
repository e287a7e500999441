/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/ahead.h"
#include "trace/codec.h"
#include "trace/format.h"
#include "trace/trace.h"

struct buffer {
	unsigned char *bytes;
	size_t cap;
};

/* Number of chunks read without a thread; most files have no more. */
#define CHUNKS_ALONE 4
/* Limit of calls returned at once, so that none of them is delayed for long. */
#define CALLS_MOST 4096

/* The result of reading one chunk. */
struct part {
	struct buffer raw;
	size_t used; /* bytes of records in raw */
	bool last;   /* the file ends after this part */
	int err;     /* 0, or why no more can be read: then the part is empty */
};

struct gn_trace_reader {
	int fd;
	bool regular;
	uint64_t base;	       /* offset of the trace in the file */
	_Atomic uint64_t read; /* bytes read since `base` */
	uint64_t good; /* of these, up to the end of the last whole chunk */
	uint32_t version;
	struct gn_trace_kind kinds[GN_KIND_LIMIT];
	/* known kinds of fixed size; else 0 */
	uint16_t sizes[GN_KIND_LIMIT];

	struct buffer packed;
	struct buffer columns;
	struct gn_pack_state *pack;
	const struct gn_codec *codec; /* NULL: not known yet */
	void *decompressor;
	struct part *into;	   /* the part being read */
	struct gn_trace_end total; /* sums over what was read */
	enum gn_trace_error tail;  /* valid once the end was read */
	uint64_t lost;

	/* the fields below belong to the caller's thread, those above to the
	 * reading thread, if there is one */
	struct gn_ahead ahead;
	bool alone; /* do not start a thread */
	struct part part[GN_AHEAD_BUFFERS], *now;
	size_t at; /* offset of the next record in now->raw */
	uint64_t skipped;
	int error; /* final */
};

/* Stdin can be non-blocking. */
static void wait_for_bytes(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	poll(&p, 1, -1);
}

/* Reads `n` bytes, or fewer at the end of the file only. */
static int read_up_to(struct gn_trace_reader *r, void *bytes, size_t n,
		      size_t *done)
{
	ssize_t got;

	*done = 0;
	while (*done < n) {
		got = read(r->fd, (unsigned char *)bytes + *done, n - *done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN) {
			wait_for_bytes(r->fd);
			continue;
		}
		if (got < 0)
			return -errno;
		if (!got)
			break;
		*done += (size_t)got;
		r->read += (uint64_t)got;
	}
	return 0;
}

/* Makes room in the buffer. Its contents are lost when it grows. */
static int reserve(struct buffer *b, size_t n)
{
	if (n <= b->cap)
		return 0;
	free(b->bytes);
	b->cap = 0;
	b->bytes = malloc(n);
	if (!b->bytes)
		return -ENOMEM;
	b->cap = n;
	return 0;
}

static int read_header(struct gn_trace_reader *r)
{
	unsigned char h[GN_TRACE_HEADER_MAX];
	size_t got, size;
	int err;

	err = read_up_to(r, h, GN_TRACE_HEADER, &got);
	if (err)
		return err;
	err = gn_trace_header_begin(h, got, &r->version, &size);
	if (err)
		return err;
	err = read_up_to(r, h + GN_TRACE_HEADER, size - GN_TRACE_HEADER, &got);
	if (err)
		return err;
	if (got < size - GN_TRACE_HEADER)
		return -GN_TRACE_CUT;
	r->good = r->read;
	return gn_trace_header_decode(h, size, r->kinds);
}

static void set_sizes(struct gn_trace_reader *r)
{
	for (unsigned int k = 0; k < GN_KIND_LIMIT; k++)
		if (r->kinds[k].present && gn_kind_info((uint8_t)k)->name)
			r->sizes[k] = gn_kind_info((uint8_t)k)->size;
}

static int look_at_file(struct gn_trace_reader *r)
{
	struct stat st;
	off_t at;

	if (fstat(r->fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return 0;
	r->regular = true;
	at = lseek(r->fd, 0, SEEK_CUR);
	if (at < 0)
		return -errno;
	r->base = (uint64_t)at;
	return 0;
}

static int set_codec(struct gn_trace_reader *r)
{
	r->codec = r->version == GN_TRACE_FORMAT_ZSTD ? gn_codec_zstd
						      : &gn_codec_zlib;
	if (!r->codec)
		return -GN_TRACE_ZSTD;
	r->decompressor = r->codec->decompressor();
	return r->decompressor ? 0 : -ENOMEM;
}

int gn_trace_reader_open_fd(int fd, struct gn_trace_reader **out)
{
	struct gn_trace_reader *r = calloc(1, sizeof(*r));
	int err;

	if (!r) {
		close(fd);
		return -ENOMEM;
	}
	r->fd = fd;
	r->now = r->part;
	err = look_at_file(r);
	if (!err)
		err = read_header(r);
	if (!err)
		err = set_codec(r);
	if (!err && !(r->pack = gn_pack_state_new()))
		err = -ENOMEM;
	if (err) {
		gn_trace_reader_close(r);
		return err;
	}
	set_sizes(r);
	*out = r;
	return 0;
}

bool gn_trace_closed(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 || flags & O_PATH;
}

int gn_trace_reader_open(const char *path, struct gn_trace_reader **out)
{
	bool in = !strcmp(path, "-");
	int fd;

	if (in && gn_trace_closed(STDIN_FILENO))
		return -EBADF;
	if (in)
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	return gn_trace_reader_open_fd(fd, out);
}

/* Returns the size of a record whose kind has no fixed size; 0: it is not well
 * formed. */
static size_t other_size(const struct gn_trace_reader *r,
			 const struct gn_rec *rec, size_t avail)
{
	const struct gn_trace_kind *k;
	uint32_t size;

	if (avail < sizeof(*rec))
		return 0;
	k = &r->kinds[rec->kind];
	if (!k->present)
		return 0;
	if (gn_kind_info(rec->kind)->name)
		return gn_rec_size_of(rec, avail);
	size = k->size;
	if (!size) {
		if (avail < sizeof(*rec) + sizeof(size))
			return 0;
		memcpy(&size, rec + 1, sizeof(size));
		if (size < sizeof(*rec) + sizeof(size) || size % 8 ||
		    size > GN_TRACE_UNKNOWN_MAX)
			return 0;
	}
	return size <= avail ? size : 0;
}

/* Returns the size of a record by the file's table; 0: it is not well
 * formed. */
static inline size_t record_size(const struct gn_trace_reader *r,
				 const struct gn_rec *rec, size_t avail)
{
	size_t size = avail < sizeof(*rec) ? 0 : r->sizes[rec->kind];

	if (!size)
		return other_size(r, rec, avail);
	return size <= avail ? size : 0;
}

/* Whether the records match the chunk's header. */
static bool records_ok(const struct gn_trace_reader *r,
		       const struct gn_trace_chunk *h)
{
	uint64_t first = 0, last = 0;
	uint32_t records = 0;
	size_t at, size;

	for (at = 0; at < h->raw; at += size) {
		const void *p = r->into->raw.bytes + at;
		const struct gn_rec *rec = p;

		size = record_size(r, rec, h->raw - at);
		if (!size)
			return false;
		records++;
		gn_trace_times(&first, &last, rec->time);
	}
	return records == h->records && first == h->first && last == h->last;
}

/* Decompresses exactly h->packed bytes into `out`: `*size` bytes, at most
 * `room`. */
static int decompress(struct gn_trace_reader *r, const struct gn_trace_chunk *h,
		      void *out, size_t room, size_t *size)
{
	int err;

	if (gn_trace_crc(0, r->packed.bytes, h->packed) != h->crc)
		return -GN_TRACE_CORRUPT;
	err = r->codec->decompress(r->decompressor, r->packed.bytes, h->packed,
				   out, room, size);
	return err == -EBADMSG ? -GN_TRACE_CORRUPT : err;
}

/* Unpacks the records from columns of `n` bytes, which include their sizes at
 * the beginning. */
static int unpack_columns(struct gn_trace_reader *r,
			  const struct gn_trace_chunk *h, size_t n)
{
	const unsigned char *at = r->columns.bytes + GN_TRACE_COLUMNS;
	struct gn_unpacker u = {.state = r->pack};
	uint32_t sizes[GN_PACK_COLUMNS];
	size_t size;

	if (n < GN_TRACE_COLUMNS)
		return -GN_TRACE_CORRUPT;
	memcpy(sizes, r->columns.bytes, sizeof(sizes));
	n -= GN_TRACE_COLUMNS;
	for (int i = 0; i < GN_PACK_COLUMNS; i++) {
		if (sizes[i] > n)
			return -GN_TRACE_CORRUPT;
		u.at[i] = at;
		at += sizes[i];
		u.end[i] = at;
		n -= sizes[i];
	}
	if (n || !gn_unpack(&u, r->into->raw.bytes, h->raw, &size) ||
	    size != h->raw)
		return -GN_TRACE_CORRUPT;
	return 0;
}

/* Exactly h->packed bytes must give exactly h->raw. */
static int unpack(struct gn_trace_reader *r, const struct gn_trace_chunk *h)
{
	size_t room = gn_trace_columns_max(r->version, h->raw), size;
	int err;

	if (r->version == GN_TRACE_FORMAT_PLAIN) {
		err = decompress(r, h, r->into->raw.bytes, room, &size);
		return !err && size != h->raw ? -GN_TRACE_CORRUPT : err;
	}
	err = reserve(&r->columns, room);
	if (!err)
		err = decompress(r, h, r->columns.bytes, room, &size);
	return err ? err : unpack_columns(r, h, size);
}

static int end(struct gn_trace_reader *r, enum gn_trace_error tail)
{
	uint64_t size = r->base + r->read, good = r->base + r->good;
	struct stat st;

	if (r->regular) {
		if (fstat(r->fd, &st))
			return -errno;
		size = (uint64_t)st.st_size;
	}
	r->lost = size > good ? size - good : 0;
	/* nothing may follow the end mark; on a pipe, do not wait to find
	 * out */
	r->tail = !tail && r->lost ? GN_TRACE_CORRUPT : tail;
	r->into->last = true;
	return 0;
}

static bool totals_ok(const struct gn_trace_reader *r,
		      const struct gn_trace_end *e)
{
	return e->records == r->total.records && e->chunks == r->total.chunks &&
	       e->first == r->total.first && e->last == r->total.last;
}

/* Reads the packed records that follow the chunk header `h`. 0, or as
 * load_chunk(). */
static int load_records(struct gn_trace_reader *r,
			const struct gn_trace_chunk *h)
{
	size_t got;
	int err;

	err = reserve(&r->packed, h->packed);
	if (err)
		return err;
	err = read_up_to(r, r->packed.bytes, h->packed, &got);
	if (err)
		return err;
	if (got < h->packed)
		return -GN_TRACE_CUT;
	err = reserve(&r->into->raw, h->raw);
	if (err)
		return err;
	err = unpack(r, h);
	if (err)
		return err;
	return records_ok(r, h) ? 0 : -GN_TRACE_CORRUPT;
}

/* Reads one chunk or the end mark. 0, -errno, or -(enum gn_trace_error) for a
 * fault of the file. */
static int load_chunk(struct gn_trace_reader *r)
{
	unsigned char head[GN_TRACE_CHUNK_HEAD];
	struct gn_trace_chunk h;
	struct gn_trace_end e;
	size_t got;
	int err;

	err = read_up_to(r, head, sizeof(head), &got);
	if (err)
		return err;
	if (got < sizeof(head))
		return -GN_TRACE_CUT;
	if (gn_trace_end_decode(head, &e) && totals_ok(r, &e)) {
		r->good = r->read;
		return end(r, GN_TRACE_OK);
	}
	if (!gn_trace_chunk_decode(head, r->version, &h) ||
	    h.number != r->total.chunks)
		return -GN_TRACE_CORRUPT;
	err = load_records(r, &h);
	if (err)
		return err;
	r->into->used = h.raw;
	r->good = r->read;
	r->total.chunks++;
	r->total.records += h.records;
	gn_trace_times(&r->total.first, &r->total.last, h.first);
	gn_trace_times(&r->total.first, &r->total.last, h.last);
	return 0;
}

/* Reads a part. False: it is the last. */
static bool read_part(void *reader, unsigned int i)
{
	struct gn_trace_reader *r = reader;
	struct part *part = &r->part[i];
	int err;

	r->into = part;
	part->used = 0;
	part->last = false;
	err = load_chunk(r);
	if (err == -GN_TRACE_CUT || err == -GN_TRACE_CORRUPT)
		err = end(r, (enum gn_trace_error) - err);
	part->err = err;
	return !err && !part->last;
}

static bool wants_thread(const struct gn_trace_reader *r)
{
	return !r->ahead.on && !r->alone && r->regular &&
	       r->total.chunks == CHUNKS_ALONE;
}

/* Proceeds to the next part. 0 or an error. */
static int next_part(struct gn_trace_reader *r)
{
	unsigned int i = 0;

	if (wants_thread(r))
		r->alone = gn_ahead_start(&r->ahead, read_part, r) != 0;
	if (r->ahead.on)
		i = gn_ahead_next(&r->ahead);
	else
		read_part(r, i);
	r->now = &r->part[i];
	r->at = 0;
	return r->now->err;
}

/* Returns the next record in memory whose kind this program knows. */
static const struct gn_rec *next_known(struct gn_trace_reader *r, size_t *size)
{
	while (r->at < r->now->used) {
		const void *p = r->now->raw.bytes + r->at;
		const struct gn_rec *rec = p;

		*size = record_size(r, rec, r->now->used - r->at);
		r->at += *size;
		if (r->sizes[rec->kind] || gn_kind_info(rec->kind)->name)
			return rec;
		r->skipped++;
	}
	return NULL;
}

int gn_trace_reader_next(struct gn_trace_reader *r, const struct gn_rec **rec,
			 size_t *size)
{
	if (r->error)
		return r->error;
	while (!(*rec = next_known(r, size))) {
		if (r->now->last)
			return 0;
		r->error = next_part(r);
		if (r->error)
			return r->error;
	}
	return 1;
}

static bool is_call(const struct gn_trace_reader *r, const struct gn_rec *rec)
{
	return (rec->kind == GN_KIND_ENTER || rec->kind == GN_KIND_LEAVE) &&
	       r->sizes[rec->kind] == sizeof(struct gn_rec_func);
}

size_t gn_trace_reader_calls(struct gn_trace_reader *r,
			     const struct gn_rec *rec)
{
	const struct gn_rec_func *call = (const void *)rec;
	size_t n = 1;

	if (!is_call(r, rec))
		return 0;
	while (n < CALLS_MOST && r->now->used - r->at >= sizeof(*call) &&
	       is_call(r, &call[n].h) && call[n].h.tid == rec->tid) {
		r->at += sizeof(*call);
		n++;
	}
	return n;
}

bool gn_trace_reader_truncated(const struct gn_trace_reader *r,
			       uint64_t *lost_bytes)
{
	if (lost_bytes)
		*lost_bytes = r->now->last ? r->lost : 0;
	return r->now->last && r->tail != GN_TRACE_OK;
}

enum gn_trace_error gn_trace_reader_tail(const struct gn_trace_reader *r)
{
	return r->now->last ? r->tail : GN_TRACE_OK;
}

uint64_t gn_trace_reader_place(const struct gn_trace_reader *r, uint64_t *total)
{
	struct stat st;

	*total = 0;
	if (r->regular && !fstat(r->fd, &st) && (uint64_t)st.st_size > r->base)
		*total = (uint64_t)st.st_size - r->base;
	return r->read;
}

uint64_t gn_trace_reader_skipped(const struct gn_trace_reader *r)
{
	return r->skipped;
}

void gn_trace_reader_close(struct gn_trace_reader *r)
{
	if (!r)
		return;
	gn_ahead_stop(&r->ahead);
	close(r->fd);
	if (r->codec)
		r->codec->decompressor_free(r->decompressor);
	gn_pack_state_free(r->pack);
	free(r->packed.bytes);
	free(r->columns.bytes);
	for (unsigned int i = 0; i < GN_AHEAD_BUFFERS; i++)
		free(r->part[i].raw.bytes);
	free(r);
}
