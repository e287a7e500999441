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
	uint64_t lo, hi;   /* of the sleds, as linked */
	unsigned char *at; /* the memory; NULL: there is none. It begins with
			    * the address of the hook */
	size_t size;
	int32_t distance; /* of every stub from the end of its sled's jump */
	uint64_t end;	  /* of the last stub that was written */
};

/* Maps memory where all stubs can be. -1: there is no room. */
int gn_stubs_map(struct gn_stubs *s);
/* Writes a stub; sleds come in the order of their addresses. -1: another one is
 * in its place. */
int gn_stubs_put(struct gn_stubs *s, uint64_t addr, uint32_t func);
/* The stubs can be run from now on. -1: the kernel does not allow it. */
int gn_stubs_close(struct gn_stubs *s);
/* The hooks do nothing any more. Without a system call: the program may have
 * forbidden them. */
void gn_stubs_over(struct gn_stubs *s);
void gn_stubs_unmap(struct gn_stubs *s);

#endif
