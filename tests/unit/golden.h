/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts that must be what they were. */
#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

/* Compares with tests/golden/FOLDER/NAME and fails when it differs. With
 * GN_UPDATE_GOLDEN in the environment that file is written instead. */
void golden_compare(const char *folder, const char *name, const char *text);

#endif
