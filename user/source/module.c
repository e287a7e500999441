// SPDX-License-Identifier: BSD-2-Clause
#include "source/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "hooksite/clr/md_async.h"
#include "hooksite/clr/md_await.h"
#include "process/regular.h"

#define ENTRY	       28u /* of the debug directory */
#define ENTRIES_MAX    64u
#define TYPE_CODEVIEW  2
#define TYPE_EMBEDDED  17
#define PORTABLE       0x504d
#define CODEVIEW_FIXED 24u /* "RSDS", a GUID, an age; the path follows */
#define PART_MAX       4096u

static bool in_file(void *ctx, const uint8_t *at, size_t n)
{
	const struct gn_bytes *file = ctx;
	uintptr_t from = (uintptr_t)at - (uintptr_t)file->at;

	return from <= file->n && n <= file->n - from;
}

/* Allocates zeros of the file's size. 0, -EFBIG, -EINVAL, -ENOMEM. */
static int room_for(int fd, struct gn_bytes *out)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return -EINVAL;
	if (st.st_size > (off_t)GN_SOURCE_FILE_MAX)
		return -EFBIG;
	*out = (struct gn_bytes){calloc(1, (size_t)st.st_size),
				 (size_t)st.st_size};
	return out->at ? 0 : -ENOMEM;
}

/* Reads a range of the file into the same offset of `room`. */
static bool read_range(int fd, const struct gn_bytes *room, size_t from,
		       size_t n)
{
	while (n) {
		ssize_t got = pread(fd, (uint8_t *)(uintptr_t)room->at + from,
				    n, (off_t)from);

		if (got <= 0)
			return false;
		from += (size_t)got;
		n -= (size_t)got;
	}
	return true;
}

/* Reads a whole file. The errors of room_for(), and -EIO. */
static int read_open(int fd, struct gn_bytes *out)
{
	struct gn_bytes room;
	int err = room_for(fd, &room);

	if (err)
		return err;
	if (!read_range(fd, &room, 0, room.n)) {
		free((void *)(uintptr_t)room.at);
		return -EIO;
	}
	*out = room;
	return 0;
}

/* The same for a path; -ENOENT: there is no such file. */
static int read_file(int root, const char *path, struct gn_bytes *out)
{
	int fd = gn_regular_open_in(root, path), err;

	if (fd < 0)
		return -ENOENT;
	err = read_open(fd, out);
	close(fd);
	return err;
}

/* The i-th entry of the debug directory, and its data. */
static bool entry_at(const struct gn_source_module *m, uint32_t i,
		     const uint8_t **entry, struct gn_bytes *data)
{
	const uint8_t *e;

	if (!m->pe.debug.at || i >= ENTRIES_MAX ||
	    (size_t)(i + 1) * ENTRY > m->pe.debug.n)
		return false;
	*entry = e = m->pe.debug.at + (size_t)i * ENTRY;
	data->n = gn_le_get(e + 16, 4);
	data->at = gn_pe_at(&m->pe, gn_le_get(e + 20, 4), (uint32_t)data->n);
	if (!data->at)
		data->n = 0;
	return true;
}

static bool find_entry(const struct gn_source_module *m, uint32_t type,
		       const uint8_t **entry, struct gn_bytes *data)
{
	for (uint32_t i = 0; entry_at(m, i, entry, data); i++)
		if (gn_le_get(*entry + 12, 4) == type &&
		    (type != TYPE_CODEVIEW ||
		     gn_le_get(*entry + 10, 2) == PORTABLE))
			return true;
	return false;
}

/* The id that the module's PDB must have: a GUID, and the entry's time
 * stamp. */
static bool wanted_id(const struct gn_source_module *m,
		      uint8_t id[GN_MD_PDB_ID], struct gn_bytes *path)
{
	const uint8_t *entry;
	struct gn_bytes data;

	if (!find_entry(m, TYPE_CODEVIEW, &entry, &data) ||
	    data.n < CODEVIEW_FIXED || data.n > PART_MAX ||
	    memcmp(data.at, "RSDS", 4) != 0)
		return false;
	memcpy(id, data.at + 4, 16);
	memcpy(id + 16, entry + 4, 4);
	*path = (struct gn_bytes){data.at + CODEVIEW_FIXED,
				  data.n - CODEVIEW_FIXED};
	path->n = strnlen((const char *)path->at, path->n);
	return true;
}

/* The data: "MPDB", the inflated size, and the deflated PDB. */
static int inflate_embedded(const struct gn_bytes *data, struct gn_bytes *out)
{
	z_stream z = {0};
	uint32_t size;
	int got;

	if (data->n < 8 || memcmp(data->at, "MPDB", 4) != 0)
		return -EINVAL;
	size = gn_le_get(data->at + 4, 4);
	/* deflate compresses at most to a 1032nd */
	if (!size || size > GN_SOURCE_FILE_MAX || size / 1040 > data->n)
		return -EINVAL;
	out->at = malloc(size);
	if (!out->at)
		return -ENOMEM;
	z.next_in = (uint8_t *)(uintptr_t)(data->at + 8);
	z.avail_in = (uInt)(data->n - 8);
	z.next_out = (uint8_t *)(uintptr_t)out->at;
	z.avail_out = size;
	if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
		return -ENOMEM;
	got = inflate(&z, Z_FINISH);
	out->n = size;
	inflateEnd(&z);
	return got == Z_STREAM_END && !z.avail_out ? 0 : -EINVAL;
}

static bool open_pe(struct gn_source_module *m)
{
	return gn_pe_open(&m->pe, m->file.at, true, in_file, &m->file) &&
	       gn_md_open(&m->md, &m->pe.metadata);
}

/* Opens the PDB in `symbols`. */
static enum gn_source open_pdb(struct gn_source_module *m)
{
	uint8_t id[GN_MD_PDB_ID];
	struct gn_bytes path;

	if (!gn_pdb_open(&m->pdb, &m->symbols))
		return GN_SOURCE_BAD;
	if (!wanted_id(m, id, &path) || memcmp(id, m->pdb.id, sizeof(id)) != 0)
		return GN_SOURCE_OTHER;
	return GN_SOURCE_READ;
}

static bool embedded(const struct gn_source_module *m, struct gn_bytes *data)
{
	const uint8_t *entry;

	return find_entry(m, TYPE_EMBEDDED, &entry, data);
}

static enum gn_source open_embedded(struct gn_source_module *m,
				    const struct gn_bytes *data)
{
	return inflate_embedded(data, &m->symbols) ? GN_SOURCE_BAD
						   : open_pdb(m);
}

enum gn_source gn_source_take(struct gn_source_module *m,
			      const struct gn_bytes *file,
			      const struct gn_bytes *beside)
{
	struct gn_bytes data;

	*m = (struct gn_source_module){.file = *file, .symbols = *beside};
	if (!open_pe(m))
		return GN_SOURCE_NONE;
	if (m->symbols.at)
		return open_pdb(m);
	return embedded(m, &data) ? open_embedded(m, &data) : GN_SOURCE_NONE;
}

/* The path of a PDB in the module's directory, with the last part of the name
 * that the compiler gave it. */
static bool path_beside(struct gn_source_module *m, const char *path)
{
	const char *slash = strrchr(path, '/');
	uint8_t id[GN_MD_PDB_ID];
	struct gn_bytes name;
	size_t from;
	int len;

	if (!slash || !wanted_id(m, id, &name))
		return false;
	from = name.n;
	while (from && name.at[from - 1] != '/' && name.at[from - 1] != '\\')
		from--;
	if (from == name.n)
		return false;
	len = snprintf(m->pdb_path, sizeof(m->pdb_path), "%.*s/%.*s",
		       (int)(slash - path), path, (int)(name.n - from),
		       (const char *)name.at + from);
	return len > 0 && (size_t)len < sizeof(m->pdb_path);
}

struct part {
	struct gn_bytes file;
	int fd;
};

/* Reads only the beginning of a long part. */
static bool read_part(void *ctx, const uint8_t *at, size_t n)
{
	struct part *part = ctx;

	return in_file(&part->file, at, n) &&
	       read_range(part->fd, &part->file, (size_t)(at - part->file.at),
			  n < PART_MAX ? n : PART_MAX);
}

static bool is_there(int root, const char *path)
{
	int fd = gn_regular_open_in(root, path);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Reads only a few parts of the module, because most modules have no PDB, and
 * some have 20 MB. */
static bool has_pdb(int root, const char *path, int file)
{
	struct gn_source_module m = {0};
	struct part part = {.fd = file};
	struct gn_bytes data;
	bool has;

	if (room_for(file, &part.file))
		return false;
	has = gn_pe_open(&m.pe, part.file.at, true, read_part, &part) &&
	      (embedded(&m, &data) ||
	       (path_beside(&m, path) && is_there(root, m.pdb_path)));
	free((void *)(uintptr_t)part.file.at);
	return has;
}

static enum gn_source open_both(struct gn_source_module *m, int root,
				const char *path, int file)
{
	struct gn_bytes data;
	int err;

	if (!has_pdb(root, path, file) || read_open(file, &m->file) ||
	    !open_pe(m))
		return GN_SOURCE_NONE;
	if (embedded(m, &data))
		return open_embedded(m, &data);
	if (!path_beside(m, path))
		return GN_SOURCE_NONE;
	err = read_file(root, m->pdb_path, &m->symbols);
	return err == -ENOENT ? GN_SOURCE_NONE
	       : err	      ? GN_SOURCE_BAD
			      : open_pdb(m);
}

enum gn_source gn_source_open(struct gn_source_module *m, int root,
			      const char *path, int file)
{
	int own = file < 0 ? gn_regular_open_in(root, path) : -1;
	enum gn_source got = GN_SOURCE_NONE;

	*m = (struct gn_source_module){0};
	if (file >= 0 || own >= 0)
		got = open_both(m, root, path, file < 0 ? own : file);
	if (own >= 0)
		close(own);
	return got;
}

bool gn_source_begins(int file)
{
	char head[2];

	return pread(file, head, 2, 0) == 2 && head[0] == 'M' && head[1] == 'Z';
}

bool gn_source_read(struct gn_source_module *m, int file)
{
	*m = (struct gn_source_module){0};
	return gn_source_begins(file) && !read_open(file, &m->file) &&
	       open_pe(m);
}

void gn_source_close(struct gn_source_module *m)
{
	free((void *)(uintptr_t)m->file.at);
	free((void *)(uintptr_t)m->symbols.at);
	gn_pdb_close(&m->pdb);
	m->file = m->symbols = (struct gn_bytes){NULL, 0};
}

/* The cost of searching it for a state machine: each store, of six bytes or
 * more, can be compared with each clause. */
static uint64_t cost_of(const struct gn_il_method *il)
{
	struct gn_il_clause clause;
	struct gn_il_clauses it;
	uint64_t n = 0;

	gn_il_clauses(il, &it);
	while (gn_il_next_clause(&it, &clause) == 1)
		n++;
	return il->code_size + n * (il->code_size / 6);
}

/* The body's header has its size. Until that is read, the rest of the section
 * is the limit. */
static bool read_body(const struct gn_source_module *m, uint32_t address,
		      struct gn_il_method *il)
{
	uint32_t size = 0;

	for (uint32_t bit = GN_IL_CODE_MAX; bit; bit /= 2)
		if (gn_pe_at(&m->pe, address, size | bit))
			size |= bit;
	return size && !gn_il_read(gn_pe_at(&m->pe, address, size), size, il);
}

/* The awaits of a method that the runtime itself suspends: their numbers. */
static void find_awaits(struct gn_source_module *m, uint32_t method,
			const struct gn_il_method *il,
			void (*each)(void *ctx, int32_t state,
				     const struct gn_pdb_point *point),
			void *ctx)
{
	struct gn_il_awaits awaits;
	struct gn_pdb_points points;
	struct gn_pdb_point point;

	if (gn_il_find_awaits(il, gn_md_call, &m->md, &awaits))
		return;
	gn_pdb_points(&m->pdb, method, &points);
	for (uint32_t i = 0; i < awaits.n; i++)
		if (gn_pdb_before(&points, awaits.each[i].at, &point))
			each(ctx, (int32_t)i, &point);
	gn_il_awaits_free(&awaits);
}

void gn_source_awaits(struct gn_source_module *m, uint32_t method,
		      void (*each)(void *ctx, int32_t state,
				   const struct gn_pdb_point *point),
		      void *ctx)
{
	struct gn_il_machine machine;
	struct gn_pdb_points points;
	struct gn_pdb_point point;
	struct gn_md_method told;
	struct gn_il_method il;

	gn_md_method(&m->md, method, &told);
	if (!told.address ||
	    (!(told.impl & GN_MD_IMPL_ASYNC) &&
	     !gn_md_is_machine(&m->md, method)) ||
	    !read_body(m, told.address, &il) ||
	    !gn_pdb_spend(&m->pdb, cost_of(&il)))
		return;
	if (told.impl & GN_MD_IMPL_ASYNC) {
		find_awaits(m, method, &il, each, ctx);
		return;
	}
	if (gn_il_machine(&il, gn_md_machine_member, &m->md, &machine))
		return;
	gn_pdb_points(&m->pdb, method, &points);
	for (size_t i = 0; i < machine.n; i++)
		if (machine.stores[i].kind == GN_IL_SUSPENDS &&
		    gn_pdb_before(&points, machine.stores[i].at, &point))
			each(ctx, machine.stores[i].state, &point);
	gn_il_machine_free(&machine);
}
