/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runtimes as data: how each is recognised, what a command that starts it gets
 * added, where its hook sites are and what they mean, and how its names read.
 * runtimes.c is the list; a runtime is one file.
 */
#ifndef GNOMON_RUNTIME_RUNTIME_H
#define GNOMON_RUNTIME_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>
#include <gnomon/hook.h>
#include "elf/elf_head.h"
#include "elf/notes.h"
#include "runtime/attach.h"
#include "runtime/launch.h"
#include "runtime/managed.h"
#include "runtime/probes.h"
#include "runtime/roles.h"
#include "runtime/specs.h"

/*
 * A hook site: a USDT probe, and what it means. Its note says where its
 * arguments are; here they are numbered from 1, and 0 is none.
 */
struct gn_runtime_site {
	const char *name;     /* in its note */
	const char *provider; /* NULL: the runtime's */
	enum gn_prog prog;
	enum gn_kind kind; /* of the record; 0: none, or GN_PROG_NAME's */
	uint8_t func;	   /* the function's index */
	uint8_t frame;	   /* the frame key */
	/* Pointers to texts; the argument after each is its length. */
	uint8_t text[GN_SPEC_TEXTS];
	uint8_t form;  /* of the name that the texts make */
	uint8_t flags; /* enum gn_spec_flag */
	/* EVENT: which, and its values; CODE: its size is the first, and the
	 * frame key is where it is */
	enum gn_rt event;
	uint8_t value[GN_RT_VALUES];
};

#define GN_RUNTIME_OPTIONS 4

/* A variable of a runtime in which it keeps an option. */
struct gn_runtime_option {
	const char *name;
	uint32_t value;
	int8_t size; /* 1, 4 */
	bool needed; /* the last of them: all is in vain without it */
};

/* Where they are in a file, all as linked. */
struct gn_runtime_setup {
	const struct gn_runtime *runtime;
	uint64_t begin;	 /* what runs first of it */
	uint64_t read;	 /* the site where it has read its options */
	uint64_t needed; /* the option that is */
	uint64_t addr[GN_RUNTIME_OPTIONS]; /* 0: it has not this one */
	struct gn_elf_head head;
};

/* One that is installed: its folder and its version. <0 ends the search. */
typedef int (*gn_runtime_found_fn)(void *ctx, const char *root,
				   const char *version);

typedef int (*gn_runtime_core_fn)(void *ctx, const char *path);

struct gn_name_part {
	const char *text;
	size_t len;
};

/* A variable of an environment; NULL: it is not set. */
typedef const char *(*gn_env_fn)(const void *env, const char *name);

struct gn_runtime {
	enum gn_runtime_id id;
	const char *title; /* for people */
	const char *provider;
	const struct gn_runtime_site *sites;
	size_t nsites;
	/* The file name of its hook-site library; NULL: its sites are in
	 * `core`. */
	const char *library;
	const char *library_musl; /* the same for processes with musl */
	const char *core; /* the name of a file that is mapped where it runs */
	/* A word in the program file of a launcher of this runtime. */
	const char *marker;
	/* Variables by which scripts that start it are told options for it; and
	 * NULL. NULL: none are known. */
	const char *const *script_options;
	/* The name of a thread that it makes at its start, as the kernel has
	 * it (15 bytes); NULL: none that is only its own. */
	const char *thread;
	/* Of one without a library: the name of a thread that is only its own,
	 * and of a process with it of which no function was seen, why, and what
	 * to do. NULL: that is not told. */
	const char *own_thread, *lacking;
	/* That of one which it makes last: it can be asked from then on. NULL:
	 * as soon as it is mapped. */
	const char *last_thread;
	/* With it: whether it listens. Where its threads are not called so that
	 * is enough. */
	bool (*listens)(pid_t pid);
	/*
	 * The file with the sites that a launcher, or what a script starts,
	 * will map, PATH_MAX bytes.
	 * NULL: it has a library. -ENOENT: not known.
	 */
	int (*find_core)(const char *launcher, char *path);
	/* Calls `each` for the files with the sites that a program can map
	 * which the command starts: it may be anything. NULL: there is a
	 * library. 0 or what `each` said. */
	int (*find_cores)(gn_runtime_core_fn each, void *ctx);
	/*
	 * The options by which it tells of its functions, in the order in which
	 * they are set, and one without a name; and the site where it has read
	 * its options and used none. NULL: there are none.
	 */
	const struct gn_runtime_option *options;
	const char *options_read;
	/*
	 * What a command gets added. -EBUSY: somebody else needs the same;
	 * `why` of the launch says what.
	 */
	int (*prepare)(struct gn_launch *launch);
	/* The variable of an environment by which the runtime will not load
	 * the library, or NULL. */
	const char *(*hindered)(gn_env_fn get, const void *env);
	/* Whether a name is one that this line of the filter asks for. */
	bool (*matches)(const char *glob, const char *name, const char *module);
	/* What names begin with that are told though not asked for, and NULL;
	 * or NULL. */
	const char *const *always;
	/* The name and the module that texts of such a form make; both end
	 * with a NUL. NULL: no site has a form. */
	void (*name)(unsigned int form, const struct gn_name_part *part,
		     char *name, size_t name_size, char *module,
		     size_t module_size);
	const struct gn_role_list *roles; /* or NULL */
	/* What is not seen of a process that runs already. */
	const char *attached;
	/* The same of one that was not told to tell of its functions; NULL: it
	 * needs not be told. */
	const char *untold;
	/* Where its launcher runs the program in a new thread: what it is that
	 * --no-follow leaves out. NULL: it uses its first thread. */
	const char *apart;
	/* What it cannot do at all, a line each, and NULL; or NULL. */
	const char *const *limits;
	/*
	 * Calls `each` for every one that is installed; `home` is the traced
	 * user's. NULL: where it is cannot be told. 0 or what `each` said.
	 */
	int (*find)(const char *home, gn_runtime_found_fn each, void *ctx);
	const char *get; /* how to install it: a line, or NULL */
	/* Of processes that run already; NULL: they cannot be had. */
	const struct gn_runtime_attach *attach;
	/* Calls these for all modules that such a process has loaded; NULL:
	 * they cannot be listed. 0, what one of them returned, or -errno of
	 * what cannot be read. */
	int (*managed)(pid_t pid, const struct gn_managed_take *take);
	/* What `attach` does not trace of them, a line each, and NULL; or NULL.
	 */
	const char *const *unhooked;
};

/* NULL past the last. */
const struct gn_runtime *gn_runtime_at(size_t i);

/* NULL: none has the number. */
const struct gn_runtime *gn_runtime_of(uint32_t id);

/* Whether a file of this name is that which every program of it maps. */
bool gn_runtime_is_core(const struct gn_runtime *rt, const char *path);

/* The one whose sites are in a file of this name, or NULL. */
const struct gn_runtime *gn_runtime_with_core(const char *path);

/* Whether it tells when it stops the threads of its program. */
bool gn_runtime_stops(const struct gn_runtime *rt);

/* The runtime that a running process has, or NULL. `packed`: it is in the
 * program itself (a single file), and so are its modules. */
const struct gn_runtime *gn_runtime_running(pid_t pid, bool *packed);

/*
 * Waits for the runtime of a process that has just begun and whose program
 * starts one, until it can be asked. A while after the process's begin, or when
 * it has ended, that is given up. -EINTR: `wait` (NULL: nobody) has enough.
 */
int gn_runtime_await(pid_t pid, gn_wait_fn wait, void *ctx);

/* What a process's program starts, or NULL. */
const struct gn_runtime *gn_runtime_launched(pid_t pid);

/* The first child of a process that has a runtime, which is *rt; 0: none. */
pid_t gn_runtime_child(pid_t pid, const struct gn_runtime **rt);

/* True when the program file looks like a launcher of the runtime, or like a
 * script that starts it. */
bool gn_runtime_starts(const struct gn_runtime *rt, const char *program);

/* The runtime of which that is true, or NULL. */
const struct gn_runtime *gn_runtime_started_by(const char *program);

/* The variable by which this script is told the runtime's options, or NULL. */
const char *gn_runtime_script_option(const struct gn_runtime *rt,
				     const char *program);

/* Whether a process's C library is musl, as in Alpine: it needs library_musl.
 */
bool gn_runtime_has_musl(pid_t pid);

/* Whether a word of at most 64 bytes is somewhere in the file's first 256 MiB.
 */
bool gn_runtime_file_has(const char *path, const char *word);

/* The path of a hook-site library, or of that for processes with musl:
 * installed, or in the build tree. -ENOENT. */
int gn_runtime_library(const struct gn_runtime *rt, bool musl, char *path,
		       size_t size);

/*
 * Adds the sites of the open file `place` to the probes, as those of `file`,
 * and their specs; of EVENT those of `families` (enum gn_family). -ENOENT: one
 * is missing; -EBADMSG: where its arguments are cannot be read.
 */
int gn_runtime_probes(const struct gn_runtime *rt, const char *place,
		      size_t file, uint32_t families, struct gn_specs *specs,
		      struct gn_probes *probes);

/* Whether a process that runs was started with the option without which the
 * runtime tells of no function. `place`: its core. <0: that is not known. */
int gn_runtime_was_told(const struct gn_runtime *rt, const char *place,
			pid_t pid);

/*
 * Adds the probes that tell when a process begins with this file, as that of
 * `which`: -ENOENT: where its options are is not known.
 */
int gn_runtime_plan_setup(const struct gn_runtime *rt, const char *place,
			  size_t file, uint32_t which, struct gn_specs *specs,
			  struct gn_probes *probes,
			  struct gn_runtime_setup *setup);

#endif
