// SPDX-License-Identifier: BSD-2-Clause
#include "elf/sleds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_image.h"

#define MAX_SLEDS (4u << 20)
#define CODE	  5 /* bytes that identify a sled */
/* How many segments are looked at in all: each sled's code is looked up in
 * them, and a hostile file can have many of both. */
#define MAX_STEPS (128u << 20)

/* An entry of xray_instr_map (llvm/lib/XRay, InstrumentationMap.h). From
 * version 2 on, both addresses are relative to their own position. */
struct xray_entry {
	uint64_t addr, function;
	uint8_t kind, always, version, pad[13];
};

enum { XRAY_ENTER, XRAY_EXIT, XRAY_TAIL, XRAY_ENTER_ARGUMENT };

struct sleds {
	struct gn_image image;
	struct gn_sled *sled;
	size_t n, broken;
	size_t steps, left; /* for a sled, and for all further ones */
};

/* Reads the first bytes of the code there, if they are in one segment. */
static bool code_at(const struct gn_image *image, uint64_t addr,
		    uint8_t code[CODE])
{
	uint64_t first, last;

	return !gn_image_offset(image, addr, PF_X, &first) &&
	       !gn_image_offset(image, addr + CODE - 1, PF_X, &last) &&
	       last - first == CODE - 1 &&
	       !gn_image_read(image, first, code, CODE);
}

/* Whether its code is what compilers emit. */
static bool is_sled(const struct gn_image *image, const struct gn_sled *s,
		    bool returns)
{
	static const uint8_t nops[CODE] = {0x90, 0x90, 0x90, 0x90, 0x90};
	static const uint8_t nop4[] = {0x0f, 0x1f, 0x44, 0x00};
	uint8_t code[CODE];

	if (!code_at(image, s->addr, code))
		return false;
	switch (s->kind) {
	case GN_SLED_XRAY:
		/* ret and a long nop, or a jump over nops */
		return returns ? code[0] == 0xc3
			       : code[0] == 0xeb && code[1] == 9;
	case GN_SLED_NOPS:
		return !memcmp(code, nops, CODE) ||
		       !memcmp(code, nop4, sizeof(nop4));
	default:
		return !memcmp(code, nop4, sizeof(nop4)) && !code[4];
	}
}

static void take(struct sleds *s, struct gn_sled sled, bool returns)
{
	bool looks = s->left >= s->steps;

	s->left -= looks ? s->steps : 0;
	if (looks && is_sled(&s->image, &sled, returns))
		s->sled[s->n++] = sled;
	else
		s->broken++;
}

static void take_xray(struct sleds *s, const uint8_t *at, uint64_t place)
{
	struct gn_sled sled = {.kind = GN_SLED_XRAY};
	struct xray_entry e;

	memcpy(&e, at, sizeof(e));
	sled.addr = e.version >= 2 ? place + e.addr : e.addr;
	sled.ends = e.kind == XRAY_EXIT || e.kind == XRAY_TAIL;
	/* other kinds are a program's own events */
	if (sled.ends || e.kind == XRAY_ENTER || e.kind == XRAY_ENTER_ARGUMENT)
		take(s, sled, e.kind == XRAY_EXIT);
}

struct words {
	uint64_t addr, *at; /* their addresses as linked, and here */
	size_t n;
};

/* Writes what the dynamic linker will write: a linker can leave the words in
 * the file empty (lld does). */
static void relocate(void *ctx, uint64_t slot, uint64_t value)
{
	const struct words *w = ctx;
	uint64_t i = (slot - w->addr) / sizeof(*w->at);

	if (slot >= w->addr && i < w->n)
		w->at[i] = value;
}

static int take_addresses(struct sleds *s, const Elf_Data *data, uint64_t addr,
			  struct gn_sled sled, size_t n)
{
	uint64_t *at = malloc(n * sizeof(*at));

	if (!at)
		return -ENOMEM;
	memcpy(at, data->d_buf, n * sizeof(*at));
	gn_image_relatives(&s->image, relocate, &(struct words){addr, at, n});
	for (size_t i = 0; i < n; i++) {
		sled.addr = at[i];
		take(s, sled, false);
	}
	free(at);
	return 0;
}

static int take_section(struct sleds *s, const char *name,
			enum gn_sled_kind kind)
{
	size_t size = kind == GN_SLED_XRAY ? sizeof(struct xray_entry) : 8;
	struct gn_sled sled = {.kind = kind}, *grown;
	GElf_Shdr sh;
	Elf_Scn *scn = gn_image_find(&s->image, name, &sh);
	Elf_Data *data = scn ? gn_image_data(scn, &sh) : NULL;
	size_t n = data ? data->d_size / size : 0;

	if (!n)
		return 0;
	if (n > MAX_SLEDS) {
		s->broken += n - MAX_SLEDS;
		n = MAX_SLEDS;
	}
	grown = reallocarray(s->sled, s->n + n, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->sled = grown;
	if (kind != GN_SLED_XRAY)
		return take_addresses(s, data, sh.sh_addr, sled, n);
	for (size_t i = 0; i < n; i++)
		take_xray(s, (const uint8_t *)data->d_buf + i * size,
			  sh.sh_addr + i * size);
	return 0;
}

static int by_addr(const void *left, const void *right)
{
	const struct gn_sled *a = left, *b = right;

	return (a->addr > b->addr) - (a->addr < b->addr);
}

int gn_sleds_read(const char *path, struct gn_sled **out, size_t *n,
		  size_t *broken)
{
	static const char *const sections[GN_SLED_KINDS] = {
		[GN_SLED_NOPS] = "__patchable_function_entries",
		[GN_SLED_MCOUNT] = "__mcount_loc",
		[GN_SLED_XRAY] = "xray_instr_map",
	};
	struct sleds s = {.left = MAX_STEPS};
	int err = gn_image_open(path, &s.image);
	size_t segments;

	if (err)
		return err;
	if (elf_getphdrnum(s.image.elf, &segments))
		segments = 0;
	s.steps = 2 * segments;
	for (int i = 0; i < GN_SLED_KINDS && !err; i++)
		err = take_section(&s, sections[i], (enum gn_sled_kind)i);
	gn_image_close(&s.image);
	if (!err && !s.n && !s.broken)
		err = -ENOENT;
	if (err) {
		free(s.sled);
		return err;
	}
	if (s.n)
		qsort(s.sled, s.n, sizeof(*s.sled), by_addr);
	*out = s.sled;
	*n = s.n;
	*broken = s.broken;
	return 0;
}

const char *gn_sled_name(enum gn_sled_kind kind)
{
	static const char *const names[] = {
#define GN_SLED_NAME(name, text, option) [GN_SLED_##name] = text,
		GN_SLED_LIST(GN_SLED_NAME)
#undef GN_SLED_NAME
	};

	return names[kind];
}
