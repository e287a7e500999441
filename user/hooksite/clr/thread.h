/* SPDX-License-Identifier: BSD-2-Clause */
/* The library's own threads in the program, and ends of the program's
 * threads. */
#ifndef GNOMON_CLR_THREAD_H
#define GNOMON_CLR_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Runs `fn` on a new detached thread that blocks the program's signals. Never
 * call it from a hook. False: no thread can be created. */
bool gn_clr_thread(void *(*fn)(void *ctx), void *ctx);

/* All zeros reports nothing. */
struct gn_clr_ends {
	bool is;
	pthread_key_t key;
	void *ctx;
};

void gn_clr_ends_init(struct gn_clr_ends *e, void (*fn)(void *ctx), void *ctx);
/* When the calling thread ends, it calls `fn` once. */
void gn_clr_ends_tell(const struct gn_clr_ends *e);

#endif
