/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines with "# " around a table: what readers must know before they trust
 * the table.
 */
#ifndef GNOMON_OUTPUT_HEADER_H
#define GNOMON_OUTPUT_HEADER_H

#include "output/output.h"

/* 0, -errno of the stream, -ENOMEM. */
int gn_header_print(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f);

/* Says that there are no functions, and how to get some. */
void gn_header_no_functions(const struct gn_model *m,
			    const struct gn_output_opts *o, FILE *f);

/* The marks that the rows of a table have. */
struct gn_marks {
	bool gap;
	bool unprobed;
	bool inlined;
	bool moved;
};

/* Prints the notes below a table: its marks, losses, and failed checks. 0,
 * -ENOMEM. */
int gn_footer_print(const struct gn_model *m, const struct gn_output_opts *o,
		    struct gn_marks marked, FILE *f);

/* Prints a line of the header: "# label      text", with the text escaped.
 * Prints nothing for NULL or "". 0, -ENOMEM. */
int gn_header_line(FILE *f, const char *label, const char *text, bool utf8);

/* "3 threads" */
void gn_put_counted(FILE *f, uint64_t n, const char *one, const char *many);

/* In header_checks.c: what was lost, what ran without probes, and what the
 * self-checks found. 0, -ENOMEM. */
int gn_header_loss(const struct gn_model *m, const struct gn_output_opts *o,
		   FILE *f);
void gn_header_late(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f);
int gn_header_checks(const struct gn_model *m, const struct gn_output_opts *o,
		     FILE *f);

/* Prints the causes of loss with their counts: " (ring-full 3, missed 1)".
 * Prints nothing if none is known. */
void gn_loss_causes(const struct gn_model *m, FILE *f);

/* In probe_cost.c: gn_header_probe_cost() prints what probes cost,
 * gn_header_gate() how long programs waited for gnomon, gn_probe_cost_known()
 * says whether that is known, and gn_probe_class_text() is the word for an enum
 * gn_probe_class. */
void gn_header_probe_cost(const struct gn_model *m,
			  const struct gn_output_opts *o, FILE *f);
void gn_header_gate(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f);
bool gn_probe_cost_known(const struct gn_model *m);
const char *gn_probe_class_text(int class);

/* Reads the number of an INFO record; false if it has none. */
bool gn_info_number(const struct gn_model *m, const char *key, uint64_t *n);

/* How many children the processes of -p had already, which are not traced. The
 * result is these processes, as -p names them; NULL: there are none. */
const char *gn_children_of(const struct gn_model *m, uint64_t *n);

/* An untraced process, no child of a traced one, that mapped a file of
 * processes that ran before their probes were in place. False: none is known.
 */
bool gn_unprobed_other(const struct gn_model *m, uint64_t *pid,
		       const char **name);

/* In header_fast.c: records that threads wrote by themselves (fast hooks), and
 * how exact their times are. */
void gn_header_fast(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f);

/* In sheet_samples.c: how many samples were taken, and lost. */
void gn_header_samples(const struct gn_model *m, FILE *f);

/* In header_ended.c: which processes were killed, or ended while gnomon was
 * attached to them. 0, -ENOMEM. */
int gn_header_ended(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f);

/* In header_code.c: which calls are not seen because their code was inlined,
 * and which precompiled code was not used. 0, -ENOMEM. */
int gn_header_code(const struct gn_model *m, const struct gn_output_opts *o,
		   FILE *f);

struct json_t;

/* In command.c: parses the JSON of a command's INFO record. *words is NULL if
 * the text is not JSON; the caller releases it. 0, -ENOMEM. */
int gn_command_words(const char *json, struct json_t **words);
/* The words of a command, quoted for a shell, from the JSON array of its INFO
 * record. If the record is not an array of strings, returns its text. The
 * caller frees it. NULL: no memory. */
char *gn_command_text(const char *json);
/* The name of the program that the command's process `process` (the kernel's
 * name for it) runs, without directories: the DLL if dotnet runs one. The
 * caller frees it. NULL: not known, or no memory. */
char *gn_program_name(const char *json, const char *process);
/* Prints one word, quoted for a shell. */
void gn_put_word(FILE *f, const char *word);
/* Copies the first word of a text to `word` without its quotes and returns
 * where it ends in the text. `word` has room for the whole text and a NUL, or
 * is NULL. */
const char *gn_take_word(const char *text, char *word);

#endif
