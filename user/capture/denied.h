/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_CAPTURE_DENIED_H
#define GNOMON_CAPTURE_DENIED_H

#include <stdbool.h>
#include <sys/capability.h>

/* Whether gnomon has the capability now. */
bool gn_capable(cap_value_t cap);

/* Why gnomon may not load BPF programs. */
struct gn_denied {
	char what[128];
	const char *todo; /* static: what to do about it */
};

/* Whether an error of bpf(2) means a refusal, rather than that the kernel lacks
 * something. Seccomp filters can answer -ENOSYS, too. */
bool gn_denied_by(int err);

/* Finds the reason for such an error. */
void gn_denied_find(int err, struct gn_denied *d);

/* What to do about a process that cannot be read, as a text to append to the
 * sentence that says so: begins with "; ", or is empty. */
const char *gn_denied_process(int err);

/* What to do about a thread or process that cannot be started. */
const char *gn_denied_start(int err);

/* What to do about probes that cannot be attached. NULL: no advice. */
const char *gn_denied_probes(int err);

#endif
