/* SPDX-License-Identifier: BSD-2-Clause */
#include "../call_sites.h"

	GN_CALL_SITES gnomon_php
