/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the fuzzers share. A fuzzer is one file with gn_fuzz(): libFuzzer calls
 * it in a build with GNOMON_FUZZ, and replay.c in all others, with the inputs
 * of corpus/NAME. What may not happen aborts.
 */
#ifndef GNOMON_TESTS_FUZZ_H
#define GNOMON_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void gn_fuzz(const uint8_t *bytes, size_t size);

/* Aborts with the sentence `what` unless `truth`. */
void must(bool truth, const char *what);

/* Is it UTF-8, without control characters but those in `allowed`? NULL allows
 * all of them. */
bool gn_fuzz_is_text(const char *text, size_t n, const char *allowed);

/* The input, taken piece by piece from its begin. At its end numbers are 0 and
 * texts are empty. */
struct gn_fuzz_in {
	const uint8_t *p;
	size_t left;
};

/* `size` bytes of at most 8, little end first. */
uint64_t gn_fuzz_take(struct gn_fuzz_in *in, size_t size);
/* The bytes up to the next `end`, which is passed over, or all that is left. A
 * copy with a NUL behind it, that the caller frees; *n may be NULL. */
char *gn_fuzz_take_text(struct gn_fuzz_in *in, char end, size_t *n);
/* At most `n` bytes in memory of exactly that size, so that a sanitizer sees
 * each step over its end. The caller frees it. */
uint8_t *gn_fuzz_take_bytes(struct gn_fuzz_in *in, size_t *n);

#endif
