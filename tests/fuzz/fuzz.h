/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by all fuzzers. A fuzzer is one file with gn_fuzz(). libFuzzer calls
 * it in a build with GNOMON_FUZZ. In all other builds replay.c calls it with
 * the inputs of corpus/NAME. A failed check aborts.
 */
#ifndef GNOMON_TESTS_FUZZ_H
#define GNOMON_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void gn_fuzz(const uint8_t *bytes, size_t size);

/* Aborts unless `truth`. `what` is the sentence that should be true. */
void must(bool truth, const char *what);

/* Whether the text is UTF-8 and has no control characters except those in
 * `allowed`. NULL allows all. */
bool gn_fuzz_is_text(const char *text, size_t n, const char *allowed);

/* The rest of the input, taken from the front. At its end numbers are 0 and
 * texts are empty. */
struct gn_fuzz_in {
	const uint8_t *p;
	size_t left;
};

/* A little-endian number of `size` bytes, at most 8. */
uint64_t gn_fuzz_take(struct gn_fuzz_in *in, size_t size);
/* The bytes up to the next `end`, which is skipped, or all that is left.
 * Returns a copy with a NUL after it, which the caller frees. `n` may be NULL;
 * otherwise *n is the length. */
char *gn_fuzz_take_text(struct gn_fuzz_in *in, char end, size_t *n);
/* At most *n bytes, in memory of exactly that size, so that a sanitizer sees
 * every access beyond it. Sets *n to the size. The caller frees it. */
uint8_t *gn_fuzz_take_bytes(struct gn_fuzz_in *in, size_t *n);

#endif
