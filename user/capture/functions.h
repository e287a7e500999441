/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes native functions: numbers them, writes their records, and adds their
 * probes. */
#ifndef GNOMON_CAPTURE_FUNCTIONS_H
#define GNOMON_CAPTURE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>
#include "process/files.h"
#include "runtime/probes.h"
#include "runtime/native.h"

struct gn_sled_table;

/* Functions whose arguments or results were requested. */
struct gn_valued {
	struct gn_filter *filter; /* of one glob */
	uint32_t enter, leave;	  /* their specs */
	const struct gn_value_specs *values;
	bool told; /* values that no native function has were reported */
};

struct gn_functions {
	const struct gn_files *files;
	/* their probes are added here, by index in `files` */
	struct gn_probes *probes;
	uint32_t next;	  /* index of the next function */
	uint32_t modules; /* the number of modules in other lists of files */
	bool session;	  /* enter and return are one link */
	bool verbose;	  /* those left out are named on stderr */
	/* functions with sleds go there, or NULL */
	struct gn_sled_table *sleds;
	struct gn_valued *valued;
	size_t nvalued;
	/* The spec of hits that report these values; <0: -errno. */
	int (*hit)(void *hits, const struct gn_value_specs *values);
	/* Sets the specs of calls that report these values. 0 or -errno. */
	int (*call)(void *hits, const struct gn_value_specs *values,
		    struct gn_valued *v);
	void *hits; /* the context of both */
	/* Takes a whole record. 0 or <0, which ends the walk. */
	int (*put)(void *ctx, const struct gn_rec *rec, size_t size);
	void *ctx;
	size_t last_file; /* index of the file whose MODULE was put last, + 1 */
	/* "name: why" of the first that are refused, for the trace */
	char refused[512];
	size_t nrefused;
	size_t usdt_refused; /* USDT probes; each is reported */
	char **name;	     /* verbose: by index */
	size_t names;
};

/* Whether -a takes the function's result: see struct gn_native_opts. */
bool gn_functions_result(const void *functions, size_t file, struct gn_elf *elf,
			 const struct gn_elf_symbol *sym);

/* A gn_native_fn over a struct gn_functions: FUNCTION and, once a file, MODULE
 * records, and the probes. */
int gn_functions_take(void *functions, size_t file, struct gn_elf *elf,
		      const struct gn_elf_symbol *sym,
		      const struct gn_plan *plan);

/* The same for a USDT probe: see struct gn_native_opts. */
int gn_functions_take_usdt(void *functions, size_t file, struct gn_elf *elf,
			   const struct gn_note *site, size_t count);

/* The same where a handler of an exception begins. */
int gn_functions_take_landing(void *functions, size_t file,
			      const struct gn_site *enter);

/* Reports which USDT probes were left out, and code that nobody could read. */
void gn_functions_tell_left(const struct gn_native_stats *stats);

/* For a struct gn_probe_set: names a function that the kernel refuses. */
void gn_functions_left_out(void *functions, uint64_t cookie, int err);

/* Frees the names. */
void gn_functions_clear(struct gn_functions *f);

#endif
