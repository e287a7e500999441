/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares texts with golden files. */
#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

/* Compares with tests/golden/FOLDER/NAME and fails if the text differs. If
 * GN_UPDATE_GOLDEN is in the environment, writes that file instead. */
void golden_compare(const char *folder, const char *name, const char *text);

#endif
