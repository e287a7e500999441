// SPDX-License-Identifier: BSD-2-Clause
#include "source/precompiled.h"

#include <stdlib.h>

struct gn_precompiled_code *gn_precompiled_open(int file, bool *composite)
{
	struct gn_precompiled_code *p = calloc(1, sizeof(*p));
	bool module = p && gn_source_read(&p->module, file);

	*composite = module && gn_r2r_code_composite(&p->module.pe);
	if (module)
		gn_r2r_code_read(&p->module.pe, &p->code, &p->n);
	if (p && p->n)
		return p;
	gn_precompiled_close(p);
	return NULL;
}

void gn_precompiled_close(struct gn_precompiled_code *p)
{
	if (!p)
		return;
	gn_source_close(&p->module);
	free(p->code);
	free(p);
}

size_t gn_precompiled_at(const struct gn_precompiled_code *p, uint64_t offset)
{
	const struct gn_r2r_code *code;
	uint32_t address;

	if (!gn_pe_address(&p->module.pe, offset, &address))
		return SIZE_MAX;
	code = gn_r2r_code_at(p->code, p->n, address);
	return code && code->method ? (size_t)(code - p->code) : SIZE_MAX;
}

void gn_precompiled_name(const struct gn_precompiled_code *p, size_t i,
			 struct gn_text *name)
{
	gn_r2r_code_name(&p->module.md, &p->code[i], name);
}
