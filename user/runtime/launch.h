/* SPDX-License-Identifier: BSD-2-Clause */
/* What runtimes add to a command. Each adds only its own part. */
#ifndef GNOMON_RUNTIME_LAUNCH_H
#define GNOMON_RUNTIME_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

struct gn_launch {
	const char *program;  /* the file that is started */
	const char *library;  /* the runtime's hook-site library, or NULL */
	const char *filter;   /* in the form of that library: a glob a line */
	const char *inlining; /* of traced functions: "keep", "refuse", "" */
	/* "rejit", "auto", or "" for the hooks of the runtime itself */
	const char *hooks;
	bool refuses;	/* set by a runtime that never inlines what is traced */
	bool fast;	/* hooks without a trap are asked for */
	bool lends;	/* a preloaded library keeps variables from programs */
	bool set_later; /* options are set in the memory of what starts */
	bool jvm;	/* methods of JVMs get hooks in their bytecode */
	/* functions that -a asks for: gn_prepare_values() */
	const char *values;
	const char *families; /* of events (enum gn_family), in hexadecimal */
	const char *why;      /* the variable of another profiler */
	/* NAME=VALUE, and arguments to insert after the command's name. Both
	 * lists end with NULL, or are NULL. */
	char **env;
	size_t nenv;
	char **arg;
	size_t nargs;
	int keep; /* a descriptor that the command inherits; 0: none */
};

/* 0 or -ENOMEM. */
int gn_launch_env(struct gn_launch *l, const char *name, const char *value);
/* The same for a variable that only the runtime itself may see. */
int gn_launch_lend(struct gn_launch *l, const char *name, const char *value);
/* The dynamic linker loads this library after those that are preloaded
 * already: a sanitizer must be the first. */
int gn_launch_preload(struct gn_launch *l, const char *library);
/* Preloads this library in the programs of the command, and asks it for hooks
 * (gnomon/preload.h). */
int gn_launch_hooked(struct gn_launch *l, const char *library);
/* That library lends variables, and does nothing else. */
int gn_launch_lender(struct gn_launch *l, const char *library);
int gn_launch_arg(struct gn_launch *l, const char *arg);

/* The command with the added arguments. The caller frees the array with free(),
 * but not the texts, which belong to the command and the launch. NULL: no
 * memory. */
char **gn_launch_command(const struct gn_launch *l, char *const *command);

void gn_launch_clear(struct gn_launch *l);

#endif
