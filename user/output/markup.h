/* SPDX-License-Identifier: BSD-2-Clause */
/* Escapes names for formats with markup. */
#ifndef GNOMON_OUTPUT_MARKUP_H
#define GNOMON_OUTPUT_MARKUP_H

#include <stdio.h>

/* 0 or -ENOMEM. */
int gn_markdown_text(FILE *f, const char *name);
int gn_xml_text(FILE *f, const char *name);

#endif
