// SPDX-License-Identifier: BSD-2-Clause
/*
 * The modules of a running CLR. It has the file of each module mapped. A module
 * that it was given as bytes is in memory of the same form, for which the
 * kernel has a file too. The process controls what is mapped: it can be
 * hostile.
 */
#include "runtime/clr_modules.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gnomon/path.h>
#include "hooksite/clr/filter.h"
#include "hooksite/clr/md_await.h"
#include "hooksite/clr/md_name.h"
#include "process/files.h"
#include "source/module.h"

#define FILES_MAX 4096
#define BYTES_MAX (2ull << 30) /* of the files that are read, in all */
#define TEXT_MAX  1024	       /* as names.h has it */

struct modules {
	pid_t pid;
	const struct gn_managed_take *take;
	struct gn_file_id seen[FILES_MAX];
	size_t n;
	uint64_t bytes;
	bool suspends; /* the runtime tells when it suspends methods */
};

struct functions {
	const struct gn_managed_take *take;
	const struct gn_md *md;
	bool no_helpers, suspends;
	int err;
};

static bool take_type(void *ctx, struct gn_text *name)
{
	const struct functions *f = ctx;

	(void)name;
	return !f->err;
}

static void take_method(void *ctx, struct gn_text *type, uint32_t row)
{
	struct gn_managed_function function = {.unhooked = GN_UNHOOKED_NOT};
	struct functions *f = ctx;
	struct gn_md_method m;
	struct gn_text name;
	char bytes[TEXT_MAX];

	(void)type;
	gn_md_method(f->md, row, &m);
	if (f->err || m.flags & GN_MD_ABSTRACT)
		return;
	gn_text_init(&name, bytes, sizeof(bytes));
	gn_md_put_method(f->md, row, NULL, &name);
	if (!gn_md_has_il(&m))
		function.unhooked = GN_UNHOOKED_NO_IL;
	else if ((m.impl & GN_MD_IMPL_ASYNC && !f->suspends) ||
		 gn_md_suspends_others(bytes))
		function.unhooked = GN_UNHOOKED_SUSPENDED;
	else if (gn_filter_never(bytes))
		function.unhooked = GN_UNHOOKED_POLL;
	else if (f->no_helpers && gn_filter_helper(bytes))
		function.unhooked = GN_UNHOOKED_HELPER;
	function.generic = gn_md_generic(f->md, row);
	function.name = bytes;
	f->err = f->take->function(f->take->ctx, &function);
}

/* Whether the runtime is too old for hooks in helpers: the core library has the
 * version of its runtime. */
static bool has_no_helpers(const struct gn_md *md)
{
	return !strcmp(gn_md_assembly(md), "System.Private.CoreLib") &&
	       gn_md_assembly_major(md) < GN_HELPERS_HOOKED_FROM;
}

static int take_functions(const struct modules *s, const struct gn_md *md)
{
	struct functions f = {
		.take = s->take,
		.md = md,
		.no_helpers = has_no_helpers(md),
		.suspends = s->suspends,
	};
	char room[TEXT_MAX];

	gn_md_visit(md,
		    &(struct gn_md_visitor){NULL, take_type, take_method, &f},
		    room, sizeof(room));
	return f.err;
}

bool gn_clr_named_as_module(const char *path)
{
	size_t len = strlen(path);

	return len > 4 && !strcmp(path + len - 4, ".dll");
}

static int take_file(struct modules *s, const struct gn_mapping *m, int fd)
{
	struct gn_managed_module module = {0};
	struct gn_source_module source;
	char name[PATH_MAX];
	struct stat st;
	int err = 0;

	snprintf(name, sizeof(name), "%s", m->name);
	module.path = gn_file_own_name(s->pid, fd, name);
	module.in_memory = gn_mapping_is_of(m, GN_CLR_IN_MEMORY);
	if (fstat(fd, &st))
		return 0;
	s->bytes += (uint64_t)st.st_size;
	if (st.st_size > (off_t)GN_SOURCE_FILE_MAX || s->bytes > BYTES_MAX) {
		module.error = -EFBIG;
		return s->take->module(s->take->ctx, &module);
	}
	if (gn_source_read(&source, fd)) {
		if (module.in_memory)
			module.path = gn_md_assembly(&source.md);
		err = s->take->module(s->take->ctx, &module);
		if (!err)
			err = take_functions(s, &source.md);
	} else if (gn_clr_named_as_module(module.path)) {
		module.error = -ENOEXEC;
		err = s->take->module(s->take->ctx, &module);
	}
	gn_source_close(&source);
	return err;
}

static int take_mapping(struct modules *s, const struct gn_mapping *m)
{
	struct gn_managed_module module = {.path = m->name};
	int fd, err = 0;

	if (!m->file.ino || m->name[0] != '/' || !m->read)
		return 0;
	for (size_t i = 0; i < s->n; i++)
		if (gn_file_same(&s->seen[i], &m->file))
			return 0;
	if (s->n == FILES_MAX)
		return -E2BIG;
	s->seen[s->n++] = m->file;
	fd = gn_file_of_mapping(s->pid, m);
	if (fd >= 0 && gn_source_begins(fd))
		err = take_file(s, m, fd);
	else if (fd < 0 && gn_clr_named_as_module(m->name)) {
		module.error = fd;
		err = s->take->module(s->take->ctx, &module);
	}
	if (fd >= 0)
		close(fd);
	return err;
}

/* Whether the mapping is of a core library whose runtime tells when it suspends
 * methods. */
static bool is_core_that_suspends(pid_t pid, const struct gn_mapping *m)
{
	struct gn_md_suspends found;
	struct gn_source_module source;
	bool suspends;
	int fd;

	if (!m->file.ino || !m->read ||
	    strcmp(gn_base_name(m->name), "System.Private.CoreLib.dll"))
		return false;
	fd = gn_file_of_mapping(pid, m);
	if (fd < 0)
		return false;
	suspends = gn_source_read(&source, fd) &&
		   gn_md_find_suspends(&source.md, &found);
	gn_source_close(&source);
	close(fd);
	return suspends;
}

static int learn_core(struct modules *s)
{
	struct gn_mapping m;
	struct gn_maps maps;
	int err = gn_maps_open(&maps, s->pid), got = 0;

	if (err)
		return err;
	while (!s->suspends && (got = gn_maps_next(&maps, &m)) > 0)
		s->suspends = is_core_that_suspends(s->pid, &m);
	gn_maps_close(&maps);
	return got < 0 ? got : 0;
}

int gn_clr_modules(pid_t pid, const struct gn_managed_take *take)
{
	struct modules *s = calloc(1, sizeof(*s));
	struct gn_mapping m;
	struct gn_maps maps;
	int err, got;

	if (!s)
		return -ENOMEM;
	s->pid = pid;
	s->take = take;
	err = learn_core(s);
	if (!err)
		err = gn_maps_open(&maps, pid);
	if (!err) {
		while (!err && (got = gn_maps_next(&maps, &m)))
			err = got < 0 ? got : take_mapping(s, &m);
		gn_maps_close(&maps);
	}
	free(s);
	return err;
}
