/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace file: records in checksummed, compressed chunks.
 * docs/trace-format.md has the layout. A file is readable to its last whole
 * chunk whatever happened to its writer.
 */
#ifndef GNOMON_TRACE_TRACE_H
#define GNOMON_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <gnomon/event.h>

struct gn_trace_writer;
struct gn_trace_reader;

struct gn_trace_writer_opts {
	/* Bytes of records, GN_TEXT_MAX to 64 MiB; 0 = default, 2 MiB. They
	 * are packed when they are taken, most into 4 bytes or fewer, at the
	 * worst into twice as many. */
	size_t chunk_size;
	int level; /* of compression, 1..9; 0 = default */
	/* Compressed by zlib also where zstd is known, for a gnomon that was
	 * built without zstd. */
	bool zlib;
	uid_t uid; /* owner of the file; (uid_t)-1 = leave it */
	gid_t gid;
	/* Bytes of records that may wait for the disk, at least a chunk; 0 =
	 * default, 64 MiB, which take some 8 MiB of memory. */
	size_t queue_limit;
	/* Called by the writing thread before each chunk, and once before the
	 * first: whether much is waiting for it. NULL = nobody is told. */
	void (*pace)(void *ctx, bool behind);
	void *pace_ctx;
};

/*
 * Makes a new file (outfile.h has the rules of -o, and the errors) and gives it
 * the path as its name at once when its header is on disk, so that a killed
 * writer leaves a readable file at `path`. Only where there is an older file
 * that is not empty, that one keeps the name until the new one is whole: it
 * stays when the writer fails or is killed. A thread compresses and writes;
 * append() only copies. Opening a FIFO waits for its reader. -EINVAL: options
 * that are not as said above.
 *
 * The functions of a writer are called by one thread at a time.
 */
int gn_trace_writer_open(const char *path,
			 const struct gn_trace_writer_opts *opts,
			 struct gn_trace_writer **out);

/* What keeps a writer from taking more. */
enum gn_trace_wait {
	GN_TRACE_WAIT_NOT,   /* nothing: GN_TEXT_MAX bytes of records fit */
	GN_TRACE_WAIT_PACK,  /* the thread compresses what it has */
	GN_TRACE_WAIT_DISK,  /* the thread waits for the file */
	GN_TRACE_WAIT_STUCK, /* a pipe that has taken nothing for 1.5 s */
};

/* To be asked before append(), by those who can wait. An error of the file is
 * no reason to: append() tells it. */
enum gn_trace_wait gn_trace_writer_wait(struct gn_trace_writer *w);

/* One record. -ENOBUFS: the queue is full or there is no memory for it; the
 * record was not taken, count it or wait. -EINVAL: it is not well
 * formed by rec.h, or `size` is not its size; not taken. Any other error is the
 * file's, the first one, and final: nothing more is written. */
int gn_trace_writer_append(struct gn_trace_writer *w, const struct gn_rec *rec,
			   size_t size);

/* Hands the unfinished chunk to the writing thread, so that a reader sees it
 * soon; does not wait. -ENOBUFS: the queue is full, the chunk stays and nothing
 * is lost; else as append(). */
int gn_trace_writer_flush(struct gn_trace_writer *w);

/* The end mark, fsync, close, when all is written. `bytes` (may be NULL): the
 * file's size; 0: there is none, since nothing or no more than a header was
 * written, or an older file was to stay. The writer is freed whatever is
 * returned: 0 or the first error. After an error the file ends with its last
 * whole chunk, as far as that can still be done. -ESTALE: all was written, but
 * the path is not the file's any more. -ETIMEDOUT: a pipe took nothing for 1.5
 * s. */
int gn_trace_writer_close(struct gn_trace_writer *w, uint64_t *bytes);

/* Errors of the reader, beside errno's: what the file is. */
enum gn_trace_error {
	GN_TRACE_OK = 0,
	GN_TRACE_NOT_A_TRACE = 1000, /* another kind of file */
	GN_TRACE_VERSION,	     /* of another format version */
	GN_TRACE_CORRUPT,	     /* a header that cannot be true */
	GN_TRACE_EMPTY,		     /* not a byte */
	GN_TRACE_CUT,		     /* ends too early */
	GN_TRACE_UNSAFE, /* the writer's: another user leads it elsewhere */
	GN_TRACE_ZSTD,	 /* compressed by what this gnomon does not have */
};

/* "-" is standard input. 0, -errno (-EISDIR: a directory), or
 * -(enum gn_trace_error). */
int gn_trace_reader_open(const char *path, struct gn_trace_reader **out);

/* The same of an open file, from where it stands. The reader owns `fd`, which
 * is closed also when this fails. */
int gn_trace_reader_open_fd(int fd, struct gn_trace_reader **out);

/*
 * The next record, well formed by rec.h, aligned, valid until the next call.
 * 1 = a record, 0 = end, <0 = error as above, which stays. A damaged or missing
 * tail is an end: `truncated` says so afterwards. No record of a chunk is
 * returned before the whole chunk was found to be sound. Kinds that only a
 * newer gnomon knows are left out and counted.
 */
int gn_trace_reader_next(struct gn_trace_reader *r, const struct gn_rec **rec,
			 size_t *size);

/* If the last record, `rec`, is an ENTER or LEAVE: reads those of its thread
 * that come at once after it, some thousand at most. They are an array that
 * begins with `rec`, valid until the next call. Returns how many all are; 0: it
 * is none of those. */
size_t gn_trace_reader_calls(struct gn_trace_reader *r,
			     const struct gn_rec *rec);

/* True once the end was reached without an end mark, or with bytes behind it.
 * `lost_bytes` (may be NULL): bytes after the last whole chunk, or after the
 * end mark. Of a pipe, those that were read of it: none after the end mark. */
bool gn_trace_reader_truncated(const struct gn_trace_reader *r,
			       uint64_t *lost_bytes);

/* Once the end was reached: GN_TRACE_OK, GN_TRACE_CUT (the writer was killed,
 * or still writes), GN_TRACE_CORRUPT (bytes that no writer wrote there). */
enum gn_trace_error gn_trace_reader_tail(const struct gn_trace_reader *r);

/* Bytes that were read so far, and of the whole file; 0: of a pipe, they are
 * not known. */
uint64_t gn_trace_reader_place(const struct gn_trace_reader *r,
			       uint64_t *total);

/* Records that were left out so far because their kind is not known here. */
uint64_t gn_trace_reader_skipped(const struct gn_trace_reader *r);

void gn_trace_reader_close(struct gn_trace_reader *r);

/* Whether a standard stream was closed when gnomon began: main() has then put
 * something at its number that can be neither read nor written. */
bool gn_trace_closed(int fd);

/* A sentence for a reader's or writer's error; the caller adds the path. */
const char *gn_trace_strerror(int err);

#endif
