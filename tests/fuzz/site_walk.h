/* SPDX-License-Identifier: BSD-2-Clause */
/* What must be true of a plan, asked of the code itself. */
#ifndef GNOMON_TESTS_SITE_WALK_H
#define GNOMON_TESTS_SITE_WALK_H

#include "site/site.h"

/* Each site is an instruction of the file that the kernel probes. */
void gn_walk_sites(const struct gn_elf *elf, const struct gn_elf_symbol *sym,
		   const struct gn_plan *plan);

/*
 * A walk through the function, by jumps that `seed` chooses, with the stack
 * pointer followed as far as pushes, pops, sums and frame pointers tell it. On
 * its way the enter site is passed once, each site with the frame's key right,
 * and at the return one leave was passed.
 */
void gn_walk(const struct gn_elf *elf, const struct gn_elf_symbol *sym,
	     const struct gn_plan *plan, uint32_t seed);

#endif
