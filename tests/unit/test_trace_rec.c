/* SPDX-License-Identifier: BSD-2-Clause */
/* The check of one record. */
#include "trace_records.h"

static void sizes_are_those_of_the_structs(void **state)
{
	union any_record rec = {0};
	size_t n = 0;

	(void)state;
#define CHECK_KIND(name_, value, text_, stream_, type)                        \
	assert_string_equal(gn_kind_info(value)->name, text_);                \
	assert_int_equal(gn_kind_info(value)->stream, GN_STREAM_##stream_);   \
	rec.h.kind = (value);                                                 \
	if (gn_kind_info(value)->size) {                                      \
		assert_int_equal(gn_rec_size_of(&rec.h, sizeof(rec)),         \
				 sizeof(struct type));                        \
		assert_int_equal(gn_rec_size_of(&rec.h, sizeof(struct type)), \
				 sizeof(struct type));                        \
		assert_int_equal(                                             \
			gn_rec_size_of(&rec.h, sizeof(struct type) - 1), 0);  \
	} else if ((value) != GN_KIND_SAMPLE) {                               \
		assert_string_equal(#type, "gn_rec_text");                    \
		n++;                                                          \
	}
	GN_KIND_LIST(CHECK_KIND)
#undef CHECK_KIND
	assert_int_equal(n, 5);
}

static void unknown_kinds_have_no_size(void **state)
{
	union any_record rec = {0};
	unsigned int kind, known = 0;

	(void)state;
	for (kind = 0; kind < GN_KIND_LIMIT; kind++) {
		rec.h.kind = kind;
		rec.text.size = kind == GN_KIND_SAMPLE ? gn_sample_size(0)
						       : sizeof(rec.text);
		if (gn_kind_info((uint8_t)kind)->name) {
			assert_int_not_equal(
				gn_rec_size_of(&rec.h, sizeof(rec)), 0);
			known++;
		} else {
			assert_int_equal(gn_rec_size_of(&rec.h, sizeof(rec)),
					 0);
		}
	}
	assert_int_equal(known, sizeof(all_kinds));
}

/* A sample has exactly the size of its frames. */
static void samples_have_their_frames(void **state)
{
	union any_record rec = {0};
	struct gn_rec_sample *s = (struct gn_rec_sample *)&rec;

	(void)state;
	rec.h.kind = GN_KIND_SAMPLE;
	for (s->frames = 0; s->frames <= GN_SAMPLE_FRAMES; s->frames++) {
		s->size = gn_sample_size(s->frames);
		assert_int_equal(s->size % 8, 0);
		assert_true(s->size >= sizeof(*s) + 4 * s->frames);
		assert_int_equal(gn_rec_size_of(&rec.h, s->size), s->size);
		assert_int_equal(gn_rec_size_of(&rec.h, s->size - 1), 0);
		s->size += 8;
		assert_int_equal(gn_rec_size_of(&rec.h, sizeof(rec)), 0);
	}
	s->size = gn_sample_size(s->frames);
	assert_int_equal(gn_rec_size_of(&rec.h, sizeof(rec)), 0);
}

static void too_few_bytes_are_no_record(void **state)
{
	union any_record rec = {0};
	size_t avail;

	(void)state;
	rec.h.kind = GN_KIND_NAME;
	rec.text.size = sizeof(rec.text);
	for (avail = 0; avail < sizeof(rec.text); avail++)
		assert_int_equal(gn_rec_size_of(&rec.h, avail), 0);
	assert_int_equal(gn_rec_size_of(&rec.h, avail), sizeof(rec.text));
}

static size_t text(uint32_t size, uint16_t len0, uint16_t len1, size_t avail)
{
	union any_record rec = {0};

	rec.h.kind = GN_KIND_INFO;
	rec.text.size = size;
	rec.text.len[0] = len0;
	rec.text.len[1] = len1;
	return gn_rec_size_of(&rec.h, avail);
}

static void texts_must_fit_their_size(void **state)
{
	(void)state;
	assert_int_equal(text(40, 0, 0, 40), 40);
	assert_int_equal(text(48, 8, 0, 48), 48);
	assert_int_equal(text(48, 0, 8, 48), 48);
	assert_int_equal(text(48, 3, 4, 4096), 48);
	assert_int_equal(text(48, 5, 4, 4096), 0);
	assert_int_equal(text(40, 1, 0, 4096), 0);
	assert_int_equal(text(56, 8, 8, 48), 0);
	/* more zeros than necessary are harmless */
	assert_int_equal(text(4096, 0, 0, 4096), 4096);
	assert_int_equal(text(4096, 4056, 0, 4096), 4096);
	assert_int_equal(text(4096, 65535, 65535, 4096), 0);
	assert_int_equal(text(4104, 0, 0, 8192), 0);
	assert_int_equal(text(44, 0, 0, 4096), 0);
	assert_int_equal(text(32, 0, 0, 4096), 0);
	assert_int_equal(text(0, 0, 0, 4096), 0);
	assert_int_equal(text(0xfffffff8, 0, 0, 4096), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_those_of_the_structs),
		cmocka_unit_test(unknown_kinds_have_no_size),
		cmocka_unit_test(samples_have_their_frames),
		cmocka_unit_test(too_few_bytes_are_no_record),
		cmocka_unit_test(texts_must_fit_their_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
