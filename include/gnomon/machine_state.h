/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of an async method's machine, as h.key of its records has it
 * (GN_KIND_IS_ASYNC): -1 starts, -3 starts an iterator, k >= 0 is await k,
 * -4 - k is yield k, -2 is complete.
 *
 * A session that attaches to a running process meets machines that it has not
 * seen before. To recognise its own, it puts tags into the state of a suspended
 * machine: it inverts bits 16 to 30 where a tag is set. A program's own state
 * fits into 16 signed bits, so truncation to them (conv.i2) removes the tags.
 * Such a key has GN_STATE_TAGGED in its upper half. Its lower half has the
 * machine's state, with the session's number inverted in it again: these bits
 * are 0 if the tag is of this session. For a completion the lower half has the
 * tag only.
 */
#ifndef GNOMON_MACHINE_STATE_H
#define GNOMON_MACHINE_STATE_H

#include <linux/types.h>

/* Beside the method's token in a NAME: it has no machine, the runtime itself
 * suspends it. Records of its awaits have their number, from 0, as h.key. */
#define GN_NAME_SUSPENDS (1ull << 32)

#define GN_STATE_TAGGED	       (1ull << 32)
#define GN_STATE_STARTED       (1u << 30) /* this session saw its start */
#define GN_STATE_SUSPENDED     (1u << 29) /* this session saw this suspension */
#define GN_STATE_SESSION       0x1fff0000u
#define GN_STATE_SESSION_SHIFT 16
#define GN_STATE_SESSIONS      0x1fffu /* the last one that has a number */
#define GN_STATE_MAX	       0x7fff

/* The state of a machine that is entered or suspended, without tags. */
static inline __s32 gn_state_of(__u64 key)
{
	return (key & ~0xffffffffull) == GN_STATE_TAGGED ? (__s16)(__u16)key
							 : (__s32)(__u32)key;
}

/* Whether this session saw the event that the tag stands for. */
static inline _Bool gn_state_seen(__u64 key, __u32 tag)
{
	__u32 tags = (__u32)key ^ (__u32)(__s16)(__u16)key;

	return (key & ~0xffffffffull) != GN_STATE_TAGGED ||
	       (tags & (GN_STATE_SESSION | tag)) == tag;
}

#endif
