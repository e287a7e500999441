/* SPDX-License-Identifier: BSD-2-Clause */
/* The lists of all runtimes, for the model. */
#ifndef GNOMON_RUNTIME_ROLES_H
#define GNOMON_RUNTIME_ROLES_H

#include <gnomon/roles.h>

/* A function or thread whose full name matches; the first that does counts. */
struct gn_role_glob {
	const char *glob;
	enum gn_role role;
};

/* What a runtime knows of its own functions and threads. */
struct gn_role_list {
	const struct gn_role_glob *globs; /* the last one is NULL */
	/* Of names as the kernel has them (15 bytes); or NULL. */
	const struct gn_role_glob *threads;
};

extern const struct gn_role_list gn_clr_roles;

extern const struct gn_roles gn_runtime_roles;

#endif
