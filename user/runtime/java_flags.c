/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of a running JVM, as they are in its memory. */
#include "runtime/java_attach_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "elf/variables.h"
#include "process/files.h"
#include "process/maps.h"
#include "runtime/java.h"

/* In a row of the table of a JVM that warns: its word of flags, behind the
 * addresses of the variable and of its name. The low bits are where the value
 * is from. */
#define ROW_FLAGS    16
#define ORIGIN_MASK  0xfu
#define COMMAND_LINE 1u
#define WAS_GIVEN    (1u << 17) /* whatever has set it last */

/* What the JVM writes. */
#define WARNING "has been loaded dynamically"

enum { DEAF, AGENTS, PROBES, COUNT };

static const char *const names[COUNT] = {
	[DEAF] = "DisableAttachMechanism",
	[AGENTS] = "EnableDynamicAgentLoading",
	[PROBES] = "DTraceMonitorProbes",
};

/* The JVM's file: an open descriptor, and where the process has it. It is the
 * file that runs, even if an upgrade has put another one in its place. */
static int find_file(pid_t pid, int *fd, uint64_t *start)
{
	struct gn_mapping m;
	struct gn_maps maps;
	int err = gn_maps_open(&maps, pid);

	if (err)
		return err;
	*fd = -ENOENT;
	while (*fd == -ENOENT && gn_maps_next(&maps, &m) == 1) {
		if (m.offset || !m.file.ino ||
		    !gn_runtime_is_file(GN_HOTSPOT_CORE, m.name))
			continue;
		*start = m.start;
		*fd = gn_file_of_mapping(pid, &m);
	}
	gn_maps_close(&maps);
	return *fd < 0 ? *fd : 0;
}

static int read_at(pid_t pid, uint64_t at, void *to, size_t size)
{
	struct iovec here = {to, size}, there = {(void *)(uintptr_t)at, size};

	if (process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)size)
		return 0;
	return errno ? -errno : -EFAULT;
}

static int write_at(pid_t pid, uint64_t at, uint32_t value)
{
	struct iovec here = {&value, sizeof(value)},
		     there = {(void *)(uintptr_t)at, sizeof(value)};

	if (process_vm_writev(pid, &here, 1, &there, 1, 0) == sizeof(value))
		return 0;
	return errno ? -errno : -EFAULT;
}

static int read_flags(pid_t pid, const char *place, uint64_t start,
		      struct gn_java_flags *f)
{
	uint64_t addr[COUNT], row[COUNT];
	uint8_t value[COUNT] = {[AGENTS] = true, [PROBES] = true};
	int err = gn_variables_rows(place, names, COUNT, addr, row);

	f->warns = gn_runtime_file_has(place, WARNING);
	/* Java 8 always loads agents */
	if (!err && (!addr[DEAF] || (!addr[AGENTS] && f->warns)))
		err = -ENOENT;
	for (int i = 0; i < COUNT && !err; i++)
		if (addr[i])
			err = read_at(pid, start + addr[i], &value[i], 1);
	if (err)
		return err;
	f->deaf = value[DEAF];
	f->fixed = !value[AGENTS];
	f->origin = start + row[AGENTS] + ROW_FLAGS;
	f->probes = addr[PROBES] ? start + addr[PROBES] : 0;
	f->probed = value[PROBES];
	return 0;
}

int gn_java_flags_read(pid_t pid, struct gn_java_flags *f, char *why)
{
	char place[32];
	uint64_t start;
	int fd, err = find_file(pid, &fd, &start);

	*f = (struct gn_java_flags){0};
	if (!err) {
		snprintf(place, sizeof(place), "/proc/self/fd/%d", fd);
		err = read_flags(pid, place, start, f);
		close(fd);
	}
	if (err)
		err = gn_attach_told_end(pid, err, why);
	if (err && err != -ESRCH)
		snprintf(why, GN_WHY_MAX,
			 "the options of the JVM of process %d cannot be read "
			 "(%s), so it is not known whether it lets tools "
			 "attach; %s",
			 (int)pid, strerror(-err),
			 err == -EPERM ? "run gnomon as root"
				       : "start the program under gnomon");
	return err;
}

int gn_java_flags_quiet(pid_t pid, const struct gn_java_flags *f, uint32_t *was)
{
	int err = read_at(pid, f->origin, was, sizeof(*was));

	if (err)
		return err;
	return write_at(pid, f->origin,
			(*was & ~ORIGIN_MASK) | COMMAND_LINE | WAS_GIVEN);
}

void gn_java_flags_restore(pid_t pid, const struct gn_java_flags *f,
			   uint32_t was)
{
	write_at(pid, f->origin, was);
}

static bool set_probes(int memory, const struct gn_java_flags *f, uint8_t value)
{
	return pwrite(memory, &value, sizeof(value), (off_t)f->probes) ==
	       sizeof(value);
}

/* The open file stays the memory of this program: another process can have the
 * number when the session ends. */
int gn_java_flags_probe(pid_t pid, const struct gn_java_flags *f)
{
	char path[32];
	int memory;

	if (!f->probes || f->probed)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	memory = open(path, O_RDWR | O_CLOEXEC);
	if (memory < 0 || set_probes(memory, f, true))
		return memory;
	close(memory);
	return -1;
}

void gn_java_flags_unprobe(int memory, const struct gn_java_flags *f)
{
	if (memory < 0)
		return;
	set_probes(memory, f, false);
	close(memory);
}
