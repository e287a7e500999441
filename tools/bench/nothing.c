/* SPDX-License-Identifier: BSD-2-Clause */
#include "bare.h"

#include <errno.h>
#include <stdlib.h>

#include <bpf/libbpf.h>

#include "bare.skel.h"

struct nothing {
	struct bare_bpf *skel;
	struct bpf_link *link;
};

static int attach(struct nothing *n)
{
	int err;

	n->skel = bare_bpf__open();
	if (!n->skel)
		return -errno;
	bpf_program__set_autoload(n->skel->progs.bare, false);
	err = bare_bpf__load(n->skel);
	if (err)
		return err;
	n->link = bpf_program__attach(n->skel->progs.nothing);
	return n->link ? 0 : -errno;
}

int nothing_start(struct nothing **out)
{
	struct nothing *n = calloc(1, sizeof(*n));
	int err = n ? attach(n) : -ENOMEM;

	if (err)
		nothing_stop(n);
	else
		*out = n;
	return err;
}

void nothing_stop(struct nothing *n)
{
	if (!n)
		return;
	bpf_link__destroy(n->link);
	bare_bpf__destroy(n->skel);
	free(n);
}
