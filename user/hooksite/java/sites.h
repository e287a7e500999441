/* SPDX-License-Identifier: BSD-2-Clause */
/* The sites that the library for Java adds. */
#ifndef GNOMON_JAVA_SITES_H
#define GNOMON_JAVA_SITES_H

#include "../call_sites.h"

/* The first of the sites of which each gnomon has its own. */
void gn_site_java_lives(void);
/* Around the library's work for a session. */
void gn_site_java_own_begin(void);
void gn_site_java_own_end(void);

#endif
