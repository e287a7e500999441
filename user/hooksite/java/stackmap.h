/* SPDX-License-Identifier: BSD-2-Clause */
/* StackMapTable (JVMS 4.7.4): frames move with their instructions, and our
 * handler has a frame. */
#ifndef GNOMON_JAVA_STACKMAP_H
#define GNOMON_JAVA_STACKMAP_H

#include "layout.h"

/* Writes the attribute's content: the frames in `in`, which may be empty, then
 * one for our handler. `throwable`: the Class constant. Returns 0 or an enum
 * gn_java_refusal. */
int gn_java_put_frames(const struct gn_java_layout *l, struct gn_java_in *in,
		       uint16_t throwable, struct gn_java_out *out);

#endif
