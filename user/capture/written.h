/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that are written while they have probes. The kernel puts a probe's trap
 * at its offset in all that maps the file, whatever the file has there by then:
 * the program would run on into half an instruction. So gnomon holds a lease on
 * each file: who opens it for writing, or cuts it, waits until its probes are
 * gone. File systems without leases, and descriptors that are open for writing
 * already, go without.
 */
#ifndef GNOMON_CAPTURE_WRITTEN_H
#define GNOMON_CAPTURE_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "process/files.h"

struct gn_session;
struct gn_written; /* NULL is fine everywhere */

/* -ENOMEM. */
int gn_written_new(struct gn_session *s);

/* Guards the file of that MODULE record, which gets probes next. One that was
 * written before, and that can be written still, gets none. */
void gn_written_guard(struct gn_written *w, const struct gn_file *file,
		      uint32_t module);

/* Whether the file was written since it had probes. */
bool gn_written_is(struct gn_written *w, int fd);

/* Between the two no probes are removed. False: the file (0 = none) was
 * written, so it gets none. */
bool gn_written_begin(struct gn_written *w, int fd);
void gn_written_end(struct gn_written *w);

/* All probes are removed next. */
void gn_written_stop(struct gn_written *w);
/* After that: who waits goes on. */
void gn_written_free(struct gn_written *w);

#endif
