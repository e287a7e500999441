/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/events.h"
#include "capture/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#define LINE_MAX_SIZE 256

/* Opened to append: truncating the file would remove the events of all
 * others. */
static int open_events(const char *root)
{
	char path[LINE_MAX_SIZE];
	int fd;

	snprintf(path, sizeof(path), "%s/uprobe_events", root);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int mount_own(const char *root)
{
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tracefs", root, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		  NULL))
		return -errno;
	return 0;
}

int gn_events_open(struct gn_events *e)
{
	static const char *const roots[] = {"/sys/kernel/tracing",
					    "/sys/kernel/debug/tracing"};
	uint64_t id;
	int err;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id))
		return -EIO;
	snprintf(e->group, sizeof(e->group), "gn_%016" PRIx64, id);
	for (size_t i = 0; i < 2; i++) {
		e->root = roots[i];
		e->file = open_events(e->root);
		if (e->file >= 0)
			return 0;
	}
	e->root = roots[0];
	err = mount_own(e->root);
	if (!err)
		e->file = open_events(e->root);
	return err ? err : e->file < 0 ? e->file : 0;
}

static int tell(const struct gn_events *e, const char *line, int size)
{
	ssize_t n;

	if (size >= LINE_MAX_SIZE)
		return -ENAMETOOLONG;
	do {
		n = write(e->file, line, (size_t)size);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == size ? 0 : -EIO;
}

int gn_events_define(const struct gn_events *e, uint32_t event,
		     const struct gn_probe_set *set, size_t i)
{
	char line[LINE_MAX_SIZE], counter[32] = "";

	if (gn_attach_counter(set, i))
		snprintf(counter, sizeof(counter), "(0x%" PRIx64 ")",
			 gn_attach_counter(set, i));
	return tell(e, line,
		    snprintf(line, sizeof(line),
			     "%c:%s/e%" PRIu32 " %s:0x%" PRIx64 "%s\n",
			     set->ret ? 'r' : 'p', e->group, event,
			     gn_attach_path(set, i), set->offsets[i], counter));
}

int gn_events_remove(const struct gn_events *e, uint32_t event)
{
	char line[LINE_MAX_SIZE];

	return tell(e, line,
		    snprintf(line, sizeof(line), "-:%s/e%" PRIu32 "\n",
			     e->group, event));
}

static int read_id(const struct gn_events *e, uint32_t event, uint64_t *id)
{
	char path[LINE_MAX_SIZE];
	FILE *f;
	int got;

	snprintf(path, sizeof(path), "%s/events/%s/e%" PRIu32 "/id", e->root,
		 e->group, event);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	got = fscanf(f, "%" SCNu64, id);
	fclose(f);
	return got == 1 ? 0 : -EIO;
}

int gn_events_enable(const struct gn_events *e, uint32_t event, pid_t pid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
	};
	uint64_t id;
	int fd, err = read_id(e, event, &id);

	if (err)
		return err;
	attr.config = id;
	fd = (int)syscall(SYS_perf_event_open, &attr, pid ? pid : -1,
			  pid ? -1 : 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
