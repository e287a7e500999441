/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_TESTS_MEND_ELF_H
#define GNOMON_TESTS_MEND_ELF_H

#include <stddef.h>
#include <stdint.h>

/* Repairs what stops a reader of the file at once: its ELF header. */
void gn_fuzz_mend_elf(uint8_t *bytes, size_t size);

#endif
