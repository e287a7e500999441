/* SPDX-License-Identifier: BSD-2-Clause */
/* The interpreter's threads, each of which needs the hook: none inherits it. */
#ifndef GNOMON_PYTHON_STATES_H
#define GNOMON_PYTHON_STATES_H

#include <stdbool.h>

/* Whether this thread has the lock of the main interpreter. */
bool gn_states_in_main(void);

/* Sets the hook in this thread. `loaded`: other code may have started threads
 * before. */
void gn_states_begin(bool loaded);
/* The interpreter ends. */
void gn_states_end(void);

/* A thread is about to be started: by Python, as an audit event has told, or
 * by somebody. */
void gn_states_python_starts(void);
void gn_states_thread_starts(void);

/* This thread has the lock, and may be one that C code has started, or in a
 * subinterpreter. */
void gn_states_see_own(void);

/* Sets the hook in threads that C code has started since. */
void gn_states_look(void);

/* The main interpreter is about to be cleared: tells gnomon of the threads that
 * C code has started, and that have ended before they were seen. */
void gn_states_count_missed(void);

#endif
