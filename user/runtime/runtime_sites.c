/* SPDX-License-Identifier: BSD-2-Clause */
/* The probes of a runtime's sites, as the notes of its file have them. */
#include "runtime/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnomon/hooksite.h>
#include <gnomon/runtime_event_info.h>
#include "elf/notes.h"
#include "site/decode.h"

/* Takes argument `n` of the note; 0: there is none to take. False: it cannot be
 * read. */
static bool take_arg(const struct gn_note *note, unsigned int n,
		     struct gn_operand *op)
{
	if (!n)
		return true;
	if (n > note->nargs || note->arg[n - 1].how == GN_HOW_NONE)
		return false;
	*op = note->arg[n - 1];
	return true;
}

#define PASSING 64 /* bytes of code that pass an argument on */

/* Finds the register, kept by functions that are called, whose value the code
 * behind a probe passes first to the function that it calls. */
static bool find_passed(int fd, const struct gn_note *note, uint8_t *reg)
{
	enum { RDI = 7, KEPT = 1 << 3 | 1 << 5 | 0xf000 };
	static const uint8_t regs[GN_REGS] = {
		GN_REG_AX,  GN_REG_CX,	GN_REG_DX,  GN_REG_BX,
		GN_REG_SP,  GN_REG_BP,	GN_REG_SI,  GN_REG_DI,
		GN_REG_R8,  GN_REG_R9,	GN_REG_R10, GN_REG_R11,
		GN_REG_R12, GN_REG_R13, GN_REG_R14, GN_REG_R15};
	uint8_t code[PASSING];
	ssize_t size = pread(fd, code, sizeof(code), (off_t)note->offset);
	struct gn_insn in;

	*reg = GN_REG_NONE;
	for (ssize_t at = 0; at < size; at += in.len) {
		if (!gn_decode(code + at, (size_t)(size - at),
			       note->addr + (uint64_t)at, &in))
			return false;
		if (in.flow == GN_FLOW_CALL)
			return *reg != GN_REG_NONE;
		if (in.flow != GN_FLOW_NEXT)
			return false;
		if (in.effect == GN_EFF_COPY && in.dst == RDI && !in.imm &&
		    in.src < GN_REGS && KEPT >> in.src & 1)
			*reg = regs[in.src];
	}
	return false;
}

/* Without that register, a function that goes on counts as called. */
static void take_state(const struct gn_runtime_site *site, int fd,
		       const struct gn_note *note, struct gn_spec *spec)
{
	uint8_t reg;

	if (!site->resumes || !find_passed(fd, note, &reg))
		return;
	spec->resumes = site->resumes;
	spec->unnamed = site->unnamed;
	spec->function = site->function;
	spec->header = site->header;
	spec->value[0] = (struct gn_operand){.how = GN_HOW_MEMORY,
					     .reg = reg,
					     .index = GN_REG_NONE,
					     .size = 4,
					     .value = site->state};
}

static bool make_spec(const struct gn_runtime_site *site, int fd,
		      const struct gn_note *note, struct gn_spec *spec)
{
	bool can = take_arg(note, site->func, &spec->func) &&
		   take_arg(note, site->frame, &spec->key);

	if (site->stack_key)
		spec->key.how = GN_HOW_COOKIE;
	spec->kind = (uint8_t)site->kind;
	spec->form = site->form;
	spec->flags = site->flags;
	spec->event = site->event;
	for (size_t i = 0; can && i < GN_RT_VALUES; i++)
		if (site->value[i])
			can = take_arg(note, site->value[i], &spec->value[i]);
	for (size_t i = 0; can && i < GN_SPEC_TEXTS && site->text[i]; i++) {
		can = take_arg(note, site->text[i], &spec->text[i].at) &&
		      (site->flags & GN_SPEC_SIZED ||
		       take_arg(note, site->text[i] + 1u, &spec->text[i].len));
		spec->ntexts++;
	}
	take_state(site, fd, note, spec);
	return can;
}

unsigned int gn_runtime_own_site(void)
{
	return (unsigned int)getpid() % GN_SITE_OWN_MOST;
}

static uint64_t offset_of(const struct gn_runtime_site *site,
			  const struct gn_note *note)
{
	return note->offset +
	       (site->own ? (uint64_t)gn_runtime_own_site() * GN_SITE_ALIGN
			  : 0);
}

/* Between the frame key of a call at a site and that of a function which the
 * site's own function calls. */
#define ABOVE 8

static int add_probe(const struct gn_runtime *rt,
		     const struct gn_runtime_site *site, int fd, size_t file,
		     const struct gn_note *note, struct gn_specs *specs,
		     struct gn_probes *probes)
{
	struct gn_spec spec = {0};
	int index;

	if (!make_spec(site, fd, note, &spec))
		return -EBADMSG;
	index = gn_specs_add(specs, &spec);
	if (index < 0)
		return index;
	return gn_probes_add(probes, file, site->prog, offset_of(site, note),
			     note->semaphore,
			     GN_COOKIE(GN_FUNC(rt->id, 0),
				       site->stack_key ? ABOVE : 0, index));
}

/* A copy of a probe that tells no name, as where a runtime throws again. */
static bool is_nameless(const struct gn_runtime_site *site,
			const struct gn_note *note)
{
	unsigned int n = site->text[0];

	return n && n <= note->nargs &&
	       note->arg[n - 1].how == GN_HOW_CONSTANT &&
	       !note->arg[n - 1].value;
}

/* A compiler can have made several copies of one probe. */
static int add_site(const struct gn_runtime *rt,
		    const struct gn_runtime_site *site, int fd, size_t file,
		    const struct gn_note *notes, size_t count,
		    struct gn_specs *specs, struct gn_probes *probes)
{
	const char *provider = site->provider ? site->provider : rt->provider;
	bool found = false;
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		if (strcmp(notes[i].provider, provider) ||
		    strcmp(notes[i].name, site->name))
			continue;
		found = true;
		if (!is_nameless(site, &notes[i]))
			err = add_probe(rt, site, fd, file, &notes[i], specs,
					probes);
	}
	return err || found ? err : -ENOENT;
}

/* Whether a site of the same name also names its function by texts. */
static bool named(const struct gn_runtime *rt,
		  const struct gn_runtime_site *site)
{
	for (size_t i = 0; i < rt->nsites; i++)
		if (rt->sites[i].form && !strcmp(rt->sites[i].name, site->name))
			return true;
	return false;
}

static bool is_told(const struct gn_runtime *rt,
		    const struct gn_runtime_site *site, uint32_t families)
{
	if (site->kind == GN_KIND_CODE)
		return families & GN_FAMILY_CODE;
	/* of the two sites, the one with the names if GN_FAMILY_JIT is asked
	 * for */
	if (site->kind == GN_KIND_JIT_BEGIN && named(rt, site))
		return !site->form == !(families & GN_FAMILY_JIT);
	return !site->event || families & gn_rt_info(site->event)->family;
}

int gn_runtime_probes(const struct gn_runtime *rt, const char *place,
		      size_t file, uint32_t families, struct gn_specs *specs,
		      struct gn_probes *probes)
{
	struct gn_note *notes = NULL;
	size_t count = 0;
	int err = gn_notes_read(place, &notes, &count, NULL);
	int fd = err ? -1 : open(place, O_RDONLY | O_CLOEXEC);

	if (!err && fd < 0)
		err = -errno;
	for (size_t i = 0; !err && i < rt->nsites; i++)
		if (is_told(rt, &rt->sites[i], families))
			err = add_site(rt, &rt->sites[i], fd, file, notes,
				       count, specs, probes);
	if (fd >= 0)
		close(fd);
	free(notes);
	return err;
}
