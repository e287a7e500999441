/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of a plan against the code itself. */
#ifndef GNOMON_TESTS_SITE_WALK_H
#define GNOMON_TESTS_SITE_WALK_H

#include "site/site.h"

/* Each site must be an instruction in the file that the kernel can probe. */
void gn_walk_sites(const struct gn_elf *elf, const struct gn_elf_symbol *sym,
		   const struct gn_plan *plan);

/*
 * Walks through the function. `seed` chooses the jumps. The walk follows the
 * stack pointer as far as pushes, pops, additions and frame pointers determine
 * it. It must pass the enter site once, find the right frame key at each site,
 * and have passed one leave when it returns.
 */
void gn_walk(const struct gn_elf *elf, const struct gn_elf_symbol *sym,
	     const struct gn_plan *plan, uint32_t seed);

#endif
