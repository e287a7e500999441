/* SPDX-License-Identifier: BSD-2-Clause */
#include "compare/paths.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "compare/names.h"
#include "model/mem.h"
#include "output/rows.h"

struct name {
	char *text;
	uint32_t id;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text,
		      ((const struct name *)b)->text);
}

static int add_name(struct gn_paths_of_both *p, char *text, uint32_t *id)
{
	struct name *one = malloc(sizeof(*one));

	if (!one || gn_grow(&p->names, &p->names_cap, (size_t)p->nnames + 1,
			    sizeof(*p->names))) {
		free(one);
		return -ENOMEM;
	}
	*one = (struct name){text, p->nnames};
	if (!tsearch(one, &p->index, by_text)) {
		free(one);
		return -ENOMEM;
	}
	p->names[p->nnames++] = text;
	*id = one->id;
	return 0;
}

/* Gets the id of a name, and takes ownership of `text`. NULL: no memory. */
static int name_id(struct gn_paths_of_both *p, char *text, uint32_t *id)
{
	struct name key = {.text = text}, **found;
	int err;

	if (!text)
		return -ENOMEM;
	found = tfind(&key, &p->index, by_text);
	if (found) {
		*id = (*found)->id;
		free(text);
		return 0;
	}
	err = add_name(p, text, id);
	if (err)
		free(text);
	return err;
}

static int find_path(struct gn_paths_of_both *p, int32_t parent, uint32_t name,
		     int32_t *path)
{
	uint64_t key = (uint64_t)(uint32_t)parent << 32 | name;
	uint32_t at = gn_table_get(&p->kids, key);
	int err = 0;

	if (at == GN_NONE) {
		err = gn_grow(&p->path, &p->cap, (size_t)p->n + 1,
			      sizeof(*p->path));
		if (!err)
			err = gn_table_put(&p->kids, key, p->n);
		if (err)
			return err;
		at = p->n++;
		p->path[at] = (struct gn_path){.parent = parent, .name = name};
	}
	*path = (int32_t)at;
	return 0;
}

static void sum(struct gn_path_values *to, const struct gn_values *v,
		bool called)
{
	to->elapsed += v->elapsed_incl;
	to->app += v->app_incl;
	to->calls += called ? v->calls : 0;
}

/* Gets the ids of the lasting names of all functions. */
static int name_functions(struct gn_paths_of_both *p, const struct gn_model *m,
			  uint32_t *id)
{
	int err = 0;

	for (size_t i = 0; i < m->nfunctions && !err; i++)
		err = name_id(p,
			      gn_lasting_function(
				      gn_function_shown(&m->functions[i])),
			      &id[i]);
	return err;
}

static int add_row(struct gn_paths_of_both *p, enum gn_side side,
		   const struct gn_model *m, const struct gn_row *row,
		   const uint32_t *id, int32_t *path)
{
	int32_t function = m->nodes[row->id].function;
	uint32_t name;
	int err = 0;

	if (function >= 0)
		name = id[function];
	else
		err = name_id(p, gn_lasting_thread(row->name), &name);
	if (!err)
		err = find_path(p, row->depth ? path[row->depth - 1] : -1, name,
				&path[row->depth]);
	if (!err)
		sum(&p->path[path[row->depth]].of[side], row->v, function >= 0);
	return err;
}

int gn_paths_add(struct gn_paths_of_both *p, enum gn_side side,
		 const struct gn_model *m)
{
	struct gn_output_opts opts = {.by = GN_BY_TREE};
	uint32_t *id = calloc(m->nfunctions + 1, sizeof(*id));
	int32_t *path = NULL;
	struct gn_rows rows;
	int err = gn_rows_make(m, &opts, &rows);

	path = calloc(rows.n + 1, sizeof(*path));
	if (!err && (!id || !path))
		err = -ENOMEM;
	if (!err)
		err = name_functions(p, m, id);
	for (size_t i = 0; i < rows.n && !err; i++)
		err = add_row(p, side, m, &rows.row[i], id, path);
	free(path);
	free(id);
	gn_rows_clear(&rows);
	return err;
}

void gn_paths_free(struct gn_paths_of_both *p)
{
	if (!p)
		return;
	tdestroy(p->index, free);
	for (uint32_t i = 0; i < p->nnames; i++)
		free(p->names[i]);
	gn_table_free(&p->kids);
	free(p->names);
	free(p->path);
	free(p);
}
