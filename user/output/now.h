/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a thread did when a period of the live view ended. A thread can be NULL
 * or come from a report; then this is not known.
 */
#ifndef GNOMON_OUTPUT_NOW_H
#define GNOMON_OUTPUT_NOW_H

#include "model/model.h"

/* The function with an index of the model, NULL if there is none; its name, ""
 * if there is none. */
const struct gn_model_function *gn_now_find(const struct gn_model *m,
					    int32_t index);
const char *gn_now_function(const struct gn_model *m, int32_t index);

/* The indexes of the function that the thread is in, and of the one that took
 * most of its time in the period. -1: none. */
int32_t gn_now_top(const struct gn_model_thread *t);
int32_t gn_now_most(const struct gn_model_thread *t);

/* The runtime of the function that the thread is in or has on its stack;
 * without one, the runtime of its process. NULL: not known. */
const char *gn_now_runtime(const struct gn_model *m,
			   const struct gn_model_thread *t);
const char *gn_runtime_text(enum gn_runtime_id runtime);

/* "R", "Q", the short word of what the thread waits for, "X"; "-": not
 * known. */
const char *gn_now_state(const struct gn_model_thread *t);

/* The class of what the thread runs or waits for; "" if it does neither. */
const char *gn_now_doing(const struct gn_model_thread *t);
bool gn_now_does(enum gn_thread_state state);

#endif
