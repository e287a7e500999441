/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of runtimes that running processes have loaded. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/prepare.h"
#include "cmd/cmd.h"
#include "cmd/listing.h"
#include "output/text.h"

#define TEXT(name, word, why) why,
#define WORD(name, word, why) word,

const char *gn_list_unhooked_word(enum gn_unhooked unhooked)
{
	static const char *const words[] = {"yes", GN_UNHOOKED_LIST(WORD)};

	return words[unhooked];
}

const char *gn_list_unhooked_why(enum gn_unhooked unhooked)
{
	static const char *const texts[] = {NULL, GN_UNHOOKED_LIST(TEXT)};

	return texts[unhooked];
}

struct collect {
	struct gn_listing *l;
	char *globs; /* one a line, as a session has them; NULL: none */
	struct gn_filter *filter;
	bool (*matches)(const char *glob, const char *name, const char *module);
};

static int take_module(void *ctx, const struct gn_managed_module *m)
{
	struct gn_listing *l = ((struct collect *)ctx)->l;
	void *row, *grown = gn_list_more(l->module, l->nmodules,
					 sizeof(*l->module), &row);
	struct gn_list_module *to = row;

	if (!grown)
		return -ENOMEM;
	l->module = grown;
	to->in_memory = m->in_memory;
	to->error = m->error;
	to->path = strdup(m->path);
	if (!to->path)
		return -ENOMEM;
	l->nmodules++;
	return 0;
}

static int take_function(void *ctx, const struct gn_managed_function *f)
{
	struct collect *c = ctx;
	struct gn_listing *l = c->l;
	struct gn_list_module *module = &l->module[l->nmodules - 1];
	struct gn_list_managed *to;
	void *row, *grown;

	module->functions++;
	module->generic += f->generic;
	module->unhooked[f->unhooked]++;
	if (!c->globs || !c->matches(c->globs, f->name, module->path))
		return 0;
	gn_filter_managed(c->filter, c->matches, f->name, module->path);
	grown = gn_list_more(l->managed, l->nmanaged, sizeof(*l->managed),
			     &row);
	if (!grown)
		return -ENOMEM;
	l->managed = grown;
	to = row;
	to->module = l->nmodules - 1;
	to->unhooked = f->unhooked;
	to->generic = f->generic;
	to->name = strdup(f->name);
	if (!to->name)
		return -ENOMEM;
	l->nmanaged++;
	return 0;
}

/* Makes c->globs from -f. False: no memory. */
static bool join_globs(struct collect *c, const struct gn_list *f)
{
	size_t size = 1, n = 0;

	for (size_t i = 0; i < f->n; i++)
		size += strlen(f->item[i]) + 1;
	c->globs = calloc(1, size);
	if (!c->globs)
		return false;
	for (size_t i = 0; i < f->n; i++)
		if (!gn_prepare_native_only(f->item[i]))
			n += (size_t)sprintf(c->globs + n, "%s%s",
					     n ? "\n" : "", f->item[i]);
	/* an empty list would ask for everything */
	if (!n) {
		free(c->globs);
		c->globs = NULL;
	}
	return true;
}

static int collect(struct collect *c, pid_t pid)
{
	const struct gn_managed_take take = {take_module, take_function, c};
	const struct gn_runtime *rt;
	bool packed;

	rt = gn_runtime_running(pid, &packed);
	if (!rt || !rt->managed)
		return 0;
	c->l->running = rt;
	c->l->npacked += packed;
	if (packed)
		return 0;
	c->matches = rt->matches;
	return rt->managed(pid, &take);
}

int gn_listing_managed(struct gn_listing *l, const struct gn_args *args,
		       struct gn_filter *filter, bool modules)
{
	struct collect c = {.l = l, .filter = filter};
	int err = 0;

	if (!modules && !join_globs(&c, &args->functions))
		return -ENOMEM;
	for (size_t i = 0; !err && i < args->pids.n; i++)
		err = collect(&c, args->pids.pid[i]);
	free(c.globs);
	return err;
}

void gn_listing_clear_managed(struct gn_listing *l)
{
	for (size_t i = 0; i < l->nmodules; i++)
		free(l->module[i].path);
	for (size_t i = 0; i < l->nmanaged; i++)
		free(l->managed[i].name);
	free(l->module);
	free(l->managed);
}

static int put_module(const struct gn_list_module *m, FILE *f)
{
	size_t hooked = m->unhooked[GN_UNHOOKED_NOT];
	int err;

	if (m->error)
		fprintf(f, "%9s  %9s  %9s", "-", "-", "-");
	else
		fprintf(f, "%9zu  %9zu  %9zu", m->functions,
			m->functions - hooked, m->generic);
	err = gn_list_put_name(f, "  ", m->path, "");
	if (m->error)
		fprintf(f, ": it cannot be read (%s)", strerror(-m->error));
	fputs(m->in_memory ? " (from memory)\n" : "\n", f);
	return err ?: gn_stream_status(f);
}

static int put_functions(const struct gn_listing *l,
			 bool seen[GN_UNHOOKED_COUNT], FILE *f)
{
	size_t module = SIZE_MAX;
	int err = 0;

	for (size_t i = 0; !err && i < l->nmanaged; i++) {
		const struct gn_list_managed *m = &l->managed[i];

		if (m->module != module) {
			err = gn_list_put_name(f, i ? "\n" : "",
					       l->module[m->module].path,
					       "\nHOOKS      FUNCTION\n");
			module = m->module;
		}
		seen[m->unhooked] = true;
		fprintf(f, "%-9s", gn_list_unhooked_word(m->unhooked));
		if (!err)
			err = gn_list_put_name(f, "  ", m->name, "\n");
		err = err ?: gn_stream_status(f);
	}
	return err;
}

static void put_reasons(const bool seen[GN_UNHOOKED_COUNT], FILE *f)
{
	bool first = true;

	for (int i = GN_UNHOOKED_NOT + 1; i < GN_UNHOOKED_COUNT; i++) {
		if (!seen[i])
			continue;
		fprintf(f, "%s%s: %s\n", first ? "\n" : "",
			gn_list_unhooked_word((enum gn_unhooked)i),
			gn_list_unhooked_why((enum gn_unhooked)i));
		first = false;
	}
}

int gn_list_managed_table(const struct gn_listing *l, bool verbose, FILE *f)
{
	bool list_modules = l->nmodules && (!l->nmanaged || verbose);
	bool seen[GN_UNHOOKED_COUNT] = {false};
	int err = put_functions(l, seen, f);

	if (!err)
		put_reasons(seen, f);
	if (!err && list_modules)
		fprintf(f, "%s%9s  %9s  %9s  %s\n", l->nmanaged ? "\n" : "",
			"FUNCTIONS", "UNHOOKED", "GENERIC", "MODULE");
	for (size_t i = 0; !err && list_modules && i < l->nmodules; i++)
		err = put_module(&l->module[i], f);
	if (l->nmanaged && !list_modules)
		fputc('\n', f);
	for (const char *const *line = l->nmodules ? l->running->unhooked
						   : NULL;
	     !err && line && *line; line++)
		fprintf(f, "limit: %s\n", *line);
	return err ?: gn_stream_status(f);
}
