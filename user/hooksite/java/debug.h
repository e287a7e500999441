/* SPDX-License-Identifier: BSD-2-Clause */
/* What a Code attribute says of its instructions: lines, variables, and
 * annotations of types (JVMS 4.7.12 to 4.7.14, 4.7.20). */
#ifndef GNOMON_JAVA_DEBUG_H
#define GNOMON_JAVA_DEBUG_H

#include "layout.h"

/* Each writes the attribute's content, and returns 0 or an enum
 * gn_java_refusal. */
int gn_java_put_lines(const struct gn_java_layout *l, struct gn_java_in *in,
		      struct gn_java_out *out);
/* LocalVariableTable and LocalVariableTypeTable */
int gn_java_put_variables(const struct gn_java_layout *l, struct gn_java_in *in,
			  struct gn_java_out *out);
/* Runtime(In)VisibleTypeAnnotations. HotSpot does not read them in code, so
 * those that cannot be understood stay as they are. */
void gn_java_put_annotations(const struct gn_java_layout *l,
			     struct gn_java_in *in, struct gn_java_out *out);

#endif
