/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads of the library's own in the program, and ends of the program's. */
#ifndef GNOMON_CLR_THREAD_H
#define GNOMON_CLR_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Runs `fn` on one that takes no signals of the program's. Nobody waits for it.
 * Never from a hook. False: there can be no more threads. */
bool gn_clr_thread(void *(*fn)(void *ctx), void *ctx);

/* All zeros tells nothing. */
struct gn_clr_ends {
	bool is;
	pthread_key_t key;
	void *ctx;
};

void gn_clr_ends_init(struct gn_clr_ends *e, void (*fn)(void *ctx), void *ctx);
/* When the calling thread ends, it calls `fn`, once. */
void gn_clr_ends_tell(const struct gn_clr_ends *e);

#endif
