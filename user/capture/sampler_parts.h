/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of sampler.c: what is in the memory of processes, and its names. */
#ifndef GNOMON_CAPTURE_SAMPLER_PARTS_H
#define GNOMON_CAPTURE_SAMPLER_PARTS_H

#include "capture/interpreter_file.h"
#include "capture/sampler.h"
#include "process/maps.h"

/* Limits of what traced programs can make gnomon keep. */
#define GN_PLACES_PROCESSES 4096
#define GN_PLACES_THREADS   65536
#define GN_PLACES_MAX	    (1u << 20) /* of mappings and of code, in all */
#define GN_MODULES_FILES    1024
#define GN_MODULES_BYTES    (1ull << 30)

/* Memory of a process that holds code: of a file, or made by a runtime. */
struct gn_place {
	uint64_t start, end;
	uint64_t offset; /* of a file */
	uint64_t since;	 /* when it was mapped; 0: before the first look */
	uint32_t what;	 /* the module of a mapping, or the function of code */
	uint32_t order;	 /* rank in the order of arrival */
};

struct gn_place_list {
	struct gn_place *place; /* `sorted` ones by start, then the rest */
	size_t n, sorted, room;
	uint32_t told;
};

struct gn_place_process {
	uint32_t pid;
	bool jvm;   /* a Java machine that was traced from its start */
	bool ahead; /* it was looked at before its first record */
	/* its interpreter, or NULL: none so far; the module that it is in, and
	 * where the first byte of its file would be */
	const struct gn_interpreter_file *its;
	uint32_t module;
	uint64_t base;
	uint64_t began;	 /* when it, or the program that it runs, began */
	uint32_t losses; /* losses known when its mappings were read */
	uint64_t ended;	 /* its rank among ended processes; 0: it runs */
	struct gn_place_list mapped, code;
};

/* places.c: processes and their memory. */
struct gn_places {
	struct gn_place_process *process;
	size_t n, last, room;
	uint64_t ends;
	size_t held; /* places of all */
	struct gn_place_thread {
		uint32_t tid, pid;
	} * thread;
	size_t nthreads, threads_room;
};

struct gn_place_process *gn_places_find(struct gn_places *p, uint32_t pid);
/* Adds a process without memory, in place of an older one with this id. If
 * there is no room, it replaces the process that ended first. NULL: all run. */
struct gn_place_process *gn_places_process(struct gn_places *p, uint32_t pid);
/* Gives `to` the memory of process `from`. */
void gn_places_copy(struct gn_places *p, struct gn_place_process *to,
		    uint32_t from);
/* Adds a place. If there is no room, the places of ended processes are
 * forgotten; if all run, the new place is left out, and has no name. */
void gn_places_add(struct gn_places *p, struct gn_place_list *list,
		   const struct gn_place *place);
void gn_places_clear(struct gn_places *p, struct gn_place_list *list);
/* Drops the places that were there at `time`. */
void gn_places_after(struct gn_places *p, struct gn_place_list *list,
		     uint64_t time);
/* The place that was at `addr` at `time`, or NULL. */
const struct gn_place *gn_places_at(const struct gn_place_list *list,
				    uint64_t addr, uint64_t time);
void gn_places_thread(struct gn_places *p, uint32_t tid, uint32_t pid);
/* A process ends with its last thread. What is known of it is kept while there
 * is room: the record of another thread can have been lost. */
void gn_places_thread_ends(struct gn_places *p, uint32_t tid);
uint32_t gn_places_process_of(const struct gn_places *p, uint32_t tid);
void gn_places_free(struct gn_places *p);

/* sampler_names.c: files and the functions in them. */
struct gn_sampler_names;

struct gn_sampler_names *gn_sampler_names_new(gn_sampler_put put, void *ctx);
void gn_sampler_names_free(struct gn_sampler_names *n);
/* The number of files beyond the limit: their code has no names. */
#define GN_MODULE_UNKNOWN UINT32_MAX

/* The number of a file that a process has mapped, by this path or another one
 * that ends alike. `time`: when it mapped the file; 0: now. */
uint32_t gn_sampler_names_module(struct gn_sampler_names *n, uint32_t pid,
				 uint64_t time, const struct gn_file_id *id,
				 const char *path);
/* The function at an offset of the file, which a process has mapped.
 * "[unknown]" is a function, too, and so is "[file not read]". */
uint32_t gn_sampler_names_at(struct gn_sampler_names *n, uint32_t pid,
			     uint32_t module, uint64_t offset);
/* The interpreter in a file. One that its name tells is looked at now; others
 * have been looked at if there was a sample in them. NULL: none. */
const struct gn_interpreter_file *
gn_sampler_names_interpreter(struct gn_sampler_names *n, uint32_t pid,
			     uint32_t module);
/* A function that no file of code has; 0: no room. The caller names it. */
uint32_t gn_sampler_names_new_function(struct gn_sampler_names *n);
/* The function that stands for code without a file. */
enum gn_made {
	GN_MADE_UNKNOWN,
	GN_MADE_INTERPRETED,
	GN_MADE_ENDED,	 /* its process ended before its mappings were read */
	GN_MADE_CALLERS, /* of an interpreter, which the sample does not have */
	/* functions of interpreters whose names are lost, beside
	 * enum gn_interpreter_kind */
	GN_MADE_NAMELESS,
	GN_MADE_COUNT = GN_MADE_NAMELESS + GN_INTERPRETER_KINDS,
};
uint32_t gn_sampler_names_made(struct gn_sampler_names *n, enum gn_made what);

/* sampler_interpreters.c: what the BPF programs are told of processes that run
 * interpreters. */
struct gn_sampler_interpreters {
	struct gn_sampler_names *names;
	struct gn_interpreter *slots; /* NULL: none */
	uint32_t *any;		      /* one is in use */
	/* samples without the functions of the interpreter: too early, and of
	 * an unknown version */
	uint64_t early[GN_INTERPRETER_KINDS], unknown[GN_INTERPRETER_KINDS];
};

/* Notes that the file mapped there has the process's interpreter, if it has. */
void gn_interpreters_note(struct gn_sampler_interpreters *in,
			  struct gn_place_process *p,
			  const struct gn_place *at);
/* The process has no interpreter any more. */
void gn_interpreters_forget(struct gn_sampler_interpreters *in,
			    struct gn_place_process *p);
/* A forked child has the interpreter of its parent, which may be NULL. */
void gn_interpreters_inherit(struct gn_sampler_interpreters *in,
			     struct gn_place_process *p,
			     const struct gn_place_process *parent);
/* A process has ended. */
void gn_interpreters_end(struct gn_sampler_interpreters *in, uint32_t pid);
/* Counts a sample of the process for which its interpreter was not known. */
void gn_interpreters_missed(struct gn_sampler_interpreters *in,
			    const struct gn_place_process *p);
uint64_t gn_interpreters_count(const struct gn_sampler_interpreters *in,
			       uint32_t counter);

/* sampler_functions.c: functions of interpreters. */
struct gn_sampler_functions;

struct gn_sampler_functions *
gn_sampler_functions_new(gn_sampler_put put, void *ctx,
			 struct gn_sampler_names *names);
void gn_sampler_functions_free(struct gn_sampler_functions *p);
/* Takes the name of a function; `pid`: a process that has it. */
void gn_sampler_functions_name(struct gn_sampler_functions *p, uint32_t pid,
			       const struct gn_rec_interpreted *r);
/* The function of an index; 0: its name is lost. */
uint32_t gn_sampler_functions_at(struct gn_sampler_functions *p,
				 uint32_t index);

#endif
