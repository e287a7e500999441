/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of methods as people write them: Foo::Bar#baz, Foo.qux for a method of
 * the class itself, #<Foo>.qux for one of a single object, block in Foo#bar.
 * Classes without a name get one without an address, the same in every run.
 */
#ifndef GNOMON_RUBY_NAMES_H
#define GNOMON_RUBY_NAMES_H

#include <stdbool.h>

#include <gnomon/event.h>
#include "api.h"
#include "../fiber_calls.h"

struct gn_names {
	char name[GN_SENT_NAME_MAX];
	char module[GN_SENT_MODULE_MAX]; /* the source's path, or C */
	uint32_t line; /* where a method begins; 0: not known */
	bool unnamed;  /* the class has no name, but may get one */
};

/* `class` 0: a block outside of methods, whose frame is `frame`. */
void gn_names_of(struct gn_rb_event *e, enum gn_call_kind kind,
		 gn_rb_value class, gn_rb_id id, gn_rb_value frame,
		 struct gn_names *n);

#endif
