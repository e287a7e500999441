// SPDX-License-Identifier: BSD-2-Clause
/* Samples by function and by path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "model_feed.h"

static struct feed begin(void)
{
	struct gn_pipeline_opts opts = {0};
	struct feed f = {.p = gn_pipeline_new(&opts)};

	assert_non_null(f.p);
	feed_named(&f, GN_KIND_MODULE, 1, 0);
	for (uint32_t i = 1; i <= 4; i++)
		feed_named(&f, GN_KIND_FUNCTION, i, 1);
	feed_thread(&f, 10, 1, GN_KIND_THREAD, 1, 0);
	feed_thread(&f, 10, 2, GN_KIND_THREAD, 2, 0);
	return f;
}

/* `stack`: the innermost function first, 0 at the end. */
static int sample(struct feed *f, uint32_t pid, const uint32_t *stack)
{
	struct {
		struct gn_rec_sample r;
		uint32_t func[GN_SAMPLE_FRAMES + 1];
	} s = {.r = {.h = {.time = 20, .tid = pid, .kind = GN_KIND_SAMPLE},
		     .pid = pid}};

	while (stack[s.r.frames]) {
		s.func[s.r.frames] = stack[s.r.frames];
		s.r.frames++;
	}
	s.r.size = gn_sample_size(s.r.frames);
	return gn_pipeline_feed(f->p, &s.r.h, s.r.size);
}

static const struct gn_model_sample *row(const struct gn_model *m,
					 const char *name)
{
	for (size_t i = 0; i < m->nsamples; i++)
		if (!strcmp(m->samples[i].of.name, name))
			return &m->samples[i];
	fail_msg("no row %s", name);
	return NULL;
}

static void check(const struct gn_model *m, const char *name, uint64_t self,
		  uint64_t total)
{
	assert_int_equal(row(m, name)->self, self);
	assert_int_equal(row(m, name)->total, total);
	assert_string_equal(row(m, name)->of.module, "m1");
}

/* A recursion counts once per sample; processes share their functions; the rest
 * of the model is not affected. */
static void rows_and_paths(void **state)
{
	struct feed f = begin();
	struct gn_model *m;
	uint64_t all = 0;

	(void)state;
	assert_int_equal(sample(&f, 1, (uint32_t[]){2, 1, 0}), 0);
	assert_int_equal(sample(&f, 1, (uint32_t[]){2, 1, 2, 1, 0}), 0);
	assert_int_equal(sample(&f, 1, (uint32_t[]){1, 0}), 0);
	assert_int_equal(sample(&f, 2, (uint32_t[]){2, 1, 0}), 0);
	assert_int_equal(sample(&f, 2, (uint32_t[]){3, 2, 0}), 0);
	/* of an unknown process, and a record that is no sample */
	assert_int_equal(sample(&f, 3, (uint32_t[]){2, 1, 0}), 0);
	assert_int_equal(sample(&f, 1, (uint32_t[]){0}), -EBADMSG);
	assert_int_equal(gn_pipeline_finish(f.p, &m), 0);
	assert_int_equal(m->sampled, 5);
	assert_int_equal(m->nsamples, 3);
	check(m, "f1", 1, 4);
	check(m, "f2", 3, 4);
	check(m, "f3", 1, 1);
	assert_string_equal(m->samples[0].of.name, "f2");
	for (size_t i = 0; i < m->nsample_nodes; i++) {
		assert_true(!i || m->sample_nodes[i].parent < i);
		all += m->sample_nodes[i].self;
	}
	assert_int_equal(all, 5);
	assert_int_equal(m->nfunctions, 0);
	assert_int_equal(m->checks.account_error_ns, 0);
	gn_model_free(m);
	gn_pipeline_free(f.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
