/* SPDX-License-Identifier: BSD-2-Clause */
/* Code near a mapped file that its sleds jump to. */
#ifndef GNOMON_HOOKSITE_NATIVE_STUBS_H
#define GNOMON_HOOKSITE_NATIVE_STUBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/sleds.h>

/* The bytes that stand at a sled of this form before it is patched. */
const uint8_t *gn_sled_bytes(enum gn_sled_form form);

/* The sleds of one form in one file. */
struct gn_stubs {
	enum gn_sled_form form;
	uint64_t base;	   /* the file's load address */
	uint64_t lo, hi;   /* first and last sled, as linked */
	unsigned char *at; /* the memory, which begins with the address of the
			    * hook; NULL: there is none */
	size_t size;
	int32_t distance; /* of every stub from the end of its sled's jump */
	uint64_t end;	  /* of the last stub that was written */
};

/* Maps memory for all stubs. -1: there is no room. */
int gn_stubs_map(struct gn_stubs *s);
/* Writes a stub. Call it in the order of the sleds' addresses. -1: another stub
 * is in its place. */
int gn_stubs_put(struct gn_stubs *s, uint64_t addr, uint32_t func);
/* Makes the stubs executable. -1: the kernel does not allow it. */
int gn_stubs_close(struct gn_stubs *s);
/* From now on the hooks do nothing. Makes no system call: the program may have
 * forbidden it. */
void gn_stubs_over(struct gn_stubs *s);
void gn_stubs_unmap(struct gn_stubs *s);

#endif
