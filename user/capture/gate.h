/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs of the command wait here before they start another one, so that it
 * has its probes when it begins: gnomon's preloaded library in them sends the
 * file (gnomon/preload.h). Programs without the library do not wait.
 */
#ifndef GNOMON_CAPTURE_GATE_H
#define GNOMON_CAPTURE_GATE_H

#include <sys/types.h>

struct gn_gate;
struct gn_later;

/* Programs of this user may wait. NULL: there can be no gate. */
struct gn_gate *gn_gate_new(uid_t uid);
/* What the library needs to know. */
const char *gn_gate_name(const struct gn_gate *g);
/* Hands on who waits. Without a thread for it, nobody waits. NULL is fine, here
 * and below. */
void gn_gate_serve(struct gn_gate *g, struct gn_later *l);
/* From now on nobody waits who was not handed on. */
void gn_gate_close(struct gn_gate *g);
void gn_gate_free(struct gn_gate *g);

#endif
