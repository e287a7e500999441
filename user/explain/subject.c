/* SPDX-License-Identifier: BSD-2-Clause */
/* What a finding is about: functions, and shares of the time. */
#include "explain/rules.h"

void gn_subject_add(struct gn_subject *s, const struct gn_model_function *fn,
		    uint64_t weight)
{
	int at = s->nfunctions;

	while (at > 0 && weight > s->weight[at - 1])
		at--;
	if (at == GN_NAMED)
		return;
	if (s->nfunctions < GN_NAMED)
		s->nfunctions++;
	for (int k = s->nfunctions - 1; k > at; k--) {
		s->function[k] = s->function[k - 1];
		s->weight[k] = s->weight[k - 1];
	}
	s->function[at] = fn;
	s->weight[at] = weight;
}

double gn_share_of_cpu(const struct gn_facts *f, uint64_t ns)
{
	return ns >= f->wall / 20 ? gn_share(ns, f->cpu) : 0;
}

double gn_share_of_work(const struct gn_facts *f, uint64_t ns)
{
	return gn_share(ns, f->busy + f->answers);
}

/* With fewer samples a function's share is random. */
#define SAMPLES_LEAST 20

double gn_share_of_samples(const struct gn_model *m)
{
	if (!m->nsamples || m->sampled < SAMPLES_LEAST)
		return 0;
	return gn_share(m->samples[0].self, m->sampled);
}

bool gn_came_to_jvm(const struct gn_model *m)
{
	if (!gn_model_attached(m))
		return false;
	for (size_t i = 0; i < m->nthreads; i++)
		if (m->threads[i].runtime == GN_RUNTIME_HOTSPOT)
			return true;
	return false;
}
