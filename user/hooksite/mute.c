// SPDX-License-Identifier: BSD-2-Clause
#include "mute.h"

extern _Atomic(uint8_t) gnomon_mute[GN_INDEX_MAX + 1]
	__attribute__((visibility("default")));
_Atomic(uint8_t) gnomon_mute[GN_INDEX_MAX + 1];

extern _Atomic(uint8_t) gn_mute[GN_INDEX_MAX + 1]
	__attribute__((alias("gnomon_mute"), visibility("hidden")));
