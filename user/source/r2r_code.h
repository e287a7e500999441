/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the methods of a module's precompiled code from its file: the entry
 * points of methods and of instances of generic ones, and the table of
 * functions (ReadyToRun images; readytorun-format.md of the runtime). The
 * module is hostile.
 */
#ifndef GNOMON_SOURCE_R2R_CODE_H
#define GNOMON_SOURCE_R2R_CODE_H

#include "hooksite/clr/md_name.h"
#include "hooksite/clr/pe.h"

struct gn_r2r_code {
	uint32_t start, end; /* addresses in the module */
	uint32_t method;     /* a row of the module's methods; 0: no name */
	/* The signature of an instance (ReadyToRunMethodSigFlags and its data),
	 * in the module's memory; none: the method is not generic. */
	struct gn_bytes instance;
};

/* Whether it is a composite image: one with the code of several modules, which
 * are in other files. */
bool gn_r2r_code_composite(const struct gn_pe *pe);

/* All code that has an entry point, sorted by address; malloc'ed. NULL and 0:
 * there is none. 0, -EBADMSG: the image is invalid, -ENOMEM. */
int gn_r2r_code_read(const struct gn_pe *pe, struct gn_r2r_code **code,
		     size_t *n);

/* The code at an address, or NULL. */
const struct gn_r2r_code *gn_r2r_code_at(const struct gn_r2r_code *code,
					 size_t n, uint32_t address);

/* Appends the method's name, in the form of a hook-site library. */
void gn_r2r_code_name(const struct gn_md *md, const struct gn_r2r_code *code,
		      struct gn_text *name);

#endif
