/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether clang has libFuzzer here. */
int LLVMFuzzerTestOneInput(const unsigned char *bytes, unsigned long size);

int LLVMFuzzerTestOneInput(const unsigned char *bytes, unsigned long size)
{
	return size > 1 && bytes[0] && bytes[1] ? 0 : 0;
}
