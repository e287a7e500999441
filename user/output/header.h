/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a reader must know of a session before he trusts its table: lines that
 * begin with "# ".
 */
#ifndef GNOMON_OUTPUT_HEADER_H
#define GNOMON_OUTPUT_HEADER_H

#include "output/output.h"

/* 0, -errno of the stream, -ENOMEM. */
int gn_header_print(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f);

/* That there are no functions, and how to get some. */
void gn_header_no_functions(const struct gn_model *m,
			    const struct gn_output_opts *o, FILE *f);

/* What some row is marked for. */
struct gn_marks {
	bool gap;
	bool unprobed;
};

/* Notes that belong behind a table; losses and failed checks always. 0,
 * -ENOMEM. */
int gn_footer_print(const struct gn_model *m, const struct gn_output_opts *o,
		    struct gn_marks marked, FILE *f);

/* A line of the header: "# label      text", with the text escaped. Nothing for
 * NULL or "". 0, -ENOMEM. */
int gn_header_line(FILE *f, const char *label, const char *text, bool utf8);

/* "3 threads" */
void gn_put_counted(FILE *f, uint64_t n, const char *one, const char *many);

/* Of header_checks.c: what was lost, what ran without probes, and what the
 * self-checks found. 0, -ENOMEM. */
int gn_header_loss(const struct gn_model *m, const struct gn_output_opts *o,
		   FILE *f);
void gn_header_late(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f);
int gn_header_checks(const struct gn_model *m, const struct gn_output_opts *o,
		     FILE *f);

/* Causes of loss with their counts: " (ring-full 3, missed 1)". Nothing where
 * none is known. */
void gn_loss_causes(const struct gn_model *m, FILE *f);

/* Of probe_cost.c: the line of what probes cost, whether it is known, and the
 * word of an enum gn_probe_class. */
void gn_header_probe_cost(const struct gn_model *m,
			  const struct gn_output_opts *o, FILE *f);
bool gn_probe_cost_known(const struct gn_model *m);
const char *gn_probe_class_text(int class);

/* The number of an INFO record; false when it has none. */
bool gn_info_number(const struct gn_model *m, const char *key, uint64_t *n);

/* Of header_fast.c: what threads wrote by themselves, and how far its times can
 * be trusted. */
void gn_header_fast(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f);

/* Of sheet_samples.c: how many samples were taken, and lost. */
void gn_header_samples(const struct gn_model *m, FILE *f);

/* Of header_code.c: which calls are not seen since their code was copied, and
 * what precompiled code was not used. 0, -ENOMEM. */
int gn_header_code(const struct gn_model *m, const struct gn_output_opts *o,
		   FILE *f);

/* Of command.c: the words of a command from the JSON array of its INFO record,
 * as a shell reads them; the text itself when it is no such array. Freed by the
 * caller, NULL when there is no memory. */
char *gn_command_text(const char *json);
/* The name of what that runs: the first DLL, or the program, without folders.
 * Freed by the caller; NULL when it is not known, and without memory. */
char *gn_program_name(const char *json);
/* One word as a shell reads it. */
void gn_put_word(FILE *f, const char *word);

#endif
