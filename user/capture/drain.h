/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns samples of the ring buffer into records. A sample can hold several
 * slices of a thread, or a wait together with the run queue time after it. A
 * name has a fixed size in the ring and is packed here. */
#ifndef GNOMON_CAPTURE_DRAIN_H
#define GNOMON_CAPTURE_DRAIN_H

#include <stdbool.h>
#include <stddef.h>

#include <gnomon/event.h>

typedef int (*gn_drain_fn)(void *ctx, const struct gn_rec *rec, size_t size);

/* Calls `take` for each record of a sample, up to its first error. -EBADMSG:
 * the BPF programs do not write such a sample. */
int gn_drain_sample(const void *data, size_t size, gn_drain_fn take, void *ctx);

/* Makes a text record in `buf` (8-byte aligned, GN_TEXT_MAX bytes); returns
 * its size. Texts that do not fit are cut. */
size_t gn_text_record(void *buf, enum gn_kind kind, __u32 id, __u32 ref,
		      const char *a, const char *b);
/* Makes a text record with these flags and the low 48 bits of `key`, and passes
 * it to `take`. */
int gn_text_record_to(gn_drain_fn take, void *ctx, enum gn_kind kind, __u32 id,
		      __u32 ref, __u64 key, __u8 flags, const char *a,
		      const char *b);

/* Copies the two texts of a record to `room`, each with a NUL. False: they are
 * longer than a record can be. */
#define GN_TWO_TEXTS (GN_TEXT_MAX + 2)
bool gn_text_split(const struct gn_rec_text *rec, char room[GN_TWO_TEXTS],
		   const char **a, const char **b);

#endif
