/* SPDX-License-Identifier: BSD-2-Clause */
/* The caller packs records into a chunk. Full chunks wait in a queue for the
 * thread that compresses and writes them, and are then reused. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gnomon/thread.h>

#include "trace/codec.h"
#include "trace/format.h"
#include "trace/timedfile.h"
#include "trace/trace.h"

#define CHUNK_DEFAULT ((size_t)2 << 20)
#define QUEUE_DEFAULT ((size_t)64 << 20)
#define LEVEL_DEFAULT 1 /* low, to keep up with the events */

struct chunk {
	struct chunk *next;
	size_t used; /* bytes of records before packing */
	uint32_t records;
	uint64_t first;
	uint64_t last;
	uint32_t size[GN_PACK_COLUMNS];
	/* the columns, at the offsets of column_of(); pages that they do not
	 * reach are never touched, so they take no memory */
	unsigned char data[];
};

struct gn_trace_writer {
	/* the caller's fields */
	struct chunk *cur;
	struct gn_packer packer;
	size_t chunk_size;
	size_t queue_max; /* in chunks */
	pthread_t thread;
	atomic_int error; /* the first error */

	/* fields under the lock */
	pthread_mutex_t lock;
	pthread_cond_t work;  /* to the thread: there is a chunk, or `stop` */
	pthread_cond_t begun; /* to the caller: the header is written */
	struct chunk *head;
	struct chunk **tail;
	struct chunk *spare;
	size_t waiting; /* chunks in the queue, and the one being written */
	bool header_done;
	bool stop;

	/* the thread's fields */
	void (*pace)(void *ctx, bool behind);
	void *pace_ctx;
	struct gn_timedfile file;
	const struct gn_codec *codec;
	void *compressor;
	unsigned char *out; /* chunk header and compressed records */
	size_t out_size;
	struct gn_trace_end total;
};

static int first_error(const struct gn_trace_writer *w)
{
	return atomic_load_explicit(&w->error, memory_order_relaxed);
}

static void fail(struct gn_trace_writer *w, int err)
{
	int none = 0;

	if (err)
		atomic_compare_exchange_strong(&w->error, &none, err);
}

/* Where a column begins. REST is last; the others have one byte per record. */
static size_t column_of(const struct gn_trace_writer *w, int column)
{
	return (size_t)column * (w->chunk_size / sizeof(struct gn_rec));
}

static struct chunk *chunk_new(const struct gn_trace_writer *w)
{
	struct chunk *c = malloc(sizeof(*c) + column_of(w, GN_PACK_REST) +
				 gn_pack_bound(w->chunk_size));

	if (c)
		memset(c, 0, sizeof(*c));
	return c;
}

static void chunks_free(struct chunk *c)
{
	struct chunk *next;

	for (; c; c = next) {
		next = c->next;
		free(c);
	}
}

static void begin_chunk(struct gn_trace_writer *w, struct chunk *c)
{
	w->cur = c;
	gn_pack_reset(w->packer.state);
	for (int i = 0; i < GN_PACK_COLUMNS; i++)
		w->packer.at[i] = c->data + column_of(w, i);
}

/* Passes the current chunk to the thread. */
static void enqueue(struct gn_trace_writer *w)
{
	struct chunk *c = w->cur;

	for (int i = 0; i < GN_PACK_COLUMNS; i++)
		c->size[i] = (uint32_t)(w->packer.at[i] - c->data -
					(ptrdiff_t)column_of(w, i));
	w->cur = NULL;
	c->next = NULL;
	pthread_mutex_lock(&w->lock);
	*w->tail = c;
	w->tail = &c->next;
	w->waiting++;
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
}

/* Passes the current chunk to the thread, if the queue has room and there is
 * another chunk to fill. */
static int hand_over(struct gn_trace_writer *w)
{
	struct chunk *c = NULL;
	bool full;

	pthread_mutex_lock(&w->lock);
	full = w->waiting >= w->queue_max;
	if (!full && w->spare) {
		c = w->spare;
		w->spare = c->next;
		c->next = NULL;
	}
	pthread_mutex_unlock(&w->lock);
	if (full)
		return -ENOBUFS;
	if (!c)
		c = chunk_new(w);
	if (!c)
		return -ENOBUFS;
	enqueue(w);
	begin_chunk(w, c);
	return 0;
}

/* Compresses the sizes of the columns, then the columns. */
static int compress_chunk(struct gn_trace_writer *w, const struct chunk *c,
			  unsigned char *out, size_t *size)
{
	int err = w->codec->begin(w->compressor, out,
				  w->out_size - GN_TRACE_CHUNK_HEAD);

	if (!err)
		err = w->codec->put(w->compressor, c->size, sizeof(c->size));
	for (int i = 0; !err && i < GN_PACK_COLUMNS; i++)
		err = w->codec->put(w->compressor, c->data + column_of(w, i),
				    c->size[i]);
	return err ? err : w->codec->end(w->compressor, size);
}

static int write_chunk(struct gn_trace_writer *w, const struct chunk *c)
{
	uint64_t begun = gn_timedfile_now();
	struct gn_trace_chunk h = {
		.raw = (uint32_t)c->used,
		.records = c->records,
		.first = c->first,
		.last = c->last,
		.number = w->total.chunks,
	};
	unsigned char *packed = w->out + GN_TRACE_CHUNK_HEAD;
	size_t size;
	int err = compress_chunk(w, c, packed, &size);

	if (err)
		return err;
	h.packed = (uint32_t)size;
	h.crc = gn_trace_crc(0, packed, h.packed);
	gn_trace_chunk_encode(&h, w->out);
	err = gn_timedfile_write(&w->file, w->out,
				 GN_TRACE_CHUNK_HEAD + h.packed, begun);
	if (err)
		return err;
	w->total.chunks++;
	w->total.records += c->records;
	gn_trace_times(&w->total.first, &w->total.last, c->first);
	gn_trace_times(&w->total.first, &w->total.last, c->last);
	return 0;
}

static void write_header(struct gn_trace_writer *w)
{
	unsigned char header[GN_TRACE_HEADER_MAX];
	size_t size = gn_trace_header_encode(w->codec == &gn_codec_zlib
						     ? GN_TRACE_FORMAT
						     : GN_TRACE_FORMAT_ZSTD,
					     header);

	fail(w, gn_outfile_write(&w->file.out, header, size));
	pthread_mutex_lock(&w->lock);
	w->header_done = true;
	pthread_cond_signal(&w->begun);
	pthread_mutex_unlock(&w->lock);
}

/* This many chunks may always wait without being behind. */
#define BEHIND 4

/* Takes the next chunk from the queue; NULL: there is none, and none will come.
 * Called with the lock held. */
static struct chunk *dequeue(struct gn_trace_writer *w)
{
	struct chunk *c;

	while (!w->head && !w->stop)
		pthread_cond_wait(&w->work, &w->lock);
	c = w->head;
	if (!c)
		return NULL;
	w->head = c->next;
	if (!w->head)
		w->tail = &w->head;
	return c;
}

static void *writer_main(void *arg)
{
	struct gn_trace_writer *w = arg;
	struct chunk *c;

	write_header(w);
	if (w->pace)
		w->pace(w->pace_ctx, false);
	pthread_mutex_lock(&w->lock);
	while ((c = dequeue(w))) {
		bool behind = w->waiting > BEHIND;

		pthread_mutex_unlock(&w->lock);
		if (w->pace)
			w->pace(w->pace_ctx, behind);
		/* after an error nothing may follow in the file */
		if (!first_error(w))
			fail(w, write_chunk(w, c));
		memset(c, 0, sizeof(*c));
		pthread_mutex_lock(&w->lock);
		c->next = w->spare;
		w->spare = c;
		w->waiting--;
	}
	pthread_mutex_unlock(&w->lock);
	if (!first_error(w)) {
		gn_trace_end_encode(&w->total, w->out);
		fail(w,
		     gn_timedfile_write(&w->file, w->out, GN_TRACE_CHUNK_HEAD,
					gn_timedfile_now()));
	}
	return NULL;
}

static void stop_thread(struct gn_trace_writer *w)
{
	struct timespec until;

	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
	gn_timedfile_finish(&w->file);
	do {
		if (gn_timedfile_stuck(&w->file))
			gn_timedfile_abandon(&w->file);
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += 1000000 * GN_TIMEDFILE_ASK_MS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
	} while (pthread_clockjoin_np(w->thread, NULL, CLOCK_MONOTONIC,
				      &until) == ETIMEDOUT);
}

/*
 * The thread blocks all signals: they are for the program's other threads, and
 * its writes must not end the program by SIGPIPE or SIGXFSZ (they fail anyway).
 * That is why it writes the header, too.
 */
static int start_thread(struct gn_trace_writer *w)
{
	int err = gn_thread_start(&w->thread, writer_main, w);

	if (err)
		return err;
	pthread_mutex_lock(&w->lock);
	while (!w->header_done)
		pthread_cond_wait(&w->begun, &w->lock);
	pthread_mutex_unlock(&w->lock);
	err = first_error(w);
	/* An older file keeps the name until this one is complete. The thread
	 * does not touch the file before the first chunk. */
	if (!err && !w->file.out.older)
		err = gn_outfile_publish(&w->file.out);
	if (err) {
		fail(w, err);
		stop_thread(w);
	}
	return err;
}

static int set_sizes(struct gn_trace_writer *w,
		     const struct gn_trace_writer_opts *o, int *level)
{
	size_t queue = o->queue_limit ? o->queue_limit : QUEUE_DEFAULT;

	w->chunk_size = o->chunk_size ? o->chunk_size : CHUNK_DEFAULT;
	*level = o->level ? o->level : LEVEL_DEFAULT;
	if (w->chunk_size < GN_TEXT_MAX || w->chunk_size > GN_TRACE_CHUNK_MAX)
		return -EINVAL;
	if (*level < 1 || *level > 9 || queue < w->chunk_size)
		return -EINVAL;
	w->queue_max = queue / w->chunk_size;
	return 0;
}

static int set_buffers(struct gn_trace_writer *w, int level)
{
	w->compressor = w->codec->compressor(level);
	if (!w->compressor)
		return -ENOMEM;
	w->out_size = GN_TRACE_CHUNK_HEAD +
		      w->codec->bound(w->compressor,
				      GN_TRACE_COLUMNS +
					      gn_pack_bound(w->chunk_size));
	w->out = malloc(w->out_size);
	w->packer.state = gn_pack_state_new();
	w->cur = chunk_new(w);
	if (!w->out || !w->packer.state || !w->cur)
		return -ENOMEM;
	begin_chunk(w, w->cur);
	return 0;
}

/* Frees all but the file and the thread. */
static void writer_free(struct gn_trace_writer *w)
{
	chunks_free(w->cur);
	chunks_free(w->head);
	chunks_free(w->spare);
	gn_pack_state_free(w->packer.state);
	free(w->out);
	w->codec->compressor_free(w->compressor);
	free(w);
}

int gn_trace_writer_open(const char *path,
			 const struct gn_trace_writer_opts *opts,
			 struct gn_trace_writer **out)
{
	struct gn_trace_writer *w = calloc(1, sizeof(*w));
	int level, err;

	if (!w)
		return -ENOMEM;
	w->tail = &w->head;
	w->codec =
		gn_codec_zstd && !opts->zlib ? gn_codec_zstd : &gn_codec_zlib;
	w->pace = opts->pace;
	w->pace_ctx = opts->pace_ctx;
	w->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	w->work = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	w->begun = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	err = set_sizes(w, opts, &level);
	if (!err)
		err = set_buffers(w, level);
	if (err)
		goto free_writer;
	err = gn_outfile_open(&w->file.out, path, opts->uid, opts->gid);
	if (err)
		goto free_writer;
	err = start_thread(w);
	if (err)
		goto close_file;
	*out = w;
	return 0;
close_file:
	gn_outfile_close(&w->file.out, false);
free_writer:
	writer_free(w);
	return err;
}

enum gn_trace_wait gn_trace_writer_wait(struct gn_trace_writer *w)
{
	if (first_error(w) || w->chunk_size - w->cur->used >= GN_TEXT_MAX ||
	    !hand_over(w))
		return GN_TRACE_WAIT_NOT;
	if (gn_timedfile_stuck(&w->file))
		return GN_TRACE_WAIT_STUCK;
	return gn_timedfile_slow(&w->file) ? GN_TRACE_WAIT_DISK
					   : GN_TRACE_WAIT_PACK;
}

int gn_trace_writer_append(struct gn_trace_writer *w, const struct gn_rec *rec,
			   size_t size)
{
	struct chunk *c = w->cur;
	int err = first_error(w);

	if (err)
		return err;
	if (!size || gn_rec_size_of(rec, size) != size)
		return -EINVAL;
	if (size > w->chunk_size - c->used) {
		err = hand_over(w);
		if (err)
			return err;
		c = w->cur;
	}
	gn_pack(&w->packer, rec, size);
	c->used += size;
	c->records++;
	gn_trace_times(&c->first, &c->last, rec->time);
	return 0;
}

int gn_trace_writer_flush(struct gn_trace_writer *w)
{
	int err = first_error(w);

	if (err || !w->cur->used)
		return err;
	return hand_over(w);
}

int gn_trace_writer_close(struct gn_trace_writer *w, uint64_t *bytes)
{
	int err, last;
	bool kept;

	if (w->cur->used)
		enqueue(w);
	stop_thread(w);
	err = first_error(w);
	if (!err)
		err = gn_outfile_publish(&w->file.out);
	if (err && !w->total.chunks)
		gn_outfile_remove(&w->file.out);
	kept = !err || (w->total.chunks && !w->file.out.pending);
	last = gn_outfile_close(&w->file.out, !err);
	if (!err)
		err = last;
	if (bytes)
		*bytes = kept ? w->file.out.size : 0;
	writer_free(w);
	return err;
}
