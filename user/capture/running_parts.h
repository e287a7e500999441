/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of running.h share. */
#ifndef GNOMON_CAPTURE_RUNNING_PARTS_H
#define GNOMON_CAPTURE_RUNNING_PARTS_H

#include "capture/running.h"

struct gn_attached;

struct gn_running_process {
	pid_t pid;
	const struct gn_runtime *rt;
	struct gn_attached *attached;
	bool musl; /* its C library is musl */
};

struct gn_running {
	struct gn_running_process *process;
	size_t count;
	size_t begun;	/* libraries that have reported their session */
	bool works;	/* the library that is being asked has begun */
	bool behind;	/* the ring still has records */
	size_t chosen;	/* methods */
	uint64_t took;	/* ns, until all libraries had begun */
	pid_t asked;	/* the process that is being asked */
	uint64_t since; /* when; 0: the user knows that it takes long */
	size_t refused; /* processes that gnomon does without */
	size_t told;	/* bytes of the session's warning that were shown */
};

#endif
