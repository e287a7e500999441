/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What -a asks for: 'FUNC:VALUE[,VALUE...]'. FUNC is a pattern as in -f
 * (filter.h). A VALUE is arg1 to arg6, ret or this. A slash and a type from
 * GN_VALUE_LIST can follow; the default is i64. Integers and pointers are read
 * from the registers of the System V ABI. Floating-point parameters are
 * numbered separately, by values of type f32 or f64. No register is read for
 * these, for classes and for "this" (GN_HOW_NONE). "this" is the object of a
 * method; its class is reported.
 *
 * For USDT probes, a VALUE is arg1 to arg12. The probe's note says where the
 * value is (gn_asked_of_probe()) and, unless a type is given, which integer it
 * is.
 */
#ifndef GNOMON_RUNTIME_VALUES_H
#define GNOMON_RUNTIME_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include <gnomon/spec.h>
#include "elf/notes.h"

struct gn_asked {
	char *function; /* freed with gn_asked_clear() */
	/* for USDT probes: no places; size 0 if no type is given */
	struct gn_value_specs values;
};

/* 0, -ENOMEM, or -EINVAL: then *at is the wrong place in `text`, and *want says
 * what can stand there. */
int gn_asked_parse(const char *text, struct gn_asked *out, size_t *at,
		   const char **want);
void gn_asked_clear(struct gn_asked *a);

/* Whether both ask for the same value. Floating-point parameters are numbered
 * separately from the others. */
bool gn_asked_same(const struct gn_value_spec *a,
		   const struct gn_value_spec *b);

/* Whether values of this type are in integer registers: only these can be read
 * from native functions. */
bool gn_asked_by_register(uint8_t type);

/* Finds the value that was asked for in the probe's note. NULL, or the reason
 * why it cannot be read, for the user. */
const char *gn_asked_of_probe(const struct gn_value_spec *asked,
			      const struct gn_note *note,
			      struct gn_value_spec *out);

#endif
