/* SPDX-License-Identifier: BSD-2-Clause */
/* What event.h defines about records, as data, and a check of one record
 * against it. Pure. */
#ifndef GNOMON_TRACE_REC_H
#define GNOMON_TRACE_REC_H

#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>

/* The kind of a record is 8 bits wide. */
#define GN_KIND_LIMIT 256

struct gn_kind_info {
	const char *name; /* NULL: no such kind */
	uint16_t size;	  /* in bytes; 0: variable, given in the record */
	uint8_t stream;	  /* enum gn_stream */
};

/* Never NULL. */
const struct gn_kind_info *gn_kind_info(uint8_t kind);

/*
 * Returns the size of the record at `rec`, of which `avail` bytes can be read.
 * 0: it is not well formed: an unknown kind, longer than `avail`, or a text
 * whose lengths contradict its size. `rec` is 8-byte aligned. The content of
 * texts is not checked: they may contain any bytes.
 */
size_t gn_rec_size_of(const struct gn_rec *rec, size_t avail);

#endif
