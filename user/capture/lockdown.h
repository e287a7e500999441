/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the kernel lets BPF programs read its own memory, as all of gnomon's
 * do. One that is locked down for confidentiality does not. */
#ifndef GNOMON_CAPTURE_LOCKDOWN_H
#define GNOMON_CAPTURE_LOCKDOWN_H

/* 0, -EPERM where it loads no program at all, or the kernel's error. */
int gn_lockdown_check(void);

/* What to say then, and what to do. */
#define GN_LOCKDOWN_WHAT "the kernel lets no BPF program read its memory"
#define GN_LOCKDOWN_TODO \
	"it is locked down (confidentiality): boot with lockdown=integrity"

#endif
