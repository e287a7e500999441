/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables that gnomon lends the runtime while it begins. */
#ifndef GNOMON_CLR_LENT_H
#define GNOMON_CLR_LENT_H

/* Gives the program the variables that it would have without gnomon, if the
 * runtime's are lent. `unknown`: what the runtime passes at its start. */
void gn_clr_give_back(void *unknown);

#endif
