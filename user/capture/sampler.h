/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of what traced threads run. Names the addresses of their stacks while
 * the processes exist, so that a reader of the records needs no file and no
 * process. An address without a certain name becomes a function "[unknown]" of
 * its file.
 */
#ifndef GNOMON_CAPTURE_SAMPLER_H
#define GNOMON_CAPTURE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>
#include <gnomon/interpreter.h>

struct gn_sampler;

/* Gets a whole record. 0, or <0: the sink has stored its error. */
typedef int (*gn_sampler_put)(void *ctx, const struct gn_rec *rec, size_t size);

/* 0, -ENOMEM, or -errno: the kernel does not report mappings. */
int gn_sampler_new(gn_sampler_put put, void *ctx, struct gn_sampler **out);
/* Memory that it shares with the BPF programs: GN_INTERPRETERS slots, and
 * whether one is in use. Without it, samples name no functions of interpreters.
 */
void gn_sampler_share(struct gn_sampler *s, struct gn_interpreter *slots,
		      uint32_t *any);
/* Looks ahead at a process that runs already. */
void gn_sampler_ahead(struct gn_sampler *s, uint32_t pid);
/* Its part of a counter (enum gn_counter). */
uint64_t gn_sampler_count(const struct gn_sampler *s, uint32_t counter);
/* NULL is fine. */
void gn_sampler_free(struct gn_sampler *s);

/* Call it with each record as it comes out of the ring. True: it was a sample,
 * and was put with the functions of its stack, or the name of a function in
 * samples. */
bool gn_sampler_record(struct gn_sampler *s, const struct gn_rec *rec);

#endif
