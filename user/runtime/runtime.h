/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each runtime as data: how to recognise it, what to add to a command that
 * starts it, where its hook sites are and what they mean, and how to read its
 * names. runtimes.c has the list.
 */
#ifndef GNOMON_RUNTIME_RUNTIME_H
#define GNOMON_RUNTIME_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>
#include <gnomon/hook.h>
#include <gnomon/lock.h>
#include "elf/elf_head.h"
#include "elf/notes.h"
#include "runtime/attach.h"
#include "runtime/launch.h"
#include "runtime/managed.h"
#include "runtime/probes.h"
#include "runtime/roles.h"
#include "runtime/specs.h"

/*
 * A hook site: a USDT probe and its meaning. The probe's note says where its
 * arguments are. Here arguments are numbered from 1; 0: none.
 */
struct gn_runtime_site {
	const char *name;     /* in its note */
	const char *provider; /* NULL: the runtime's */
	enum gn_prog prog;
	enum gn_kind kind; /* of the record; 0: none, or GN_PROG_NAME's */
	/* argument: the function's index; with the flag SIZED: the address of
	 * texts that are none */
	uint8_t func;
	uint8_t frame; /* argument: the frame key */
	/* Arguments that point to texts. The next argument is the length. */
	uint8_t text[GN_SPEC_TEXTS];
	uint8_t form;	/* how the texts make a name */
	uint8_t flags;	/* enum gn_spec_flag; SIZED: no argument is a length */
	bool stack_key; /* the frame key is from the stack pointer */
	/* EVENT: which event, and its values. CODE: the first value is the
	 * code's size, and the frame key is its address. */
	enum gn_rt event;
	uint8_t value[GN_RT_VALUES];
	/* A mask, or 0. The code behind the probe gets the function's frame. If
	 * the 4 bytes at `state` in the frame have one of these bits, the
	 * function is not called but resumed (GN_KIND_RESUMED). `unnamed`,
	 * `function`, `header`: as in struct gn_spec. */
	uint32_t resumes, unnamed;
	uint8_t state, function, header;
	/* the first of several sites in a row; each gnomon uses its own one of
	 * them (gn_runtime_own_site()) */
	bool own;
};

/* These sites of a library. A probe there is never hit. */
#define GN_SITE_LIVES(site)                            \
	{                                              \
		.name = site, .prog = GN_PROG_MANAGED, \
		.kind = GN_KIND_SELECTED, .own = true  \
	}

/* Where an interpreter has its lock (gnomon/lock.h). */
struct gn_runtime_lock {
	/* A variable that `interpreter` exports and that contains the lock. */
	const char *variable;
	/* Or what finds it in the file at `path`, whose first byte is mapped at
	 * `start`. False: not found. */
	bool (*find)(const char *path, uint64_t start, struct gn_lock *lock);
};

#define GN_RUNTIME_OPTIONS 4

/* A variable in which a runtime keeps an option. */
struct gn_runtime_option {
	const char *name;
	uint32_t value;
	int8_t size; /* 1, 4, 8 */
	bool needed; /* the options before it have no effect without it */
	bool beside; /* set it also if the library reports methods */
	/* The variable is a pointer to a function: it is changed to `to`, but
	 * only if it still points to `from`. NULL: it is no such pointer. */
	const char *to, *from;
};

/* Where these options are in a file. Addresses are as linked. */
struct gn_runtime_setup {
	const struct gn_runtime *runtime;
	uint64_t begin;	 /* the code that runs first */
	uint64_t read;	 /* the site after it has read its options */
	uint64_t needed; /* the option with `needed` */
	uint64_t last;	 /* the last option: when it is set, all are */
	size_t pointer;	 /* with `to`: so if this one points there, too */
	uint64_t addr[GN_RUNTIME_OPTIONS]; /* 0: the file has no such option */
	/* with `to`: the addresses of the two functions; 0: no pointer */
	uint64_t to[GN_RUNTIME_OPTIONS], from[GN_RUNTIME_OPTIONS];
	struct gn_elf_head head;
};

/* Takes one installed runtime: its folder and its version. <0 ends the
 * search. */
typedef int (*gn_runtime_found_fn)(void *ctx, const char *root,
				   const char *version);

typedef int (*gn_runtime_core_fn)(void *ctx, const char *path);

struct gn_name_part {
	const char *text;
	size_t len; /* up to a NUL */
	size_t all; /* the length that the runtime gave it */
};

/* Reads a variable of an environment; NULL: it is not set. */
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
	/* For a runtime with its sites in `core`: the same runtime, but with a
	 * hook-site library, which is used if -f names methods. NULL: there is
	 * none. */
	const struct gn_runtime *methods;
	/* That library reports all functions, not only those that -f names, at
	 * less cost. */
	bool hooks_all;
	const char *library_musl; /* the same for processes with musl */
	/* gnomon's preloaded library loads `library` into the programs that
	 * have the runtime. */
	bool preloaded;
	/* With `preloaded` or `hooks_all`: the names of its programs, then NULL
	 * (a version can follow a name); and its language. */
	const char *const *interpreters;
	const char *language;
	/* Samples name the functions of a program that already runs, where
	 * calls are not seen. */
	bool sampled;
	/* A glob (ksh's, too) for the base name of the file that has it, as a
	 * program or a library. NULL: not needed. */
	const char *interpreter;
	/* Globs, then NULL: functions in C of that file within which functions
	 * of the program begin, end or are suspended, because they call the
	 * hook of `library`. NULL: none are known. */
	const char *const *around;
	/* With `preloaded`: says that its functions are not seen in a program
	 * that has it as a library. NULL: they are. */
	const char *embedded;
	/* the name of the file that holds the runtime: a glob */
	const char *core;
	/* The same for the runtime as a library; NULL: it is never one. */
	const char *core_library;
	/* A word that the program file of every launcher contains. */
	const char *marker;
	/* Words, then NULL: a script that starts it contains one of them. Or
	 * NULL. */
	const char *const *script_words;
	/* For programs that the kernel starts with the runtime (binfmt_misc):
	 * what such a file begins with, and a word that it contains. NULL:
	 * there are no such programs. */
	const char *image, *image_word;
	/* Environment variables that pass options to scripts which start the
	 * runtime, then NULL. NULL: none are known. */
	const char *const *script_options;
	/* Names of threads that it makes at its start, in one of its versions
	 * or settings, cut to 15 bytes as in the kernel; then NULL. NULL: no
	 * such name is unique to it. */
	const char *const *threads;
	/* For a runtime without a library: the name of a thread that only it
	 * makes; and the message for a process that has this thread but no seen
	 * function, with cause and remedy. NULL: there is no message. */
	const char *own_thread, *lacking;
	/* The name of the thread that it makes when it begins to listen. */
	const char *first_thread;
	/* The name of the thread that it makes last; from then on it answers
	 * requests. NULL: it answers as soon as it is mapped. */
	const char *last_thread;
	/* With last_thread: whether the runtime listens. That is enough for a
	 * process whose threads do not have these names. */
	bool (*listens)(pid_t pid);
	/*
	 * Finds the file with the sites that this launcher will map; for a
	 * script, the one that the script's launcher will map. `path` has
	 * PATH_MAX bytes. NULL: there is a library. -ENOENT: the file is not
	 * known.
	 */
	int (*find_core)(const char *launcher, char *path);
	/* Calls `each` for every file with sites that programs of any command
	 * can map. NULL: there is a library. 0 or what `each` returned. */
	int (*find_cores)(gn_runtime_core_fn each, void *ctx);
	/*
	 * The options that make it report its functions, in the order in which
	 * they are set; the last entry has no name. NULL: there are none.
	 *
	 * If options_begin is NULL, a table of the file has the options, and
	 * options_read is a probe site: there the runtime has read its options,
	 * but used none yet. Otherwise the file exports the options and both
	 * functions: options_read is the same as a function, and options_begin
	 * runs some time before it, when the options can already be set.
	 */
	const struct gn_runtime_option *options;
	const char *options_read, *options_begin;
	/* With these options, the size of the stack in bytes that a process may
	 * need for what takes a stack of the usual size without them. 0: the
	 * usual size. */
	uint64_t stack;
	/*
	 * Adds to a command what the runtime needs. -EBUSY: another profiler
	 * needs the same; launch->why says what. NULL: it needs nothing.
	 */
	int (*prepare)(struct gn_launch *launch);
	/* The environment variable that keeps the runtime from loading the
	 * library, or NULL. */
	const char *(*hindered)(gn_env_fn get, const void *env);
	/* Whether this line of the filter asks for this name. */
	bool (*matches)(const char *glob, const char *name, const char *module);
	/* Prefixes of names that are reported even if nobody asks for them,
	 * then NULL; or NULL. */
	const char *const *always;
	/* Makes the name and the module from texts of this form, and the number
	 * that came with them. Both end with a NUL. NULL: no site has a form.
	 */
	void (*name)(unsigned int form, const struct gn_name_part *part,
		     unsigned int number, char *name, size_t name_size,
		     char *module, size_t module_size);
	const struct gn_role_list *roles; /* or NULL */
	/* A text: what gnomon sees of a process that already runs. */
	const char *attached;
	/* The same for a process that was started without the options that make
	 * it report functions. NULL: it needs none. */
	const char *untold;
	/* A text, for a runtime whose launcher runs the program in a new
	 * thread: what --no-follow leaves out. NULL: the program runs in the
	 * first thread. */
	const char *apart;
	/* What the runtime cannot do at all, a line each, then NULL; or
	 * NULL. */
	const char *const *limits;
	/*
	 * Calls `each` for every installed one. `home` is the home of the
	 * traced user. NULL: gnomon does not know where to look. 0 or what
	 * `each` returned.
	 */
	int (*find)(const char *home, gn_runtime_found_fn each, void *ctx);
	const char *get; /* how to install it: a line, or NULL */
	struct gn_runtime_lock lock;
	/* Attaches to running processes; NULL: that is not possible. */
	const struct gn_runtime_attach *attach;
	/* Reports all modules that such a process has loaded, and their
	 * functions. NULL: they cannot be listed. 0, what a callback returned,
	 * or -errno of what cannot be read. */
	int (*managed)(pid_t pid, const struct gn_managed_take *take);
	/* What `attach` does not trace, a line each, then NULL; or NULL. */
	const char *const *unhooked;
};

/* NULL past the last. */
const struct gn_runtime *gn_runtime_at(size_t i);

/* NULL: no runtime has this number. */
const struct gn_runtime *gn_runtime_of(uint32_t id);

/* The runtime whose program has this path or name (`interpreters`), or NULL. */
const struct gn_runtime *gn_runtime_interpreter(const char *program);

/* Whether only this runtime makes threads of this name. */
bool gn_runtime_makes(const struct gn_runtime *rt, const char *thread);

/* Whether the glob (may be NULL) names the file. The path can be one of a
 * deleted file, as lists of mappings have it. */
bool gn_runtime_is_file(const char *glob, const char *path);

/* Whether a file of this name holds the runtime (its `core`). */
bool gn_runtime_is_core(const struct gn_runtime *rt, const char *path);

/* The runtime whose sites are in a file of this name, or NULL. */
const struct gn_runtime *gn_runtime_with_core(const char *path);

/* Whether a file of this name has the runtime's interpreter. */
bool gn_runtime_is_interpreter(const struct gn_runtime *rt, const char *path);

/* The runtime whose interpreter is in a file of this name, or NULL. */
const struct gn_runtime *gn_runtime_with_interpreter(const char *path);

/* Whether the runtime reports when it stops the threads of its program. */
bool gn_runtime_stops(const struct gn_runtime *rt);

/* The runtime of a running process, or NULL. `packed`: the runtime and its
 * modules are in the program itself (a single file). */
const struct gn_runtime *gn_runtime_running(pid_t pid, bool *packed);

/* Finds the lock of the interpreter that runs in the process. False: none. */
bool gn_runtime_lock(pid_t pid, struct gn_lock *lock);

/*
 * Waits until the runtime of a process answers, if the process has just begun
 * and its program starts a runtime. Gives up ten seconds after the start of the
 * process, or when it ends. -EINTR: `wait`, which may be NULL, returned
 * GN_WAIT_ENOUGH.
 */
int gn_runtime_await(pid_t pid, gn_wait_fn wait, void *ctx);

/* The runtime that a process's program starts, or NULL. */
const struct gn_runtime *gn_runtime_launched(pid_t pid);

/* The first child of a process that has a runtime, and that runtime. 0:
 * none. */
pid_t gn_runtime_child(pid_t pid, const struct gn_runtime **rt);

/* True when the program file looks like a launcher of the runtime, or like a
 * script that starts it. */
bool gn_runtime_starts(const struct gn_runtime *rt, const char *program);

/* The first runtime that gn_runtime_starts() accepts, or NULL. */
const struct gn_runtime *gn_runtime_started_by(const char *program);

/* The environment variable that passes the runtime's options to this script, or
 * NULL. */
const char *gn_runtime_script_option(const struct gn_runtime *rt,
				     const char *program);

/* Whether the file begins with #!. */
bool gn_runtime_is_script(const char *path);
/* Whether it is a program that the kernel starts with this runtime. */
bool gn_runtime_is_image(const struct gn_runtime *rt, const char *program);

/* Whether a process's C library is musl, as in Alpine. Then it needs
 * library_musl. */
bool gn_runtime_has_musl(pid_t pid);

/* Whether the first 256 MiB of a file contain a word of at most 64 bytes. */
bool gn_runtime_file_has(const char *path, const char *word);

/* The path of a hook-site library, or of its build for musl, as installed or in
 * the build tree. -ENOENT: it is in neither. */
int gn_runtime_library(const struct gn_runtime *rt, bool musl, char *path,
		       size_t size);

/* The number of this gnomon's own site, of GN_SITE_OWN_MOST. Two gnomons that
 * run seldom have the same one. */
unsigned int gn_runtime_own_site(void);

/*
 * Adds the sites of the open file `place` to the probes of `file`, and their
 * specs. Of the EVENT sites, it adds only those of `families` (enum gn_family).
 * -ENOENT: a site is missing. -EBADMSG: the place of an argument cannot be
 * read.
 */
int gn_runtime_probes(const struct gn_runtime *rt, const char *place,
		      size_t file, uint32_t families, struct gn_specs *specs,
		      struct gn_probes *probes);

/* Whether a running process was started with the option without which the
 * runtime reports no functions. `place`: the runtime's core. <0: not known. */
int gn_runtime_was_told(const struct gn_runtime *rt, const char *place,
			pid_t pid);

/*
 * Adds the probes that report when a process begins with this file. They carry
 * the number `which`. -ENOENT: the addresses of the options are not known.
 */
int gn_runtime_plan_setup(const struct gn_runtime *rt, const char *place,
			  size_t file, uint32_t which, struct gn_specs *specs,
			  struct gn_probes *probes,
			  struct gn_runtime_setup *setup);

#endif
