/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the first stage of a session. Functions return 0 or <0 unless
 * their comment says otherwise. */
#ifndef GNOMON_CAPTURE_PREPARE_H
#define GNOMON_CAPTURE_PREPARE_H

#include <stdbool.h>

#include "capture/session_internal.h"

/* prepare_asked.c: what -f and -a ask for of runtimes. Whether the glob can
 * only mean a native library: no assembly has such a name. */
bool gn_prepare_native_only(const char *glob);
/* Whether functions of runtimes are asked for by name. */
bool gn_prepare_managed(const struct gn_session *s);
/* Whether one -f is "*", which matches all functions. */
bool gn_prepare_all(const struct gn_session *s);
/* Whether values of functions of runtimes are requested. */
bool gn_prepare_asks_values(const struct gn_session *s);
/* Whether the methods that -f names can be hooked in their bytecode: all
 * methods are left to the probes of the runtime itself. */
bool gn_prepare_methods(const struct gn_session *s,
			const struct gn_runtime *rt);
/* The filter as a hook-site library reads it: one glob a line. If all globs are
 * for native libraries, no managed function is wanted. NULL: no memory. */
char *gn_prepare_filter(const struct gn_session *s);
/* Fails where the session's hooks cannot take what -a asks for. */
int gn_prepare_check_values(struct gn_session *s);
/* The functions and values of -a as a hook-site library reads them
 * (hooksite/clr/clsid.h). NULL: no memory. */
char *gn_prepare_values(const struct gn_session *s);
/* Whether no function of a runtime is asked for. */
bool gn_prepare_nothing(const struct gn_session *s);

/* prepare_launches.c. Whether the command can run a runtime, itself or in a
 * program that it starts. */
bool gn_prepare_launches(const struct gn_session *s);

/* prepare_sites.c. Plans the sites of a file: a hook-site library, or a runtime
 * itself. */
int gn_prepare_sites(struct gn_session *s, const struct gn_runtime *rt,
		     size_t file);
/* Plans the sites of a runtime's library that a process loads. */
int gn_prepare_library(struct gn_session *s, const struct gn_runtime *rt,
		       const char *path);
/* The same for a library that is opened at `place`. */
int gn_prepare_library_at(struct gn_session *s, const struct gn_runtime *rt,
			  const char *place, const char *library);
/* The same for a copy of the library: the open file, and its path there. */
int gn_prepare_copy(struct gn_session *s, const struct gn_runtime *rt, int fd,
		    const char *path);
/* Whether gnomon is to set options of runtimes in processes, and may. */
bool gn_prepare_sets_up(const struct gn_session *s);
/* Plans that for a file; a file whose options are not known gets no probes. */
int gn_prepare_setup(struct gn_session *s, const struct gn_runtime *rt,
		     const char *place, size_t file);
/* Finds out whether links of a process must be made by thread. */
void gn_prepare_links(struct gn_session *s);

/* prepare_runtimes.c. Plans the runtimes that the command can start. */
int gn_prepare_runtimes(struct gn_session *s);

/* prepare_measured.c. Adds specs whose texts are gnomon's own, to measure the
 * cost of hits whose functions are named by texts. */
int gn_prepare_measured(struct gn_session *s, const struct gn_runtime *rt);

/* prepare_running.c: what runtimes get that run already. Waits for a runtime
 * that is about to run in a process of -p. */
int gn_prepare_await(struct gn_session *s, pid_t pid);
/* Plans to load the library into a runtime that runs already, if functions of
 * it are requested. The process's files are those from `first` on. */
int gn_prepare_running(struct gn_session *s, pid_t pid, size_t first);

/* prepare_cores.c. Plans runtimes with their own sites in processes that run
 * already. */
int gn_prepare_cores(struct gn_session *s);
/* The same for runtimes that traced programs can start. */
int gn_prepare_started(struct gn_session *s);
#endif
