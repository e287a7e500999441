/* SPDX-License-Identifier: BSD-2-Clause */
/* The whole model as plain text, for golden files. */
#ifndef GNOMON_TESTS_DUMP_H
#define GNOMON_TESTS_DUMP_H

#include <stdio.h>

#include "model/model.h"

void dump_model(const struct gn_model *m, FILE *f);

#endif
