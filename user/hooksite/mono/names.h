/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of methods, in the form of names/clr_name.h. */
#ifndef GNOMON_MONO_NAMES_H
#define GNOMON_MONO_NAMES_H

#include <stdint.h>

#include <gnomon/event.h>
#include "api.h"

struct gn_names {
	char name[GN_SENT_NAME_MAX];
	char module[GN_SENT_MODULE_MAX]; /* the path of its assembly */
	uint32_t token; /* of the method in its module; 0: none */
};

/* Mono may load types for this. */
void gn_names_of(gn_mono method, struct gn_names *n);

/* The same for a class; its token is 0. */
void gn_names_of_class(gn_mono class, struct gn_names *n);

#endif
