/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_HOOKSITE_PRELOAD_SITES_H
#define GNOMON_HOOKSITE_PRELOAD_SITES_H

#include <stdint.h>

/* A count about the session (gnomon/selected.h). */
void gn_site_preload_selected(uint64_t what, uint64_t n);

/* The first of the sites of which each gnomon has its own. */
void gn_site_preload_lives(void);

#endif
