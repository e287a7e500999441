// SPDX-License-Identifier: BSD-2-Clause
#include "mend_elf.h"

#include <string.h>

void gn_fuzz_mend_elf(uint8_t *bytes, size_t size)
{
	static const uint8_t ident[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};

	if (size < 64)
		return;
	memcpy(bytes, ident, sizeof(ident));
	bytes[16] = bytes[16] & 1 ? 3 : 2; /* a library or a program */
	bytes[17] = 0;
	bytes[18] = 62; /* x86-64 */
	bytes[19] = 0;
	bytes[54] = 56; /* size of a program header */
	bytes[55] = 0;
	bytes[58] = 64; /* size of a section header */
	bytes[59] = 0;
}
