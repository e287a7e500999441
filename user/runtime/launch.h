/* SPDX-License-Identifier: BSD-2-Clause */
/* What runtimes add to a command: each its own, and nothing of another's. */
#ifndef GNOMON_RUNTIME_LAUNCH_H
#define GNOMON_RUNTIME_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

struct gn_launch {
	const char *program;  /* the file that is started */
	const char *library;  /* the runtime's hook-site library, or NULL */
	const char *filter;   /* as that library reads it: a glob a line */
	const char *inlining; /* of traced functions: "keep", "refuse", "" */
	/* "rejit", "auto", or "" for the hooks of the runtime itself */
	const char *hooks;
	bool fast; /* hooks without a trap are asked for */
	const char
		*values; /* functions that -a asks for: gn_prepare_values() */
	const char *families; /* of events, enum gn_family: hexadecimal */
	const char *why;      /* what another profiler uses */
	/* NAME=VALUE, and arguments that follow the command's name; both are
	 * ended by NULL, or NULL. */
	char **env;
	size_t nenv;
	char **arg;
	size_t nargs;
	int keep; /* a descriptor that the command inherits; 0: none */
};

/* -ENOMEM. */
int gn_launch_env(struct gn_launch *l, const char *name, const char *value);
int gn_launch_arg(struct gn_launch *l, const char *arg);

/* The command with all that was added: an array that free() frees, of texts
 * that are the command's and the launch's. NULL: no memory. */
char **gn_launch_command(const struct gn_launch *l, char *const *command);

void gn_launch_clear(struct gn_launch *l);

#endif
