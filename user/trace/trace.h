/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace file: records in checksummed, compressed chunks.
 * docs/trace-format.md has the layout. A file is readable up to its last whole
 * chunk, whatever happened to its writer.
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
	/* Bytes of records, GN_TEXT_MAX to 64 MiB; 0: default, 2 MiB. Records
	 * are packed when they are taken, most of them into 4 bytes or fewer,
	 * at worst into twice their size. */
	size_t chunk_size;
	int level; /* of compression, 1..9; 0: default */
	/* Compress by zlib even if zstd is available, for readers that were
	 * built without zstd. */
	bool zlib;
	uid_t uid; /* owner of the file; (uid_t)-1: unchanged */
	gid_t gid;
	/* Bytes of records that may wait for the disk, at least a chunk; 0:
	 * default, 64 MiB, which take about 8 MiB of memory. */
	size_t queue_limit;
	/* Called by the writing thread before each chunk, and once before the
	 * first: whether many chunks wait for it. NULL: not called. */
	void (*pace)(void *ctx, bool behind);
	void *pace_ctx;
};

/*
 * Creates a file (outfile.h has the rules for -o, and the errors). It gets its
 * name as soon as its header is on disk, so that a killed writer leaves a
 * readable file at `path`. But an older file that is not empty keeps the name
 * until the new one is complete: it survives if the writer fails or is killed.
 * A thread compresses and writes; append() only copies. Opening a FIFO waits
 * for its reader. -EINVAL: invalid options.
 *
 * Only one thread at a time may call the functions of a writer.
 */
int gn_trace_writer_open(const char *path,
			 const struct gn_trace_writer_opts *opts,
			 struct gn_trace_writer **out);

/* Why a writer cannot take more. */
enum gn_trace_wait {
	GN_TRACE_WAIT_NOT,   /* it can: GN_TEXT_MAX bytes of records fit */
	GN_TRACE_WAIT_PACK,  /* the thread is compressing */
	GN_TRACE_WAIT_DISK,  /* the thread is waiting for the file */
	GN_TRACE_WAIT_STUCK, /* a pipe took nothing for 1.5 s */
};

/* Callers that can wait should call this before append(). An error of the file
 * does not make them wait: append() returns it. */
enum gn_trace_wait gn_trace_writer_wait(struct gn_trace_writer *w);

/*
 * Takes one record. -ENOBUFS: the queue is full or there is no memory for it;
 * the record was not taken: count it or wait. -EINVAL: it is not well formed by
 * rec.h, or `size` is not its size; it was not taken. Any other error is the
 * first one of the file, and final: nothing more is written.
 */
int gn_trace_writer_append(struct gn_trace_writer *w, const struct gn_rec *rec,
			   size_t size);

/* Passes the unfinished chunk to the writing thread, so that a reader sees it
 * soon. Does not wait. -ENOBUFS: the queue is full; the chunk is kept and
 * nothing is lost. Other errors: as append(). */
int gn_trace_writer_flush(struct gn_trace_writer *w);

/*
 * When everything is written: end mark, fsync, close. `bytes` (may be NULL):
 * the size of the file; 0: there is no file, because at most a header was
 * written, or because an older file was to survive. Frees the writer whatever
 * it returns: 0 or the first error. After an error the file ends with its last
 * whole chunk, if that is still possible. -ESTALE: everything was written, but
 * the path does not lead to the file any more. -ETIMEDOUT: a pipe took nothing
 * for 1.5 s.
 */
int gn_trace_writer_close(struct gn_trace_writer *w, uint64_t *bytes);

/* Errors of the reader besides errno's: what is wrong with the file. */
enum gn_trace_error {
	GN_TRACE_OK = 0,
	GN_TRACE_NOT_A_TRACE = 1000, /* some other kind of file */
	GN_TRACE_VERSION,	     /* unknown format version */
	GN_TRACE_CORRUPT,	     /* an impossible header or checksum */
	GN_TRACE_EMPTY,		     /* no bytes */
	GN_TRACE_CUT,		     /* ends too early */
	GN_TRACE_UNSAFE, /* writer: another user's link leads the path astray */
	GN_TRACE_ZSTD,	 /* compressed by zstd, which this gnomon lacks */
};

/* "-" is standard input. 0, -errno (-EISDIR: a directory), or
 * -(enum gn_trace_error). */
int gn_trace_reader_open(const char *path, struct gn_trace_reader **out);

/* The same for an open file, from its current position. The reader owns `fd`:
 * it is closed even if this fails. */
int gn_trace_reader_open_fd(int fd, struct gn_trace_reader **out);

/*
 * Returns the next record: well formed by rec.h, aligned, and valid until the
 * next call. 1: a record, 0: the end, <0: an error as above, which is final. A
 * damaged or missing tail is an end; then `truncated` is true. No record of a
 * chunk is returned before the whole chunk has been verified. Kinds that only a
 * newer gnomon knows are skipped and counted.
 */
int gn_trace_reader_next(struct gn_trace_reader *r, const struct gn_rec **rec,
			 size_t *size);

/*
 * If the last record, `rec`, is an ENTER or LEAVE, reads such records of its
 * thread that directly follow it, a few thousand at most. They form an array
 * that begins with `rec`, valid until the next call. Returns their number,
 * including `rec`; 0: it is another kind.
 */
size_t gn_trace_reader_calls(struct gn_trace_reader *r,
			     const struct gn_rec *rec);

/*
 * True if the end was reached without an end mark, or with bytes after it.
 * `lost_bytes` (may be NULL): bytes after the last whole chunk, or after the
 * end mark. For a pipe only bytes that were read count: none after the end
 * mark.
 */
bool gn_trace_reader_truncated(const struct gn_trace_reader *r,
			       uint64_t *lost_bytes);

/* Valid once the end was reached: GN_TRACE_OK, GN_TRACE_CUT (the writer was
 * killed, or is still writing), or GN_TRACE_CORRUPT (bytes that no writer wrote
 * there). */
enum gn_trace_error gn_trace_reader_tail(const struct gn_trace_reader *r);

/* Bytes read so far, and in the whole file; 0: not known, as of a pipe. */
uint64_t gn_trace_reader_place(const struct gn_trace_reader *r,
			       uint64_t *total);

/* Records skipped so far because their kind is unknown. */
uint64_t gn_trace_reader_skipped(const struct gn_trace_reader *r);

void gn_trace_reader_close(struct gn_trace_reader *r);

/* Whether a standard stream was closed when gnomon started. main() has then
 * opened something at its number that can be neither read nor written. */
bool gn_trace_closed(int fd);

/* A sentence for an error of a reader or writer; the caller adds the path. */
const char *gn_trace_strerror(int err);

#endif
