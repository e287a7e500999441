/* SPDX-License-Identifier: BSD-2-Clause */
/* One probe as a perf event: its file, its counter, and what the kernel says of
 * its site. */
#include "capture/attach.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include <gnomon/hook.h>

#define RETURN_PROBE  1 /* in the config of a uprobe's perf event */
#define COUNTER_SHIFT 32

const char *gn_attach_path(const struct gn_probe_set *set, size_t i)
{
	return set->paths ? set->paths[i] : set->path;
}

bool gn_attach_same_function(const struct gn_probe_set *set, size_t i, size_t k)
{
	return GN_COOKIE_FUNC(set->cookies[i]) ==
		       GN_COOKIE_FUNC(set->cookies[k]) &&
	       gn_attach_path(set, i) == gn_attach_path(set, k);
}

uint64_t gn_attach_counter(const struct gn_probe_set *set, size_t i)
{
	return set->counters ? set->counters[i] : 0;
}

/* Reads the type that uprobes have as perf events. */
static int perf_type(uint32_t *type)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	int got;

	if (!f)
		return -errno;
	got = fscanf(f, "%" SCNu32, type);
	fclose(f);
	return got == 1 ? 0 : -EOPNOTSUPP;
}

int gn_attach_perf_event(const struct gn_probe_set *set, size_t i)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.config = gn_attach_counter(set, i) << COUNTER_SHIFT |
			  (set->ret ? RETURN_PROBE : 0),
		.config1 = (uintptr_t)gn_attach_path(set, i),
		.config2 = set->offsets[i],
	};
	int fd, err = perf_type(&attr.type);

	if (err)
		return err;
	if (gn_attach_counter(set, i) > UINT32_MAX)
		return -EINVAL;
	fd = (int)syscall(SYS_perf_event_open, &attr, set->pid ? set->pid : -1,
			  set->pid ? -1 : 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

bool gn_attach_is_site_error(int err)
{
	return err == -EINVAL || err == -EOPNOTSUPP || err == -EIO ||
	       err == -EILSEQ || err == -ENOEXEC /* no instruction */ ||
	       err == -524 /* the kernel's ENOTSUPP */;
}
