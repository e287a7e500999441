/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a model in a format and reads it back. Text for people must be UTF-8
 * without terminal controls. CSV must be rectangular. jansson must be able to
 * read JSON, with the names unchanged.
 */
#ifndef GNOMON_TESTS_SHOW_H
#define GNOMON_TESTS_SHOW_H

#include "model/model.h"

/* Shows the model in one of all ways. Any number is valid. */
void gn_show(const struct gn_model *m, unsigned int how);

/* Shows a period of the live view: batch rows, JSON lines or Prometheus. */
void gn_show_period(const struct gn_model *m, unsigned int how);

#endif
