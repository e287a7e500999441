/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model in the formats, read back: text for people is UTF-8 that a terminal
 * does not obey, CSV is rectangular, JSON is read by jansson and has the names
 * as they are.
 */
#ifndef GNOMON_TESTS_SHOW_H
#define GNOMON_TESTS_SHOW_H

#include "model/model.h"

/* One of all ways to show a model; any number is one. */
void gn_show(const struct gn_model *m, unsigned int how);

/* A period of the live view: batch rows, JSON lines, Prometheus. */
void gn_show_period(const struct gn_model *m, unsigned int how);

#endif
