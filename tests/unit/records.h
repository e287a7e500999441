/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes records for tests of every kind: unit tests, streams and fuzzers. */
#ifndef GNOMON_TESTS_RECORDS_H
#define GNOMON_TESTS_RECORDS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/event.h>

union text_record {
	struct gn_rec_text r;
	char bytes[GN_TEXT_MAX];
};

/* A record with two texts; `two` may be NULL. Returns its size. */
static inline size_t make_text(union text_record *out, struct gn_rec h,
			       uint32_t id, uint32_t ref, const char *one,
			       const char *two)
{
	size_t n1 = strlen(one), n2 = two ? strlen(two) : 0;
	size_t size = (sizeof(out->r) + n1 + n2 + 7) / 8 * 8;

	if (size > sizeof(*out))
		abort();
	memset(out, 0, size);
	out->r.h = h;
	out->r.size = (uint32_t)size;
	out->r.id = id;
	out->r.ref = ref;
	out->r.len[0] = (uint16_t)n1;
	out->r.len[1] = (uint16_t)n2;
	memcpy(out->r.text, one, n1);
	if (n2)
		memcpy(out->r.text + n1, two, n2);
	return size;
}

#endif
