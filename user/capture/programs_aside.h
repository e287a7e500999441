/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Half of the kernel side's programs, by the work that it is to verify them.
 * The kernel verifies each program by itself and libbpf loads them one after
 * the other; so this half is loaded by a thread, while its caller loads the
 * other. It is an object of its own, with the other's maps.
 */
#ifndef GNOMON_CAPTURE_PROGRAMS_ASIDE_H
#define GNOMON_CAPTURE_PROGRAMS_ASIDE_H

struct bpf_program;
struct gn_programs_aside;
struct gnomon_bpf;

/* Lets `to`, which was not loaded yet, use the maps of `from`. 0 or -errno. */
int gn_programs_share(struct gnomon_bpf *to, const struct gnomon_bpf *from);

/*
 * Begins to load. `skel` has all of its maps, and was not loaded yet: those of
 * its programs that are loaded aside no longer are with it. `aside` is the same
 * object, opened once more; it is then owned. NULL: no memory.
 */
struct gn_programs_aside *gn_programs_aside_begin(struct gnomon_bpf *skel,
						  struct gnomon_bpf *aside);
/* Waits for the end. 0 or -errno. */
int gn_programs_aside_end(struct gn_programs_aside *a);

/* A program of `skel` as it was loaded. */
struct bpf_program *gn_programs_aside_find(const struct gn_programs_aside *a,
					   struct bpf_program *prog);

/* `a` may be NULL. */
void gn_programs_aside_free(struct gn_programs_aside *a);

#endif
