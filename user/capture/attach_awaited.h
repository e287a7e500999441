/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes of runtimes that a traced process can start, where the kernel has no
 * multi links. For each perf event the kernel waits up to a tenth of a second
 * when it is removed, and does not remove two at a time. So the probes of all
 * these files share as few events as possible, though most of the files are
 * never mapped.
 */
#ifndef GNOMON_CAPTURE_ATTACH_AWAITED_H
#define GNOMON_CAPTURE_ATTACH_AWAITED_H

#include <stdbool.h>

struct gn_probe_group;
struct gn_session;

/* Whether the probes of this group are such ones. */
bool gn_awaited_has(const struct gn_session *s, const struct gn_probe_group *g);

/* Guards the files, and attaches their probes. 0, or the session has failed. */
int gn_awaited_attach(struct gn_session *s);

#endif
