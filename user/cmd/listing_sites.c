/* SPDX-License-Identifier: BSD-2-Clause */
/* Sites that files describe in notes: hook-site libraries, USDT probes. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnomon/hooksite.h>
#include "cmd/listing.h"

const char *gn_list_kind_name(const struct gn_list_hook *h)
{
	static const char *const names[] = {
#define KIND_TEXT(name, value, text, stream, type) [value] = text,
		GN_KIND_LIST(KIND_TEXT)
#undef KIND_TEXT
	};

	if (!h->site)
		return NULL;
	if (h->site->prog == GN_PROG_NAME)
		return names[GN_KIND_NAME];
	return names[h->site->kind];
}

static void read_insn(int fd, uint64_t offset, struct gn_list_insn *in)
{
	in->offset = offset;
	in->cost = gn_usdt_cost(fd, offset, in->text);
}

static const struct gn_runtime_site *site_of(const struct gn_runtime *rt,
					     const struct gn_note *note)
{
	for (size_t i = 0; i < rt->nsites; i++) {
		const struct gn_runtime_site *site = &rt->sites[i];

		if (!strcmp(site->name, note->name) &&
		    !strcmp(site->provider ? site->provider : rt->provider,
			    note->provider))
			return site;
	}
	return NULL;
}

/* Lists all sites of a library, but only those probes of a runtime that are
 * used. */
static bool is_listed(const struct gn_runtime *rt, const struct gn_note *note)
{
	return rt->library ? !strcmp(note->provider, rt->provider)
			   : site_of(rt, note) != NULL;
}

/* `path`: where the library can be read. */
static int read_hooks(struct gn_list_runtime *r, const char *path)
{
	struct gn_note *notes = NULL;
	size_t count = 0;
	int fd, err;

	err = gn_notes_read(path, &notes, &count, NULL);
	if (err)
		return err;
	r->hook = calloc(count, sizeof(*r->hook));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!r->hook || fd < 0) {
		err = r->hook ? -errno : -ENOMEM;
		goto out;
	}
	for (size_t i = 0; i < count; i++) {
		struct gn_list_hook *h = &r->hook[r->nhooks];

		if (!is_listed(r->runtime, &notes[i]))
			continue;
		memcpy(h->name, notes[i].name, sizeof(h->name));
		h->site = site_of(r->runtime, &notes[i]);
		read_insn(fd, notes[i].offset, &h->nop1);
		if (r->runtime->library)
			read_insn(fd, notes[i].offset + GN_SITE_NOP5, &h->nop5);
		r->nhooks++;
	}
	if (!r->nhooks)
		err = -ENOENT;
out:
	if (fd >= 0)
		close(fd);
	free(notes);
	return err;
}

/* Adds a row for the runtime. `file`: the file with its sites; NULL: the one
 * that gnomon would use. */
static int add_runtime(struct gn_listing *l, const struct gn_runtime *rt,
		       const char *why, const struct gn_file *file)
{
	char place[GN_FILE_PLACE];
	void *row, *grown = gn_list_more(l->runtime, l->nruntimes,
					 sizeof(*l->runtime), &row);
	struct gn_list_runtime *r = row;

	if (!grown)
		return -ENOMEM;
	l->runtime = grown;
	l->nruntimes++;
	r->runtime = rt;
	r->why = why;
	if (!file && !rt->library)
		r->error = rt->find_core(
			gn_file_place(l->files.file[0].fd, place), r->library);
	else if (!file)
		r->error = gn_runtime_library(rt, false, r->library,
					      sizeof(r->library));
	else if (strlen(file->path) < sizeof(r->library))
		strcpy(r->library, file->path);
	else
		r->error = -ENAMETOOLONG;
	if (!r->error)
		r->error = read_hooks(r, file ? gn_file_place(file->fd, place)
					      : r->library);
	return r->error == -ENOMEM ? -ENOMEM : 0;
}

/* The runtime's own file, where a process has mapped it or the program is
 * linked with it; NULL: the runtime has its sites in a library, or is not
 * there. */
static const struct gn_file *mapped_core(const struct gn_listing *l,
					 const struct gn_runtime *rt)
{
	for (size_t i = 1; !rt->library && i < l->files.count; i++)
		if (l->files.file[i].fd >= 0 &&
		    gn_runtime_is_core(rt, l->files.file[i].path))
			return &l->files.file[i];
	return NULL;
}

/* Sets *is to whether the file has notes of the runtime's hook-site library. 0
 * or -ENOMEM. */
static int is_library_of(const struct gn_runtime *rt, const char *path,
			 bool *is)
{
	struct gn_note *notes = NULL;
	size_t count = 0;
	int err = gn_notes_read(path, &notes, &count, NULL);

	*is = false;
	for (size_t i = 0; !err && i < count; i++)
		*is = *is || !strcmp(notes[i].provider, rt->provider);
	free(notes);
	return err == -ENOMEM ? err : 0;
}

int gn_listing_runtimes(struct gn_listing *l, bool any, const char *why_any,
			bool itself)
{
	const struct gn_file *first = &l->files.file[0], *core;
	const struct gn_runtime *rt;
	char program[GN_FILE_PLACE];
	int err = 0;

	gn_file_place(first->fd, program);

	for (size_t i = 0; !err && (rt = gn_runtime_at(i)); i++) {
		bool is = false;

		if (itself)
			err = is_library_of(rt, program, &is);
		if (err)
			break;
		if (is)
			err = add_runtime(l, rt, "this file", first);
		else if (any && rt->library)
			err = add_runtime(l, rt, why_any, NULL);
		else if ((core = mapped_core(l, rt)))
			err = add_runtime(l, rt, "loaded", core);
		else if (!l->library && gn_runtime_starts(rt, program))
			err = add_runtime(l, rt, "the program starts it", NULL);
	}
	return err;
}

void gn_list_arguments(const struct gn_note *note, char text[GN_LIST_ARGUMENTS])
{
	const char *pos = note->args + strspn(note->args, " ");
	size_t n = 0, len;
	FILE *f = fmemopen(text, GN_LIST_ARGUMENTS, "w");

	*text = '\0';
	for (; f && (len = strcspn(pos, " ")); n++) {
		fprintf(f, "%s%.*s%s", n ? " " : "", (int)len, pos,
			gn_list_readable(note, n) ? "" : " (unreadable)");
		pos += len;
		pos += strspn(pos, " ");
	}
	if (f)
		fclose(f);
}

static int add_usdt(struct gn_listing *l, size_t file, int fd,
		    const struct gn_note *note)
{
	void *row, *grown = gn_list_more(l->usdt, l->nusdt, sizeof(*l->usdt),
					 &row);
	struct gn_list_usdt *probe = row;

	if (!grown)
		return -ENOMEM;
	l->usdt = grown;
	l->nusdt++;
	probe->file = file;
	probe->note = *note;
	read_insn(fd, note->offset, &probe->insn);
	return 0;
}

static int file_usdt(struct gn_listing *l, size_t file,
		     struct gn_filter *filter, bool all)
{
	const struct gn_file *in = &l->files.file[file];
	char place[GN_FILE_PLACE];
	struct gn_note *notes = NULL;
	char full[sizeof(notes->provider) + sizeof(notes->name) + 1];
	size_t count = 0;
	int err = in->fd < 0 ? -EACCES
			     : gn_notes_read(gn_file_place(in->fd, place),
					     &notes, &count, &l->left);

	gn_filter_usdt(filter, in->path, in->program, NULL, NULL);
	if (err)
		return err == -ENOMEM ? err : 0;
	for (size_t i = 0; !err && i < count; i++) {
		snprintf(full, sizeof(full), "%s:%s", notes[i].provider,
			 notes[i].name);
		if (all ||
		    gn_filter_usdt(filter, in->path, in->program,
				   notes[i].provider, notes[i].name) ||
		    gn_filter_function(filter, in->path, in->program,
				       notes[i].name, full))
			err = add_usdt(l, file, in->fd, &notes[i]);
	}
	free(notes);
	return err;
}

int gn_listing_usdt(struct gn_listing *l, struct gn_filter *filter, bool all)
{
	int err = 0;

	for (size_t i = 0; !err && i < l->files.count; i++)
		err = file_usdt(l, i, filter, all);
	return err;
}
