/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the options of a runtime that gnomon does not start itself. */
#include "runtime/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sys/uio.h>

#include "elf/elf_head.h"
#include "elf/elf_image.h"
#include "elf/exported.h"
#include "elf/variables.h"
#include "process/maps.h"

/* Finds the only site named rt->options_read. -ENOENT: there is none, or
 * several. */
static int find_site(const struct gn_runtime *rt, const char *place,
		     struct gn_note *site)
{
	struct gn_note *notes = NULL;
	size_t count = 0, found = 0;
	int err = gn_notes_read(place, &notes, &count, NULL);

	for (size_t i = 0; !err && i < count; i++) {
		if (strcmp(notes[i].provider, rt->provider) ||
		    strcmp(notes[i].name, rt->options_read))
			continue;
		*site = notes[i];
		found++;
	}
	free(notes);
	return err ?: found == 1 ? 0 : -ENOENT;
}

static int find_options(const struct gn_runtime *rt, const char *place,
			struct gn_runtime_setup *setup)
{
	const char *names[GN_RUNTIME_OPTIONS], *to[GN_RUNTIME_OPTIONS],
		*from[GN_RUNTIME_OPTIONS];
	size_t n = 0;
	int err;

	while (n < GN_RUNTIME_OPTIONS && rt->options[n].name) {
		names[n] = rt->options[n].name;
		to[n] = rt->options[n].to ?: "";
		from[n] = rt->options[n].from ?: "";
		n++;
	}
	err = rt->options_begin
		      ? gn_exported(place, names, n, setup->addr)
				?: gn_exported(place, to, n, setup->to)
				?: gn_exported(place, from, n, setup->from)
		      : gn_variables(place, names, n, setup->addr);
	for (size_t i = 0; !err && i < n; i++) {
		if (rt->options[i].needed)
			setup->needed = setup->addr[i];
		setup->last = setup->addr[i];
		if (*to[i])
			setup->pointer = i;
		if ((rt->options[i].needed && !setup->addr[i]) ||
		    (*to[i] && (!setup->to[i] || !setup->from[i])))
			err = -ENOENT;
	}
	return err ?: setup->last ? 0 : -ENOENT;
}

/* Finds where a process has mapped the runtime's file, which is linked at 0. */
static int find_mapped(const struct gn_runtime *rt, pid_t pid, uint64_t *start)
{
	struct gn_mapping m;
	struct gn_maps maps;
	int err = gn_maps_open(&maps, pid);

	if (err)
		return err;
	while ((err = gn_maps_next(&maps, &m)) == 1)
		if (!m.offset && m.file.ino && gn_runtime_is_core(rt, m.name))
			break;
	*start = err == 1 ? m.start : 0;
	gn_maps_close(&maps);
	return err == 1 ? 0 : err ?: -ENOENT;
}

int gn_runtime_was_told(const struct gn_runtime *rt, const char *place,
			pid_t pid)
{
	struct gn_runtime_setup setup = {.runtime = rt};
	uint8_t value = 0;
	struct iovec to = {&value, sizeof(value)}, from = {NULL, sizeof(value)};
	uint64_t start;
	int err;

	if (!rt->options)
		return -ENOENT;
	err = find_options(rt, place, &setup) ?: find_mapped(rt, pid, &start);
	if (err)
		return err;
	from.iov_base = (void *)(uintptr_t)(start + setup.needed);
	if (process_vm_readv(pid, &to, 1, &from, 1, 0) != sizeof(value))
		return -EFAULT;
	return value != 0;
}

/* The address, as seen from another one. */
static struct gn_operand far(uint64_t addr, uint64_t from)
{
	return (struct gn_operand){.how = GN_HOW_CONSTANT,
				   .value = (int64_t)(addr - from)};
}

static int add(const struct gn_runtime_setup *setup, size_t file,
	       uint32_t which, uint64_t offset, bool begins,
	       struct gn_specs *specs, struct gn_probes *probes)
{
	const struct gn_runtime *rt = setup->runtime;
	uint64_t addr = begins ? setup->begin : setup->read;
	struct gn_spec spec = {
		.func = {.how = GN_HOW_CONSTANT, .value = begins}};
	int index;

	if (!begins || rt->options_begin)
		spec.key = far(setup->last, addr);
	if (setup->to[setup->pointer]) {
		spec.value[0] = far(setup->addr[setup->pointer], addr);
		spec.value[1] = far(setup->to[setup->pointer], addr);
	}
	index = gn_specs_add(specs, &spec);
	if (index < 0)
		return index;
	return gn_probes_add(probes, file, GN_PROG_SETUP, offset, 0,
			     GN_COOKIE(GN_FUNC(rt->id, which), 0, index));
}

static int read_head(const char *place, struct gn_elf_head *head)
{
	struct gn_image image;
	int err = gn_image_open(place, &image);

	if (err)
		return err;
	err = gn_elf_head_read(&image, head);
	gn_image_close(&image);
	return err;
}

/* Finds where the options can be set first, and the site where they must be
 * set. */
static int find_sites(const struct gn_runtime *rt, const char *place,
		      struct gn_runtime_setup *setup, uint64_t *begin,
		      struct gn_note *site)
{
	if (rt->options_begin)
		return gn_exported_code(place, rt->options_read, &site->addr,
					&site->offset)
			       ?: gn_exported_code(place, rt->options_begin,
						   &setup->begin, begin);
	return find_site(rt, place, site)
		       ?: gn_variables_begin(place, &setup->begin, begin);
}

int gn_runtime_plan_setup(const struct gn_runtime *rt, const char *place,
			  size_t file, uint32_t which, struct gn_specs *specs,
			  struct gn_probes *probes,
			  struct gn_runtime_setup *setup)
{
	struct gn_note site = {.addr = 0};
	uint64_t begin;
	int err;

	*setup = (struct gn_runtime_setup){.runtime = rt};
	err = find_sites(rt, place, setup, &begin, &site)
		      ?: find_options(rt, place, setup)
		      ?: read_head(place, &setup->head);
	setup->read = site.addr;
	if (!err)
		err = add(setup, file, which, begin, true, specs, probes);
	if (!err)
		err = add(setup, file, which, site.offset, false, specs,
			  probes);
	return err;
}
