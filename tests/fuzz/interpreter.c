/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs and libraries that may have an interpreter of Python, Ruby or PHP in
 * them. An input is flags and the file. A flag repairs the ELF header, which
 * would stop a fuzzer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/interpreter_file.h"
#include "fuzz.h"
#include "mend_elf.h"

enum { MEND_MAGIC = 1 };

static void check_python(const struct gn_python_layout *at)
{
	must(at->thread_id != GN_PYTHON_NONE && at->frame != GN_PYTHON_NONE &&
		     at->code != GN_PYTHON_NONE && at->name != GN_PYTHON_NONE,
	     "a known layout is whole");
}

static void check_file(const struct gn_interpreter_file *file)
{
	if (file->known && file->its.kind == GN_INTERPRETER_PYTHON)
		check_python(&file->its.python);
	if (file->known && file->its.kind == GN_INTERPRETER_RUBY)
		must(file->its.ruby.frame, "frames have a size");
	if (file->known && file->its.kind == GN_INTERPRETER_PHP)
		must(file->its.php.current, "the frame has a place");
	must(!file->its.pid && !file->its.turn, "no process is told");
}

static void read_file(const char *path)
{
	static bool (*const read[])(const char *,
				    struct gn_interpreter_file *) = {
		[GN_INTERPRETER_PYTHON] = gn_python_file_read,
		[GN_INTERPRETER_RUBY] = gn_ruby_file_read,
		[GN_INTERPRETER_PHP] = gn_php_file_read,
	};

	for (uint32_t i = 0; i < GN_INTERPRETER_KINDS; i++) {
		struct gn_interpreter_file file = {.its = {.kind = i}};
		struct gn_interpreter_file again = file;
		bool is = read[i](path, &file);

		must(is == read[i](path, &again) &&
			     !memcmp(&file, &again, sizeof(file)),
		     "the same file tells the same");
		if (is)
			check_file(&file);
	}
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size};
	unsigned int flags = (unsigned int)gn_fuzz_take(&in, 1);
	size_t n = in.left;
	uint8_t *elf = gn_fuzz_take_bytes(&in, &n);
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[32];

	if (flags & MEND_MAGIC)
		gn_fuzz_mend_elf(elf, n);
	must(fd >= 0 && write(fd, elf, n) == (ssize_t)n,
	     "a file can be written");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_file(path);
	close(fd);
	free(elf);
}
