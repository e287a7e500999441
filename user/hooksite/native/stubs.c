// SPDX-License-Identifier: BSD-2-Clause
#include "hooksite/native/stubs.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u
#define JUMP 5 /* bytes of a jump or a call */
#define MB   (1ll << 20)
#define NEAR (64 * MB)	 /* room for the file's own memory to grow */
#define HEAP (1024 * MB) /* room for a program's heap, which is above it */
/* Processors predict jumps by the low bits of their addresses. If a stub shares
 * these with its function, a call takes 17 ns instead of 3. */
#define ASIDE 0x12a740ll
#define FAR   (1984 * MB) /* a jump's reach, less the size of any file */

void gn_hook_native_enter(void);
void gn_hook_native_leave(void);
void gn_hook_native_tailcall(void);
void gn_hook_nothing(void);

/*
 * `mask`: the bits of the jump's displacement that must keep their value in
 * `fixed`: the original code needs them whenever its own first byte is there
 * instead of the jump's.
 */
static const struct form {
	void (*hook)(void);
	uint32_t fixed, mask;
	uint8_t bytes[GN_SLED_BYTES];
	uint8_t after; /* offset in the sled to continue at; 0: returns */
} forms[GN_SLED_FORMS] = {
	[GN_SLED_ENTER_JUMP] = {gn_hook_native_enter,
				0x09,
				0xff,
				{0xeb, 0x09, 0x66, 0x0f, 0x1f},
				11},
	[GN_SLED_TAIL_JUMP] = {gn_hook_native_tailcall,
			       0x09,
			       0xff,
			       {0xeb, 0x09, 0x66, 0x0f, 0x1f},
			       11},
	[GN_SLED_LEAVE_RET] =
		{gn_hook_native_leave, 0, 0, {0xc3, 0x2e, 0x66, 0x0f, 0x1f}, 0},
	[GN_SLED_ENTER_NOPS] = {gn_hook_native_enter,
				0x90909090,
				0xffffffff,
				{0x90, 0x90, 0x90, 0x90, 0x90},
				5},
	[GN_SLED_ENTER_NOP5] = {gn_hook_native_enter,
				0x0000441f,
				0x00ffffff,
				{0x0f, 0x1f, 0x44, 0x00, 0x00},
				5},
};

const uint8_t *gn_sled_bytes(enum gn_sled_form form)
{
	return forms[form].bytes;
}

static uint64_t round_down(uint64_t n)
{
	return n & ~(uint64_t)(PAGE - 1);
}

/* The wanted displacement, with the form's fixed bits. */
static int32_t fit(const struct form *f, int64_t wanted)
{
	return (int32_t)(((uint32_t)wanted & ~f->mask) | f->fixed);
}

/* Two pages before the stubs: one with the hook's address, which stays
 * writable, and one with a trampoline that jumps to the hook. */
#define BEFORE ((uint64_t)PAGE * 2)

static bool map_at(struct gn_stubs *s, int32_t distance)
{
	uint64_t first = s->base + s->lo + JUMP + (uint64_t)(int64_t)distance;
	uint64_t last = s->base + s->hi + JUMP + (uint64_t)(int64_t)distance;
	uint64_t at = round_down(first) - BEFORE;
	size_t size = round_down(last + 2 * PAGE) - at;

	/* out of user space, or too close to its lower end */
	if (first < 32 * PAGE || last >> 47)
		return false;
	s->at = mmap((void *)at, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			     MAP_FIXED_NOREPLACE,
		     -1, 0);
	if (s->at == MAP_FAILED)
		s->at = NULL;
	s->size = size;
	s->distance = distance;
	return s->at;
}

static void set_hook(struct gn_stubs *s, void (*hook)(void))
{
	atomic_store_explicit((_Atomic uint64_t *)s->at, (uintptr_t)hook,
			      memory_order_release);
}

/* jmp *address(%rip) */
static void put_trampoline(struct gn_stubs *s)
{
	static const uint8_t jump[] = {0xff, 0x25};
	int32_t distance = -(int32_t)(PAGE + sizeof(jump) + sizeof(distance));
	unsigned char *at = s->at + PAGE;

	memcpy(at, jump, sizeof(jump));
	memcpy(at + sizeof(jump), &distance, sizeof(distance));
}

int gn_stubs_map(struct gn_stubs *s)
{
	const struct form *f = &forms[s->form];
	int64_t aside = ASIDE * (s->form + 1);

	for (int64_t d = NEAR; !s->at && d < FAR; d += NEAR)
		if (map_at(s, fit(f, -d - aside)))
			break;
	for (int64_t d = HEAP; !s->at && d < FAR; d += NEAR)
		if (map_at(s, fit(f, d + aside)))
			break;
	if (!s->at)
		return -1;
	set_hook(s, f->hook);
	put_trampoline(s);
	s->end = (uintptr_t)s->at + BEFORE;
	return 0;
}

static unsigned char *put_jump(unsigned char *at, uint8_t opcode, uint64_t to)
{
	int32_t d = (int32_t)(to - ((uintptr_t)at + JUMP));

	*at = opcode;
	memcpy(at + 1, &d, sizeof(d));
	return at + JUMP;
}

int gn_stubs_put(struct gn_stubs *s, uint64_t addr, uint32_t func)
{
	const struct form *f = &forms[s->form];
	uint64_t sled = s->base + addr;
	unsigned char *at =
		(unsigned char *)(sled + JUMP + (uint64_t)(int64_t)s->distance);

	if ((uintptr_t)at < s->end)
		return -1;
	*at = 0x68; /* push */
	memcpy(at + 1, &func, sizeof(func));
	at = put_jump(at + JUMP, 0xe8, (uintptr_t)s->at + PAGE);
	if (f->after)
		at = put_jump(at, 0xe9, sled + f->after);
	else
		*at++ = 0xc3;
	s->end = (uintptr_t)at;
	return 0;
}

int gn_stubs_close(struct gn_stubs *s)
{
	return mprotect(s->at + PAGE, s->size - PAGE, PROT_READ | PROT_EXEC);
}

void gn_stubs_over(struct gn_stubs *s)
{
	if (s->at)
		set_hook(s, gn_hook_nothing);
}

void gn_stubs_unmap(struct gn_stubs *s)
{
	if (s->at)
		munmap(s->at, s->size);
	s->at = NULL;
}
