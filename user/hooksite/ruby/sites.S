/* SPDX-License-Identifier: BSD-2-Clause */
#include "../call_sites.h"

	GN_CALL_SITES gnomon_ruby
	GN_CALL_SITE gnomon_ruby, gc_begin, ""
	GN_CALL_SITE gnomon_ruby, gc_end, ""
