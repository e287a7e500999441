/* SPDX-License-Identifier: BSD-2-Clause */
/* Handmade models for the tests of outputs. */
#ifndef TESTS_UNIT_OUTPUT_MODEL_H
#define TESTS_UNIT_OUTPUT_MODEL_H

#include "model/model.h"
#include "output/output.h"

/* A program with one process and two threads: main (1 call) -> work (3) -> leaf
 * (1,234,567), with a hostile name and a C++ template. Losses and a gap on
 * request. */
struct sample {
	struct gn_model m;
	struct gn_model_info info[32];
	struct gn_model_function functions[4];
	struct gn_model_module modules[2];
	struct gn_model_thread threads[2];
	struct gn_model_process processes[1];
	struct gn_model_node nodes[6];
	struct gn_model_edge edges[4];
	struct gn_model_wait waits[12];
};

#define HOSTILE "evil\033[31m\r\n\"a,b\"\xff\xe2\x80\xae=1"

void sample_make(struct sample *s);
/* Adds losses: marks a function and a thread, and adds counters. */
void sample_lose(struct sample *s);
/* Some functions may have been called before they had probes. */
void sample_unprobed(struct sample *s);
/* Adds what the operating system did: waits, the cost of probes, the kernel's
 * account of the threads (with another split for the second one), kernel work
 * that was not timed. */
void sample_os(struct sample *s);
/* The kernel's account of each thread differs from ours. */
void sample_differ(struct sample *s);
/* Adds events of runtimes, exceptions and allocations. */
void sample_events(struct sample *s);
/* No functions were traced. */
void sample_bare(struct sample *s);

/* The output of a format, freed by the caller. Fails the test on an error. */
char *sample_print(const char *format, const struct gn_model *m,
		   const struct gn_output_opts *o);

/* Compares with tests/golden/output/NAME. If GN_UPDATE_GOLDEN is in the
 * environment, writes the file instead. */
void sample_golden(const char *name, const char *text);
/* The same for a table. */
void sample_table(const char *name, struct sample *s, struct gn_output_opts o);

#endif
