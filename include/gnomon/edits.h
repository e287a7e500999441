/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether .NET programs with this environment can be edited while they run. */
#ifndef GNOMON_EDITS_H
#define GNOMON_EDITS_H

#include <stdlib.h>
#include <strings.h>

/* The name of the variable that makes modules of debug builds editable, or
 * NULL. The runtime does not recompile methods of editable modules. */
static inline const char *gn_edits(void)
{
	static const char *const names[] = {"DOTNET_MODIFIABLE_ASSEMBLIES",
					    "COMPlus_MODIFIABLE_ASSEMBLIES"};
	const char *name = names[getenv(names[0]) ? 0 : 1];
	const char *value = getenv(name);

	return value && !strcasecmp(value, "debug") ? name : NULL;
}

#endif
