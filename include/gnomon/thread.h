/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon's own threads. Only the main thread gets signals. */
#ifndef GNOMON_THREAD_H
#define GNOMON_THREAD_H

#include <pthread.h>
#include <signal.h>

/* Starts a thread that no signal reaches. 0 or -errno. */
static inline int gn_thread_start(pthread_t *thread, void *(*run)(void *),
				  void *arg)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

#endif
