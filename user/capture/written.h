/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards files with probes against writing. The kernel puts a probe's trap at
 * its offset wherever the file is mapped, whatever the file contains there by
 * then: the program would run on into half an instruction. So gnomon holds a
 * lease on each file: whoever opens it for writing, or truncates it, waits
 * until its probes are gone. Files on file systems without leases, or already
 * open for writing, are not guarded.
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

/*
 * Guards the file of that MODULE record, which gets probes next. A file that
 * was written before, and can still be written, gets no probes. `with`: the
 * descriptor that is the `file` of its sets, if these have probes of other
 * files too: if one of the files is written, all lose their probes. 0: its own.
 */
void gn_written_guard(struct gn_written *w, const struct gn_file *file,
		      uint32_t module, int with);

/* When the file was written after it had probes; 0: it was not. */
uint64_t gn_written_at(struct gn_written *w, int fd);
bool gn_written_is(struct gn_written *w, int fd);

/* From gn_written_begin() to gn_written_end() a lock keeps probes from being
 * removed. False: the file (0 = none) was written, so it must get no probes. */
bool gn_written_begin(struct gn_written *w, int fd);
void gn_written_end(struct gn_written *w);

/* After the capture's last records: where nothing is attached later, records
 * from when on calls of files that were written are missing, up to `end`. */
void gn_written_rest(struct gn_session *s, uint64_t end);
/* Call before all probes are removed: leases are left alone from now on. */
void gn_written_stop(struct gn_written *w);
/* Call after that: lets waiting writers go on. */
void gn_written_free(struct gn_written *w);

#endif
