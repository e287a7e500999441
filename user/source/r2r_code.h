/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which method a module's precompiled code is of, by its file: the entry points
 * of methods and of instances of generic ones, and the table of functions
 * (ReadyToRun images; readytorun-format.md of the runtime). The module is
 * hostile.
 */
#ifndef GNOMON_SOURCE_R2R_CODE_H
#define GNOMON_SOURCE_R2R_CODE_H

#include "hooksite/clr/md_name.h"
#include "hooksite/clr/pe.h"

struct gn_r2r_code {
	uint32_t start, end; /* addresses in the module */
	uint32_t method;     /* a row of its methods; 0: it cannot be named */
	/* The signature of an instance (ReadyToRunMethodSigFlags and what
	 * follows); none: the method is not generic. In the module. */
	struct gn_bytes instance;
};

/* Whether it is a composite image: it has the code of several modules, which
 * are in other files. */
bool gn_r2r_code_composite(const struct gn_pe *pe);

/* All code that an entry point leads to, sorted by address; malloc'ed. NULL and
 * 0: there is none. 0, -EBADMSG: it is not as the runtime has it, -ENOMEM. */
int gn_r2r_code_read(const struct gn_pe *pe, struct gn_r2r_code **code,
		     size_t *n);

/* The code at an address, or NULL. */
const struct gn_r2r_code *gn_r2r_code_at(const struct gn_r2r_code *code,
					 size_t n, uint32_t address);

/* Appends the method's name, as a hook-site library has it. */
void gn_r2r_code_name(const struct gn_md *md, const struct gn_r2r_code *code,
		      struct gn_text *name);

#endif
