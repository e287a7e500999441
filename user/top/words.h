/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of batch mode and JSON. */
#ifndef GNOMON_TOP_WORDS_H
#define GNOMON_TOP_WORDS_H

#include "top/top.h"

/* Room for a time in gn_top_time_text(). */
#define GN_TOP_TIME 32

/* "unknown", "running", "runnable", "waiting", "ended". */
const char *gn_top_state_word(enum gn_thread_state state);

/* "running", "ended", "killed". */
const char *gn_top_target_word(enum gn_top_target target);

/* 2026-05-01T12:34:56.789Z of nanoseconds of CLOCK_REALTIME: in UTC, so that
 * the machine's time zone does not matter. Cut off, not rounded. */
void gn_top_time_text(char buf[GN_TOP_TIME], uint64_t wall);

/*
 * `text` as one word for programs that split lines at blanks. Blanks,
 * backslashes and bytes or characters that do not print become \xNN for a
 * byte, \u{N} for a character; an empty text becomes "-", and "-" becomes
 * \x2d. So different texts are different words. `utf8` false: the word is
 * ASCII. The caller frees it; NULL: no memory.
 */
char *gn_top_word(const char *text, bool utf8);

#endif
