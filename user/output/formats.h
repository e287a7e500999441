/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats of outputs.c; see output.h for the functions' contract. */
#ifndef GNOMON_OUTPUT_FORMATS_H
#define GNOMON_OUTPUT_FORMATS_H

#include "output/output.h"

int gn_table_write(const struct gn_model *m, const struct gn_output_opts *o,
		   FILE *f);
int gn_csv_write(const struct gn_model *m, const struct gn_output_opts *o,
		 FILE *f);
int gn_json_write(const struct gn_model *m, const struct gn_output_opts *o,
		  FILE *f);
int gn_collapsed_write(const struct gn_model *m, const struct gn_output_opts *o,
		       FILE *f);
int gn_speedscope_write(const struct gn_model *m,
			const struct gn_output_opts *o, FILE *f);
int gn_callgrind_write(const struct gn_model *m, const struct gn_output_opts *o,
		       FILE *f);
int gn_pprof_write(const struct gn_model *m, const struct gn_output_opts *o,
		   FILE *f);

#endif
