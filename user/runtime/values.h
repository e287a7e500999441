/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What -a asks for: 'FUNC:VALUE[,VALUE...]'. FUNC is as of -f (filter.h). A
 * VALUE is arg1 to arg6 or ret, and behind a slash its type: one of
 * GN_VALUE_LIST, i64 unless given. They are where the System V ABI has integers
 * and pointers. Parameters in floating point are counted apart, by values of
 * type f32 or f64; these and classes are read by no register (GN_HOW_NONE), nor
 * is "this", a method's object, of which the class is told.
 *
 * Where FUNC is of USDT probes, a VALUE is arg1 to arg12. The probe's note says
 * where it is (gn_asked_of_probe()), and which integer it is unless a type is
 * given.
 */
#ifndef GNOMON_RUNTIME_VALUES_H
#define GNOMON_RUNTIME_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include <gnomon/spec.h>
#include "elf/notes.h"

struct gn_asked {
	char *function; /* freed with gn_asked_clear() */
	/* of USDT probes: no places; their size is 0 if no type is given */
	struct gn_value_specs values;
};

/* 0, -ENOMEM, or -EINVAL: then *at is the place in `text` that is wrong, and
 * *want a sentence about what can stand there. */
int gn_asked_parse(const char *text, struct gn_asked *out, size_t *at,
		   const char **want);
void gn_asked_clear(struct gn_asked *a);

/* Whether both are one value. Number `which` of those in floating point is
 * another than that of the others. */
bool gn_asked_same(const struct gn_value_spec *a,
		   const struct gn_value_spec *b);

/* Whether a native function can have a value of this type. */
bool gn_asked_by_register(uint8_t type);

/* The value that was asked for as the probe has it: NULL, or why it cannot be
 * told, for people. */
const char *gn_asked_of_probe(const struct gn_value_spec *asked,
			      const struct gn_note *note,
			      struct gn_value_spec *out);

#endif
