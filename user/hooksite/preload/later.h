/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that loads its runtime while it runs. */
#ifndef GNOMON_HOOKSITE_PRELOAD_LATER_H
#define GNOMON_HOOKSITE_PRELOAD_LATER_H

/* Loads the library of a runtime that has come since the program began. */
void gn_later_look(void);

#endif
