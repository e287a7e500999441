// SPDX-License-Identifier: BSD-2-Clause
#include "api.h"

#include <dlfcn.h>
#include <stddef.h>

struct gn_mono_api gn_mono_api;

bool gn_mono_find(void *loaded)
{
#define FIND(member, name, ...)                              \
	*(void **)&gn_mono_api.member = dlsym(loaded, name); \
	if (!gn_mono_api.member)                             \
		return false;
	GN_MONO_API_LIST(FIND)
#undef FIND
	return true;
}
