/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of a random program know of each other. */
#ifndef DRIVER_H
#define DRIVER_H

#include "fragment.h"

/* driver.c: a line of stdout, written at once */
void say(const char *word, const char *name, long value);

/* The program's own table, which is written for it. */
extern const struct step module_steps[];    /* ends with a NULL name */
extern void (*const module_counts[])(void); /* ends with NULL */
extern void module_ending(void);

/* late.c, or nolate.c in a static program: steps in dlopen()ed libraries */
long late_run(const struct step *s);
void late_counts(void);

#endif
