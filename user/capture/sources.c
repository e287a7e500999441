// SPDX-License-Identifier: BSD-2-Clause
#include "capture/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/clock.h"
#include "capture/drain.h"
#include "capture/tell.h"
#include "process/files.h"
#include "process/maps.h"
#include "runtime/clr_ipc.h"
#include "runtime/clr_written.h"
#include "source/module.h"

/* Limits of what traced programs can make gnomon read and keep. */
#define MODULES_MAX 4096
#define MEMORY_MAX  (512u << 20)
#define NAMES_MAX   (16u << 20) /* bytes, of mappings */

struct known {
	uint32_t pid;
	char *path;
	struct gn_source_module *module; /* NULL: it has no lines */
};

/* The mappings of files that a process had. */
struct mappings {
	uint32_t pid; /* 0: of none */
	uint64_t time;
	struct gn_mapping *at;
	size_t n, names;
};

struct gn_sources {
	int (*put)(void *ctx, const struct gn_rec *rec, size_t size);
	void *ctx;
	struct known *known;
	size_t n, last; /* index of the one that was used last */
	bool attached;	/* modules were loaded before the capture began */
	size_t memory;
	struct mappings mappings; /* as they were read last */
};

struct gn_sources *
gn_sources_new(int (*put)(void *ctx, const struct gn_rec *rec, size_t size),
	       void *ctx, bool attached)
{
	struct gn_sources *s = calloc(1, sizeof(*s));

	if (s) {
		s->put = put;
		s->ctx = ctx;
		s->attached = attached;
	}
	return s;
}

static void forget_mappings(struct mappings *of)
{
	for (size_t i = 0; i < of->n; i++)
		free((char *)of->at[i].name);
	free(of->at);
	*of = (struct mappings){0};
}

void gn_sources_free(struct gn_sources *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		if (s->known[i].module)
			gn_source_close(s->known[i].module);
		free(s->known[i].module);
		free(s->known[i].path);
	}
	free(s->known);
	forget_mappings(&s->mappings);
	free(s);
}

/* Reports a file that cannot be used, once: the reason for missing lines. */
static void warn(const char *path, const char *why)
{
	gn_error("%s %s; its functions have no source lines", path, why);
}

static bool keep_mapping(struct mappings *of, const struct gn_mapping *m)
{
	struct gn_mapping *more;

	of->names += strlen(m->name);
	if (of->names > NAMES_MAX)
		return false;
	if (!(of->n & (of->n - 1))) {
		more = reallocarray(of->at, of->n ? of->n * 2 : 1,
				    sizeof(*more));
		if (!more)
			return false;
		of->at = more;
	}
	of->at[of->n] = *m;
	of->at[of->n].name = strdup(m->name);
	return of->at[of->n].name && ++of->n;
}

static void read_mappings(struct mappings *of, uint32_t pid)
{
	struct gn_mapping m;
	struct gn_maps maps;

	forget_mappings(of);
	of->pid = pid;
	of->time = gn_now_ns();
	if (gn_maps_open(&maps, (pid_t)pid))
		return;
	while (gn_maps_next(&maps, &m) == 1)
		if (m.file.ino && !keep_mapping(of, &m))
			break;
	gn_maps_close(&maps);
}

static int open_of(const struct mappings *of, const char *path)
{
	const struct gn_mapping *first = NULL;
	int fd = -ENOENT;

	for (size_t i = 0; i < of->n && fd != -ESTALE; i++) {
		const struct gn_mapping *m = &of->at[i];

		if (!gn_mapping_is_of(m, path))
			continue;
		if (fd < 0) {
			first = m;
			fd = gn_file_of_mapping((pid_t)of->pid, m);
		} else if (!gn_file_same(&first->file, &m->file)) {
			close(fd);
			fd = -ESTALE;
		}
	}
	return fd;
}

/*
 * Opens the mapped module itself, whatever its path leads to by now. `time`:
 * when it was mapped. -ESTALE: it could be another file that had the same path;
 * other <0: it is not mapped. A process has thousands of mappings, and names of
 * many modules can come at once, so mappings that were read after `time` are
 * used again.
 */
static int open_mapped(struct mappings *of, uint32_t pid, const char *path,
		       uint64_t time)
{
	int fd = -ENOENT;

	if (of->pid == pid && time < of->time)
		fd = open_of(of, path);
	if (fd >= 0)
		return fd;
	read_mappings(of, pid);
	return open_of(of, path);
}

/* A runtime reads a module's names from the mapped file. So a write to the file
 * changes the names of methods that it has compiled already. */
static bool is_written(uint32_t pid, int file)
{
	char why[GN_WHY_MAX];
	int socket = gn_clr_ipc_find((pid_t)pid, why);
	bool written = socket >= 0 && gn_clr_written(socket, file);

	if (socket >= 0)
		close(socket);
	return written;
}

static struct gn_source_module *load(struct gn_sources *s, uint32_t pid,
				     const char *path, uint64_t time)
{
	struct gn_source_module *m;
	enum gn_source got;
	char root[32];
	int fd, file = open_mapped(&s->mappings, pid, path, time);

	if (file == -ESTALE) {
		warn(path, "was replaced while its process ran");
		return NULL;
	}
	if (s->attached && file >= 0 && is_written(pid, file)) {
		warn(path, "was written to while its process ran, so names of "
			   "its functions can be wrong");
		close(file);
		return NULL;
	}
	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	m = fd < 0 || s->memory > MEMORY_MAX ? NULL : malloc(sizeof(*m));
	if (m) {
		got = gn_source_open(m, fd, path, file);
		if (got == GN_SOURCE_OTHER)
			warn(*m->pdb_path ? m->pdb_path : path,
			     "is from another build than its module");
		else if (got == GN_SOURCE_BAD)
			warn(*m->pdb_path ? m->pdb_path : path,
			     "has no portable PDB that can be read");
		if (got == GN_SOURCE_READ) {
			s->memory += m->file.n + m->symbols.n;
		} else {
			gn_source_close(m);
			free(m);
			m = NULL;
		}
	}
	if (fd >= 0)
		close(fd);
	if (file >= 0)
		close(file);
	return m;
}

static struct gn_source_module *module_of(struct gn_sources *s, uint32_t pid,
					  const char *path, uint64_t time)
{
	struct known *more;
	size_t i = s->last;

	if (i < s->n && s->known[i].pid == pid &&
	    !strcmp(s->known[i].path, path))
		return s->known[i].module;
	for (i = 0; i < s->n; i++)
		if (s->known[i].pid == pid && !strcmp(s->known[i].path, path))
			break;
	if (i == s->n) {
		if (s->n == MODULES_MAX)
			return NULL;
		more = reallocarray(s->known, s->n + 1, sizeof(*more));
		if (!more)
			return NULL;
		s->known = more;
		more[i] = (struct known){.pid = pid, .path = strdup(path)};
		if (!more[i].path)
			return NULL;
		more[i].module = load(s, pid, path, time);
		s->n++;
	}
	s->last = i;
	return s->known[i].module;
}

struct lines {
	struct gn_sources *s;
	const struct gn_rec_text *name;
	uint32_t document;
};

static void put_line(void *ctx, int32_t state, const struct gn_pdb_point *point)
{
	const struct lines *l = ctx;
	struct gn_rec_line r = {
		.h.kind = GN_KIND_AWAIT_LINE,
		.func = l->name->id,
		.pid = l->name->ref,
		.state = state,
		.line = point->line,
	};

	/* #line can lead to another file */
	if (point->document == l->document)
		l->s->put(l->s->ctx, &r.h, sizeof(r));
}

static void tell(struct gn_sources *s, struct gn_source_module *m,
		 const struct gn_rec_text *name, uint32_t method)
{
	struct lines lines = {s, name, 0};
	char file[GN_PDB_FILE_MAX];
	struct gn_pdb_point first;

	if (!gn_pdb_first(&m->pdb, method, &first) ||
	    !gn_pdb_file(&m->pdb, first.document, file))
		return;
	gn_text_record_to(s->put, s->ctx, GN_KIND_SOURCE, name->id, name->ref,
			  first.line, 0, file, "");
	lines.document = first.document;
	gn_source_awaits(m, method, put_line, &lines);
}

/* Drops the last module: reading its lines takes longer than any compiler's
 * should. */
static void give_up(struct gn_sources *s, const char *path)
{
	struct gn_source_module **m = &s->known[s->last].module;

	warn(*(*m)->pdb_path ? (*m)->pdb_path : path,
	     "has a portable PDB that takes too long to read");
	s->memory -= (*m)->file.n + (*m)->symbols.n;
	gn_source_close(*m);
	free(*m);
	*m = NULL;
}

/* Whether the module is a script. What eval() runs is in no file, nor is what
 * Python calls "<string>" and Ruby "<internal:kernel>". */
static bool is_script(uint32_t runtime, const char *path)
{
	if (runtime == GN_RUNTIME_CPYTHON || runtime == GN_RUNTIME_RUBY)
		return *path && *path != '<';
	return GN_RUNTIME_IS_PHP(runtime) && *path == '/' &&
	       !strstr(path, ") : eval()'d code");
}

/* The name of a script's function has the line where it begins. */
static void tell_script(struct gn_sources *s, const struct gn_rec_text *name,
			const char *path)
{
	gn_text_record_to(s->put, s->ctx, GN_KIND_SOURCE, name->id, name->ref,
			  name->h.key, 0, path, "");
}

void gn_sources_record(struct gn_sources *s, const struct gn_rec *rec)
{
	const struct gn_rec_text *name = (const void *)rec;
	struct gn_source_module *m;
	char path[GN_SENT_MODULE_MAX + 1];
	uint32_t runtime;

	if (rec->kind != GN_KIND_NAME || !rec->key ||
	    name->len[1] > GN_SENT_MODULE_MAX)
		return;
	runtime = GN_FUNC_RUNTIME(name->id);
	memcpy(path, name->text + name->len[0], name->len[1]);
	path[name->len[1]] = '\0';
	if (is_script(runtime, path))
		tell_script(s, name, path);
	if (!GN_RUNTIME_IS_DOTNET(runtime) || *path != '/' ||
	    GN_TOKEN_TABLE((gn_token)rec->key) != GN_TOKEN_METHODDEF)
		return;
	m = module_of(s, name->ref, path, rec->time);
	if (!m)
		return;
	tell(s, m, name, GN_TOKEN_ROW(rec->key));
	if (!m->pdb.left)
		give_up(s, path);
}
