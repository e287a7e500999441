/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace file: records in checksummed, compressed chunks. docs/trace-format.md
 * has the layout. A file is readable to its last whole chunk whatever happened
 * to its writer.
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
	size_t chunk_size;  /* bytes before compression; 0 = default */
	int level;	    /* zlib's, 1..9; 0 = default */
	uid_t uid;	    /* owner of the file; (uid_t)-1 = leave it */
	gid_t gid;
	size_t queue_limit; /* bytes that may wait for the disk; 0 = default */
};

/*
 * Makes the file under a temporary name beside `path`, mode 0600, and renames
 * it at once when its header is on disk, so that an older file at `path` is
 * replaced whole or not at all. (A killed writer leaves a readable file at
 * `path`.) A thread compresses and writes; append() only copies.
 */
int gn_trace_writer_open(const char *path,
			 const struct gn_trace_writer_opts *opts,
			 struct gn_trace_writer **out);

/* One record. -ENOBUFS: the queue is full (the disk is slow), the record was
 * not taken, count it. Any other error is the file's and is final. */
int gn_trace_writer_append(struct gn_trace_writer *w, const struct gn_rec *rec,
			   size_t size);

/* Hands the unfinished chunk to the disk, so that a reader sees it. */
int gn_trace_writer_flush(struct gn_trace_writer *w);

/* The end mark, fsync, close. `bytes` (may be NULL): the file's size. The
 * writer is freed whatever is returned. */
int gn_trace_writer_close(struct gn_trace_writer *w, uint64_t *bytes);

/* Errors of the reader, beside errno's: what the file is. */
enum gn_trace_error {
	GN_TRACE_OK = 0,
	GN_TRACE_NOT_A_TRACE = 1000, /* empty, or another kind of file */
	GN_TRACE_VERSION,	     /* of another format version */
	GN_TRACE_CORRUPT,	     /* a header that cannot be true */
};

/* 0, -errno, or -(enum gn_trace_error). */
int gn_trace_reader_open(const char *path, struct gn_trace_reader **out);

/*
 * The next record, aligned, valid until the next call. 1 = a record, 0 = end,
 * <0 = error as above. A damaged or missing tail is an end: `truncated` says
 * so afterwards.
 */
int gn_trace_reader_next(struct gn_trace_reader *r, const struct gn_rec **rec,
			 size_t *size);

/* True once the end was reached without an end mark. `lost_bytes` (may be
 * NULL): bytes after the last whole chunk. */
bool gn_trace_reader_truncated(const struct gn_trace_reader *r,
			       uint64_t *lost_bytes);

void gn_trace_reader_close(struct gn_trace_reader *r);

/* A sentence for a reader's or writer's error; the caller adds the path. */
const char *gn_trace_strerror(int err);

#endif
