/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of modules, as the runtime tells them. */
#include "names.h"

typedef uint32_t (*release_fn)(void *);
typedef gn_hr (*module_info2_fn)(void *, gn_cor_id, gn_cor_id *, uint32_t,
				 uint32_t *, gn_wchar *, gn_cor_id *,
				 uint32_t *);

/* The number of UTF-16 units of a path that always fit into GN_MODULE_MAX after
 * the dots. */
#define PATH_UNITS ((GN_MODULE_MAX - 8) / 3)

void gn_names_release(void *object)
{
	if (object)
		GN_COM(object, GN_UNKNOWN_RELEASE, release_fn)(object);
}

/* Reads a module's path, or for a module that was made in memory the name of
 * its assembly. Empty: there is none. */
static void read_module(void *info, gn_cor_id module,
			gn_wchar wide[GN_WIDE_MAX])
{
	gn_cor_id base, assembly = 0, domain, manifest;
	uint32_t n, flags = 0;

	wide[0] = 0;
	if (GN_COM(info, GN_INFO_MODULE_INFO2,
		   module_info2_fn)(info, module, &base, GN_WIDE_MAX, &n, wide,
				    &assembly, &flags) < 0)
		wide[0] = 0;
	if ((wide[0] && !(flags & GN_MODULE_DYNAMIC)) || !assembly)
		return;
	if (GN_COM(info, GN_INFO_ASSEMBLY_INFO,
		   gn_assembly_info_fn)(info, assembly, GN_WIDE_MAX, &n, wide,
					&domain, &manifest) < 0)
		wide[0] = 0;
}

void gn_names_module(void *info, gn_cor_id module, struct gn_text *out)
{
	gn_wchar wide[GN_WIDE_MAX];
	uint32_t from = 0, n = 0;

	read_module(info, module, wide);
	wide[GN_WIDE_MAX - 1] = 0;
	while (wide[n])
		n++;
	/* a long path keeps its end, which people recognise */
	if (n >= PATH_UNITS) {
		from = n - PATH_UNITS;
		gn_text_put(out, "...");
	}
	gn_text_put_utf16(out, wide + from, GN_WIDE_MAX - from);
	if (!out->len)
		gn_text_put(out, "?");
}
