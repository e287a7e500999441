/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of an async method's machine, as h.key of its records has it
 * (GN_KIND_IS_ASYNC): -1 starts, -3 starts an iterator, k >= 0 is await k,
 * -4 - k is yield k, -2 is complete.
 *
 * A session that begins in a process that runs meets machines that it did not
 * see before. To know its own again, it puts tags into the state that a
 * suspended machine keeps: bits 16 to 30 are inverted where a tag is set. A
 * state of a program has 16 bits with its sign, so that taking those alone
 * (conv.i2) removes tags. Such a key has GN_STATE_TAGGED in its upper half, and
 * in its lower half the state that the machine had, with the number of the
 * session inverted in it: the bits of the number are 0 where they are its own.
 * Of a completion the lower half has the tag alone.
 */
#ifndef GNOMON_MACHINE_STATE_H
#define GNOMON_MACHINE_STATE_H

#include <linux/types.h>

#define GN_STATE_TAGGED	       (1ull << 32)
#define GN_STATE_STARTED       (1u << 30) /* this session saw its start */
#define GN_STATE_SUSPENDED     (1u << 29) /* and this suspension */
#define GN_STATE_SESSION       0x1fff0000u
#define GN_STATE_SESSION_SHIFT 16
#define GN_STATE_SESSIONS      0x1fffu /* the last one that has a number */
#define GN_STATE_MAX	       0x7fff

/* The state of a machine that is entered or suspended. */
static inline __s32 gn_state_of(__u64 key)
{
	return (key & ~0xffffffffull) == GN_STATE_TAGGED ? (__s16)(__u16)key
							 : (__s32)(__u32)key;
}

/* Whether the session saw what the tag is of. */
static inline _Bool gn_state_seen(__u64 key, __u32 tag)
{
	__u32 tags = (__u32)key ^ (__u32)(__s16)(__u16)key;

	return (key & ~0xffffffffull) != GN_STATE_TAGGED ||
	       (tags & (GN_STATE_SESSION | tag)) == tag;
}

#endif
