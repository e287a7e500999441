/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions as people know them. */
#ifndef GNOMON_PYTHON_NAMES_H
#define GNOMON_PYTHON_NAMES_H

#include <stdint.h>

#include <gnomon/event.h>
#include "api.h"

struct gn_names {
	char name[GN_SENT_NAME_MAX];	 /* json.decoder.JSONDecoder.decode */
	char module[GN_SENT_MODULE_MAX]; /* the source's path, or builtins */
	uint32_t line;			 /* the first; 0: none */
};

void gn_names_of_code(struct gn_py *frame, struct gn_py *code,
		      struct gn_names *n);
/* A function in C. `name`: in its definition. */
void gn_names_of_native(struct gn_py *function, const char *name,
			struct gn_names *n);

#endif
