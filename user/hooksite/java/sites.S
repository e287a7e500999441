/* SPDX-License-Identifier: BSD-2-Clause */
#include "../call_sites.h"

	GN_CALL_SITES gnomon_java
	GN_SITES_OWN gnomon_java, java_lives
	GN_CALL_SITE gnomon_java, java_own_begin, ""
	GN_CALL_SITE gnomon_java, java_own_end, ""
