/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of time classes for people, by number. */
#ifndef GNOMON_OUTPUT_CLASSES_H
#define GNOMON_OUTPUT_CLASSES_H

#include <stdint.h>

#include <gnomon/time_class.h>

/* The word of a class; "unknown" for a number that is not a class. */
const char *gn_class_text(int class);
/* The word in at most 5 columns ("?"), a letter ('?'), and a help text (""). */
const char *gn_class_short(int class);
char gn_class_letter(int class);
const char *gn_class_help(int class);

/* The i-th class in the order of reports. */
int gn_class_at(int i);

/* Time on a CPU. */
uint64_t gn_class_cpu_ns(const uint64_t classes[GN_CLASS_COUNT]);

#endif
