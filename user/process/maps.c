/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A limit above the number of mappings that a process may have. */
#define LINES_MAX (1u << 21)

void gn_maps_of(struct gn_maps *m, FILE *f)
{
	m->f = f;
	m->line = NULL;
	m->room = m->lines = 0;
	m->end = 0;
	m->runs = false;
}

int gn_maps_open(struct gn_maps *m, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	gn_maps_of(m, fopen(pid ? path : "/proc/self/maps", "re"));
	if (!m->f)
		return errno == ENOENT ? -ESRCH : -errno;
	setvbuf(m->f, m->buffer, _IOFBF, sizeof(m->buffer));
	m->runs = true;
	return 0;
}

void gn_maps_done(struct gn_maps *m)
{
	free(m->line);
	m->line = NULL;
}

void gn_maps_close(struct gn_maps *m)
{
	gn_maps_done(m);
	if (m->f)
		fclose(m->f);
	m->f = NULL;
}

/* A hexadecimal or decimal number that ends with `end`. */
static bool take_number(const char **text, int base, char end, uint64_t *value)
{
	char *stop;

	if (**text == ' ' || **text == '-' || **text == '+')
		return false;
	errno = 0;
	*value = strtoull(*text, &stop, base);
	if (stop == *text || *stop != end || errno)
		return false;
	*text = stop + 1;
	return true;
}

/* "7f..-7f.. r-xp 00000000 08:01 1234   /usr/lib/libc.so.6", without the
 * newline; blanks precede a name. */
static bool parse_line(const char *line, struct gn_mapping *m)
{
	uint64_t major, minor;

	if (!take_number(&line, 16, '-', &m->start) ||
	    !take_number(&line, 16, ' ', &m->end) || m->start >= m->end)
		return false;
	if (strnlen(line, 5) < 5 || line[4] != ' ')
		return false;
	m->read = line[0] == 'r';
	m->write = line[1] == 'w';
	m->exec = line[2] == 'x';
	m->shared = line[3] == 's';
	line += 5;
	if (!take_number(&line, 16, ' ', &m->offset) ||
	    !take_number(&line, 16, ':', &major) ||
	    !take_number(&line, 16, ' ', &minor) || major > UINT32_MAX ||
	    minor > UINT32_MAX)
		return false;
	m->file.dev = major << 32 | minor;
	m->name = "";
	if (take_number(&line, 10, '\0', &m->file.ino))
		return true;
	if (!take_number(&line, 10, ' ', &m->file.ino))
		return false;
	m->name = line + strspn(line, " ");
	return true;
}

static int next_line(struct gn_maps *m, struct gn_mapping *out)
{
	ssize_t len = getline(&m->line, &m->room, m->f);

	if (len < 0)
		return ferror(m->f) ? -EIO : 0;
	if (++m->lines > LINES_MAX)
		return -E2BIG;
	if (len && m->line[len - 1] == '\n')
		m->line[len - 1] = '\0';
	return parse_line(m->line, out) ? 1 : -EILSEQ;
}

int gn_maps_next(struct gn_maps *m, struct gn_mapping *out)
{
	int got;

	do {
		got = next_line(m, out);
	} while (got > 0 && m->runs && out->end <= m->end);
	if (got <= 0)
		return got;
	if (out->start < m->end) {
		if (!m->runs)
			return -EILSEQ;
		if (out->file.ino)
			out->offset += m->end - out->start;
		out->start = m->end;
	}
	m->end = out->end;
	return 1;
}

int gn_maps_name(int fd, struct gn_file_id *id)
{
	char *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	struct gn_mapping m = {0};
	struct gn_maps maps;
	int got;

	*id = (struct gn_file_id){0, 0};
	if (page == MAP_FAILED)
		return -errno;
	got = gn_maps_open(&maps, 0);
	got = got ? got : 1;
	while (got > 0) {
		got = gn_maps_next(&maps, &m);
		if (got > 0 && m.start == (uintptr_t)page)
			break;
	}
	gn_maps_close(&maps);
	munmap(page, 1);
	if (got <= 0 || !m.file.ino)
		return got < 0 ? got : -ENOENT;
	*id = m.file;
	return 0;
}
