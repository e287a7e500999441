/* SPDX-License-Identifier: BSD-2-Clause */
/* What functions waited for: the model's waits by function, and their texts. */
#ifndef GNOMON_OUTPUT_WAITS_H
#define GNOMON_OUTPUT_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

/* The waits of function i are wait[first[i + 1]] to wait[first[i + 2] - 1], in
 * the model's order. Function -1 holds the waits outside of any function. */
struct gn_wait_groups {
	const struct gn_model_wait **wait;
	size_t *first;
};

/* 0, -ENOMEM, -EBADMSG if a wait names an unknown function. Call
 * gn_waits_clear() in each case. */
int gn_waits_group(const struct gn_model *m, struct gn_wait_groups *out);
void gn_waits_clear(struct gn_wait_groups *w);

/* The waits of `function`; sets *n to their number. */
const struct gn_model_wait *const *gn_waits_of(const struct gn_wait_groups *w,
					       int32_t function, size_t *n);

/* "lock      futex; woken by worker (101) in main". The caller frees it; NULL:
 * no memory. */
char *gn_wait_text(const struct gn_model *m, const struct gn_model_wait *w);

#endif
