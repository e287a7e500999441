/* SPDX-License-Identifier: BSD-2-Clause */
/* The roles of functions and threads of all runtimes, for the model. */
#ifndef GNOMON_RUNTIME_ROLES_H
#define GNOMON_RUNTIME_ROLES_H

#include <gnomon/roles.h>

/* A glob for the full name of a function or thread. The first match counts. */
struct gn_role_glob {
	const char *glob;
	enum gn_role role;
};

/* What a runtime knows of its own functions and threads. */
struct gn_role_list {
	const struct gn_role_glob *globs; /* the last one is NULL */
	/* For names as the kernel has them (15 bytes); or NULL. */
	const struct gn_role_glob *threads;
};

extern const struct gn_role_list gn_clr_roles;

/* Functions of .NET's class library, which Mono has, too. */
extern const struct gn_role_glob gn_dotnet_waits[];

extern const struct gn_roles gn_runtime_roles;

#endif
