// SPDX-License-Identifier: BSD-2-Clause
#include "composite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "r2r_read.h"

#define SECTION_COPIES	   114u
#define SECTION_COMPONENTS 115u
#define SECTION_OWNER	   116u
#define SECTION_IDS	   118u

#define COMPONENT_SIZE 16u
#define COMPONENT_CORE 8u /* offset of its header's address and size */
#define COMPONENTS_MAX 4096u
#define MAJOR_MAX      26u /* the format's version in .NET 11 */
#define OWNER_MAX      256u
/* Tables of copies number modules from 2 on: no number stands for a module's
 * reference to an assembly. */
#define FIRST_MODULE 2u

static bool is_inside(void *ctx, const uint8_t *at, size_t n)
{
	const struct gn_composite *c = ctx;
	uintptr_t from = (uintptr_t)at - (uintptr_t)c->bytes;

	return from <= c->size && n <= c->size - from;
}

static struct gn_bytes map_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct gn_bytes file = {NULL, 0};
	struct stat st;
	void *at;

	if (fd < 0)
		return file;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd,
			  0);
		if (at != MAP_FAILED)
			file = (struct gn_bytes){at, (size_t)st.st_size};
	}
	close(fd);
	return file;
}

bool gn_composite_read(struct gn_composite *c)
{
	uint32_t flags;

	if (!gn_pe_open(&c->pe, c->bytes, true, is_inside, c) ||
	    !gn_r2r_flags(&c->pe, &flags) ||
	    gn_le_get(c->pe.native.at + 4, 2) > MAJOR_MAX ||
	    !gn_r2r_section(&c->pe, SECTION_COMPONENTS, &c->components) ||
	    !gn_r2r_section(&c->pe, SECTION_IDS, &c->ids))
		return false;
	c->n = (uint32_t)(c->components.n / COMPONENT_SIZE);
	return c->n <= COMPONENTS_MAX && c->ids.n / GN_MD_ID == c->n;
}

static void free_composite(struct gn_composite *c)
{
	munmap((void *)(uintptr_t)c->bytes, c->size);
	free(c->path);
	free(c);
}

static struct gn_composite *open_composite(const char *path)
{
	struct gn_bytes file = map_file(path);
	struct gn_composite *c;

	if (!file.at)
		return NULL;
	c = calloc(1, sizeof(*c) + COMPONENTS_MAX * sizeof(c->place[0]));
	if (!c) {
		munmap((void *)(uintptr_t)file.at, file.n);
		return NULL;
	}
	c->bytes = file.at;
	c->size = file.n;
	c->path = strdup(path);
	if (c->path && gn_composite_read(c))
		return c;
	free_composite(c);
	return NULL;
}

/* If two threads open the same image, both get that of the first. */
static struct gn_composite *get(struct gn_composites *all, const char *path)
{
	struct gn_composite *own = NULL, *c = NULL;

	for (int i = 0; i < GN_COMPOSITES_MAX; i++) {
		c = atomic_load(&all->of[i]);
		if (!c && !own)
			own = open_composite(path);
		if (!c && !own)
			return NULL;
		if (!c && atomic_compare_exchange_strong(&all->of[i], &c, own))
			return own;
		if (!strcmp(c->path, path))
			break;
		c = NULL;
	}
	if (own)
		free_composite(own);
	return c;
}

/* The module says the name of the image, which is in the same folder. */
static bool find_path(const struct gn_image *image, char *path, size_t size)
{
	const char *slash = strrchr(image->path, '/');
	struct gn_bytes owner;
	uint32_t flags;

	if (!slash || !gn_r2r_flags(&image->pe, &flags) ||
	    !(flags & GN_R2R_COMPONENT) ||
	    !gn_r2r_section(&image->pe, SECTION_OWNER, &owner) || !owner.n ||
	    owner.n > OWNER_MAX || owner.at[owner.n - 1] ||
	    strchr((const char *)owner.at, '/'))
		return false;
	return (size_t)snprintf(path, size, "%.*s/%s",
				(int)(slash - image->path), image->path,
				(const char *)owner.at) < size;
}

struct gn_composite *gn_composites_get(struct gn_composites *all,
				       const struct gn_image *image,
				       uint32_t *component)
{
	const uint8_t *id = gn_md_id(&image->md);
	char path[GN_MODULE_MAX + OWNER_MAX];
	struct gn_composite *c;

	if (!id || !find_path(image, path, sizeof(path)))
		return NULL;
	c = get(all, path);
	for (uint32_t i = 0; c && i < c->n; i++)
		if (!memcmp(c->ids.at + i * GN_MD_ID, id, GN_MD_ID)) {
			*component = i;
			return c;
		}
	return NULL;
}

struct numbered {
	const struct gn_composite *c;
	uint32_t component;
	const struct gn_r2r_asker *asker;
	bool bad;
};

static uint32_t number(const struct numbered *n, uint32_t module)
{
	return module ? module - FIRST_MODULE : n->component;
}

static bool asks_number(void *ctx, uint32_t module, uint32_t method)
{
	struct numbered *n = ctx;

	module = number(n, module);
	if (module < n->c->n)
		return n->asker->asks(n->asker->ctx, module, method);
	n->bad = true;
	return false;
}

static void take_number(void *ctx, const struct gn_r2r_copy *told)
{
	struct numbered *n = ctx;
	struct gn_r2r_copy copy = *told;

	copy.module = number(n, told->module);
	n->asker->each(n->asker->ctx, &copy);
}

static bool find_section(const struct gn_composite *c, uint32_t component,
			 uint32_t type, struct gn_bytes *found)
{
	const uint8_t *entry =
		c->components.at + (size_t)component * COMPONENT_SIZE;
	uint32_t size = gn_le_get(entry + COMPONENT_CORE + 4, 4);
	struct gn_bytes core = {
		gn_pe_at(&c->pe, gn_le_get(entry + COMPONENT_CORE, 4), size),
		size};

	return core.at && gn_r2r_section_of(&c->pe, &core, type, found);
}

bool gn_composite_copies(const struct gn_composite *c, uint32_t component,
			 const struct gn_r2r_asker *asker)
{
	struct numbered n = {.c = c, .component = component, .asker = asker};
	const struct gn_r2r_asker numbers = {asks_number, take_number, &n};
	struct gn_bytes table;

	return find_section(c, component, SECTION_COPIES, &table) &&
	       gn_r2r_table(&table, &numbers) && !n.bad;
}

bool gn_composite_has(const struct gn_composite *c, uint32_t component,
		      uint32_t row)
{
	struct gn_bytes section;

	return find_section(c, component, GN_R2R_METHODS, &section) &&
	       gn_r2r_enters(&section, row);
}
