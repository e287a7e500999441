// SPDX-License-Identifier: BSD-2-Clause
#include "image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "filter.h"
#include "md_columns.h"
#include "md_name.h"
#include "words.h"

typedef gn_hr (*module_info2_fn)(void *, gn_cor_id, const uint8_t **, uint32_t,
				 uint32_t *, gn_wchar *, gn_cor_id *,
				 uint32_t *);

typedef gn_hr (*function_info_fn)(void *, gn_cor_id, uint64_t, gn_cor_id *,
				  gn_cor_id *, gn_token *, uint32_t, uint32_t *,
				  gn_cor_id *);

/* The runtime has checked the file's headers, but the file is hostile. */
static bool is_mapped(void *ctx, const uint8_t *at, size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = (uintptr_t)at & ~(page - 1), to = (uintptr_t)at + n;

	(void)ctx;
	/* does nothing, but fails if some page is not mapped */
	return to >= (uintptr_t)at && !msync((void *)from, to - from, MS_ASYNC);
}

bool gn_image_open(void *info, gn_cor_id module, struct gn_image *image)
{
	const uint8_t *base = NULL;
	gn_cor_id assembly;
	uint32_t n, flags = 0;
	struct gn_text path;
	gn_wchar none[1];

	if (GN_COM(info, GN_INFO_MODULE_INFO2, module_info2_fn)(
		    info, module, &base, 0, &n, none, &assembly, &flags) < 0 ||
	    !base || flags & GN_MODULE_DYNAMIC)
		return false;
	image->collectible = flags & GN_MODULE_COLLECTIBLE;
	gn_text_init(&path, image->path, sizeof(image->path));
	gn_names_module(info, module, &path);
	return gn_pe_open(&image->pe, base, flags & GN_MODULE_FLAT, is_mapped,
			  NULL) &&
	       gn_md_open(&image->md, &image->pe.metadata);
}

const struct gn_image *gn_images_get(struct gn_images *images, gn_cor_id module)
{
	uint32_t place = gn_modules_find(&images->modules, module);
	struct gn_image *image =
		place ? atomic_load(&images->image[place - 1]) : NULL;

	if (image)
		return image;
	image = malloc(sizeof(*image));
	if (image && gn_image_open(images->info, module, image) &&
	    !image->collectible)
		place = gn_modules_add(&images->modules, module);
	else
		place = 0;
	/* two threads may add the same module, each in its own place */
	if (place) {
		atomic_store(&images->image[place - 1], image);
		return image;
	}
	free(image);
	return NULL;
}

bool gn_image_is_core(const struct gn_image *image)
{
	return gn_md_find_type(&image->md, "System", "RuntimeTypeHandle");
}

bool gn_image_core_names(const struct gn_image *image, const char *name)
{
	const struct gn_bytes *strings = &image->md.strings;

	/* with the NUL that ends each string */
	return gn_image_is_core(image) &&
	       memmem(strings->at, strings->n, name, strlen(name) + 1);
}

/* A name that is too long to be recorded counts as any name. */
static bool may_hook(const struct gn_image *image,
		     const struct gn_filter_lines *lines,
		     enum gn_filter_kinds kinds, const struct gn_text *name,
		     const char *more)
{
	struct gn_text whole = *name;
	bool may;

	gn_text_put(&whole, more);
	may = gn_filter_may_hook(lines, kinds, whole.full ? "*" : whole.bytes,
				 image->path);
	whole.bytes[name->len] = '\0';
	return may;
}

/* Whether a line that names arguments can ask for the method, whose arguments
 * can be any. */
static bool asks_whole(const struct gn_image *image,
		       const struct gn_filter_lines *lines,
		       struct gn_text *name, const struct gn_md_method *m)
{
	static const char *const more[] = {"", "(*)", "<*>", "<*>(*)"};
	int n = m->generic ? 4 : 2;

	gn_text_put(name, ".");
	gn_text_put(name, m->name);
	for (int i = 0; i < n; i++)
		if (may_hook(image, lines, GN_FILTER_WHOLE, name, more[i]))
			return true;
	return false;
}

bool gn_image_asks_method(const struct gn_image *image,
			  const struct gn_filter_lines *lines,
			  struct gn_text *name, uint32_t row,
			  const struct gn_md_method *m)
{
	char bytes[GN_NAME_MAX];
	struct gn_text full;

	if (asks_whole(image, lines, name, m))
		return true;
	if (!name->full && !gn_filter_has_words(lines, name->bytes))
		return false;
	gn_text_init(&full, bytes, sizeof(bytes));
	gn_md_put_method(&image->md, row, NULL, &full);
	/* if its parameters have no room, the name without them counts */
	return may_hook(image, lines, GN_FILTER_BARE, full.full ? name : &full,
			"");
}

/* A search for methods. Most names have no word of the filter: these are
 * skipped before their full name is built. */
struct visit {
	const struct gn_image *image;
	const struct gn_filter_lines *lines;
	gn_image_asked_fn each;
	void *ctx;
	struct gn_words words;
	bool type_has; /* the type has a word, so all its methods do */
};

static bool type_has(const struct visit *v, uint32_t type)
{
	const struct gn_md *md = &v->image->md;

	for (unsigned int n = 0; type && n < GN_MD_NEST_MAX; n++) {
		if (gn_words_in(&v->words,
				gn_md_cell(md, TYPEDEF, type, TYPEDEF_SPACE)) ||
		    gn_words_in(&v->words,
				gn_md_cell(md, TYPEDEF, type, TYPEDEF_NAME)))
			return true;
		type = gn_md_outer(md, type);
	}
	return false;
}

static bool method_has(const struct visit *v, uint32_t row)
{
	return gn_words_in(&v->words,
			   gn_md_cell(&v->image->md, METHOD, row, METHOD_NAME));
}

static bool visit_rows(void *ctx, uint32_t type, uint32_t first, uint32_t end)
{
	struct visit *v = ctx;
	uint32_t row = first;

	v->type_has = type_has(v, type);
	while (!v->type_has && row < end && !method_has(v, row))
		row++;
	return row < end;
}

static bool visit_type(void *ctx, struct gn_text *name)
{
	const struct visit *v = ctx;

	return may_hook(v->image, v->lines, GN_FILTER_ALL, name, ".*");
}

static void visit_method(void *ctx, struct gn_text *name, uint32_t row)
{
	const struct visit *v = ctx;
	struct gn_text own = *name;
	struct gn_md_method m;

	if (!v->type_has && !method_has(v, row))
		return;
	gn_md_method(&v->image->md, row, &m);
	if (gn_image_asks_method(v->image, v->lines, &own, row, &m))
		v->each(v->ctx, name, row, &m);
}

void gn_image_visit(const struct gn_image *image,
		    const struct gn_filter_lines *lines, gn_image_asked_fn each,
		    void *ctx)
{
	struct visit v = {
		.image = image, .lines = lines, .each = each, .ctx = ctx};
	const struct gn_md_visitor visitor = {visit_rows, visit_type,
					      visit_method, &v};
	char room[GN_NAME_MAX];

	gn_words_find(&v.words, lines, image->path, &image->md.strings);
	if (v.words.any || v.words.some)
		gn_md_visit(&image->md, &visitor, room, sizeof(room));
	gn_words_free(&v.words);
}

uint64_t gn_image_method(void *info, const struct gn_modules *modules,
			 gn_cor_id function)
{
	gn_cor_id class = 0, module = 0, arg;
	gn_token token = 0;
	uint32_t n, place;

	if (GN_COM(info, GN_INFO_FUNCTION_INFO2,
		   function_info_fn)(info, function, 0, &class, &module, &token,
				     1, &n, &arg) < 0)
		return 0;
	place = gn_modules_find(modules, module);
	return place ? GN_METHOD(place, token) : 0;
}
