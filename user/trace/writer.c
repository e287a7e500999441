/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The caller fills one chunk; full ones wait in a queue for the thread that
 * compresses and writes them, and come back to be filled again.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "trace/format.h"
#include "trace/outfile.h"
#include "trace/trace.h"

#define CHUNK_DEFAULT ((size_t)256 << 10)
#define QUEUE_DEFAULT ((size_t)64 << 20)
#define LEVEL_DEFAULT 1 /* it must keep up with the events */

struct chunk {
	struct chunk *next;
	size_t used;
	uint32_t records;
	uint64_t first;
	uint64_t last;
	_Alignas(8) unsigned char data[];
};

struct gn_trace_writer {
	/* the caller's */
	struct chunk *cur;
	size_t chunk_size;
	size_t queue_max; /* chunks */
	pthread_t thread;
	atomic_int error; /* the first one */

	/* under the lock */
	pthread_mutex_t lock;
	pthread_cond_t work;  /* to the thread: a chunk, or stop */
	pthread_cond_t begun; /* from the thread: the header is written */
	struct chunk *head;
	struct chunk **tail;
	struct chunk *spare;
	size_t waiting; /* chunks in the queue and in the thread's hands */
	bool header_done;
	bool stop;

	/* the thread's */
	struct gn_outfile file;
	z_stream z;
	unsigned char *out; /* chunk header and packed records */
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

static struct chunk *chunk_new(const struct gn_trace_writer *w)
{
	struct chunk *c = malloc(sizeof(*c) + w->chunk_size);

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

static void enqueue(struct gn_trace_writer *w, struct chunk *c)
{
	c->next = NULL;
	pthread_mutex_lock(&w->lock);
	*w->tail = c;
	w->tail = &c->next;
	w->waiting++;
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
}

/* The chunk being filled goes to the thread, if the queue has room and there
 * is another one to fill. */
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
	enqueue(w, w->cur);
	w->cur = c;
	return 0;
}

static int write_chunk(struct gn_trace_writer *w, const struct chunk *c)
{
	struct gn_trace_chunk h = {
		.raw = (uint32_t)c->used,
		.records = c->records,
		.first = c->first,
		.last = c->last,
		.number = w->total.chunks,
	};
	unsigned char *packed = w->out + GN_TRACE_CHUNK_HEAD;
	int err;

	if (deflateReset(&w->z) != Z_OK)
		return -EIO;
	w->z.next_in = (unsigned char *)c->data;
	w->z.avail_in = (uInt)c->used;
	w->z.next_out = packed;
	w->z.avail_out = (uInt)(w->out_size - GN_TRACE_CHUNK_HEAD);
	if (deflate(&w->z, Z_FINISH) != Z_STREAM_END)
		return -EIO;
	h.packed = (uint32_t)w->z.total_out;
	h.crc = gn_trace_crc(0, packed, h.packed);
	gn_trace_chunk_encode(&h, w->out);
	err = gn_outfile_write(&w->file, w->out,
			       GN_TRACE_CHUNK_HEAD + h.packed);
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
	size_t size = gn_trace_header_encode(header);

	fail(w, gn_outfile_write(&w->file, header, size));
	pthread_mutex_lock(&w->lock);
	w->header_done = true;
	pthread_cond_signal(&w->begun);
	pthread_mutex_unlock(&w->lock);
}

/* The next chunk of the queue; NULL when there is none and none will come.
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
	pthread_mutex_lock(&w->lock);
	while ((c = dequeue(w))) {
		pthread_mutex_unlock(&w->lock);
		/* After an error nothing may follow in the file. */
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
		     gn_outfile_write(&w->file, w->out, GN_TRACE_CHUNK_HEAD));
	}
	return NULL;
}

static void stop_thread(struct gn_trace_writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
}

/*
 * The thread takes no signals: they are for the program's own threads, and
 * SIGPIPE and SIGXFSZ, which its own writes raise, are not to kill anybody
 * (the write then also fails). So it writes the header too.
 */
static int start_thread(struct gn_trace_writer *w)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&w->thread, NULL, writer_main, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return -err;
	pthread_mutex_lock(&w->lock);
	while (!w->header_done)
		pthread_cond_wait(&w->begun, &w->lock);
	pthread_mutex_unlock(&w->lock);
	err = first_error(w);
	/* The thread does not touch the file before the first chunk. */
	if (!err)
		err = gn_outfile_publish(&w->file);
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
	if (deflateInit(&w->z, level) != Z_OK)
		return -ENOMEM;
	w->out_size = GN_TRACE_CHUNK_HEAD + deflateBound(&w->z, w->chunk_size);
	w->out = malloc(w->out_size);
	w->cur = chunk_new(w);
	return w->out && w->cur ? 0 : -ENOMEM;
}

/* All but the file and the thread. */
static void writer_free(struct gn_trace_writer *w)
{
	chunks_free(w->cur);
	chunks_free(w->head);
	chunks_free(w->spare);
	free(w->out);
	deflateEnd(&w->z); /* does nothing when there was no deflateInit */
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
	w->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	w->work = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	w->begun = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	err = set_sizes(w, opts, &level);
	if (!err)
		err = set_buffers(w, level);
	if (err)
		goto free_writer;
	err = gn_outfile_open(&w->file, path, opts->uid, opts->gid);
	if (err)
		goto free_writer;
	err = start_thread(w);
	if (err)
		goto close_file;
	*out = w;
	return 0;
close_file:
	gn_outfile_close(&w->file, false);
free_writer:
	writer_free(w);
	return err;
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
	memcpy(c->data + c->used, rec, size);
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

	if (w->cur->used) {
		enqueue(w, w->cur);
		w->cur = NULL;
	}
	stop_thread(w);
	err = first_error(w);
	last = gn_outfile_close(&w->file, !err);
	if (!err)
		err = last;
	if (bytes)
		*bytes = w->file.size;
	writer_free(w);
	return err;
}
