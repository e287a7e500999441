// SPDX-License-Identifier: BSD-2-Clause
/*
 * Replaces the live tests in the tests of the guest harness: a program with
 * shared libraries, one of which (libgcc_s) is only loaded when a thread is
 * cancelled. Prints what it did; its exit status is its argument.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *wait_for_ever(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	void *result = NULL;
	pthread_t thread;

	if (pthread_create(&thread, NULL, wait_for_ever, NULL) ||
	    pthread_cancel(thread) || pthread_join(thread, &result))
		return 1;
	printf("thread %s\n",
	       result == PTHREAD_CANCELED ? "cancelled" : "returned");
	return argc > 1 ? atoi(argv[1]) : 0;
}
