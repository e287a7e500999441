/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether BPF programs may read the kernel's memory, as all of gnomon's do. A
 * kernel that is locked down for confidentiality forbids it. */
#ifndef GNOMON_CAPTURE_LOCKDOWN_H
#define GNOMON_CAPTURE_LOCKDOWN_H

/* 0; -EPERM: no program can be loaded at all; or the kernel's error. */
int gn_lockdown_check(void);

/* Texts for that case: what is wrong, and what to do. */
#define GN_LOCKDOWN_WHAT "the kernel does not let BPF programs read its memory"
#define GN_LOCKDOWN_TODO \
	"it is locked down (confidentiality): boot with lockdown=integrity"

#endif
