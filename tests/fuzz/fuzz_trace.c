/* SPDX-License-Identifier: BSD-2-Clause */
/* For libFuzzer: fuzz_trace CORPUS-FOLDER */
#include "feed.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	gn_feed(bytes, size);
	return 0;
}
