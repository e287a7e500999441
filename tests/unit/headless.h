/* SPDX-License-Identifier: BSD-2-Clause */
/* A process whose first thread has ended while another one goes on. Include
 * after cmocka.h. */
#ifndef GNOMON_TESTS_HEADLESS_H
#define GNOMON_TESTS_HEADLESS_H

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs until the test ends. */
static inline void *go_on(void *ctx)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
	return ctx;
}

static inline pid_t begin_headless(void)
{
	pid_t pid = fork();
	pthread_t other;
	char path[64];

	assert_true(pid >= 0);
	if (!pid) {
		if (pthread_create(&other, NULL, go_on, NULL))
			_exit(1);
		pthread_exit(NULL);
	}
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	while (!access(path, F_OK))
		usleep(1000);
	return pid;
}

static inline void end_headless(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

#endif
