// SPDX-License-Identifier: BSD-2-Clause
/* Sleds from the content of their section, and from what the dynamic linker
 * puts there. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "elf/elf_image.h"
#include "elf/sleds.h"

static void where(uint64_t *offset, size_t *size)
{
	struct gn_image image;
	GElf_Shdr sh;

	assert_int_equal(gn_image_open(GN_ELF_SLEDS, &image), 0);
	assert_non_null(
		gn_image_find(&image, "__patchable_function_entries", &sh));
	*offset = sh.sh_offset;
	*size = sh.sh_size;
	gn_image_close(&image);
}

/* A copy with an empty section, as lld leaves it. */
static void make_empty(char *path)
{
	static const char zeros[256];
	int from = open(GN_ELF_SLEDS, O_RDONLY), to = mkstemp(path);
	uint64_t offset;
	size_t size;
	char part[4096];

	where(&offset, &size);
	assert_true(from >= 0 && to >= 0 && size <= sizeof(zeros));
	for (ssize_t n; (n = read(from, part, sizeof(part))) > 0;)
		assert_int_equal(write(to, part, (size_t)n), n);
	assert_int_equal(pwrite(to, zeros, size, (off_t)offset), size);
	close(from);
	close(to);
}

static void test_relocated(void **state)
{
	char path[] = "sleds-XXXXXX"; /* in the build folder */
	struct gn_sled *full, *empty;
	size_t n, m, broken;

	(void)state;
	assert_int_equal(gn_sleds_read(GN_ELF_SLEDS, &full, &n, &broken), 0);
	assert_int_equal(broken, 0);
	assert_true(n >= 2);
	make_empty(path);
	assert_int_equal(gn_sleds_read(path, &empty, &m, &broken), 0);
	unlink(path);
	assert_int_equal(broken, 0);
	assert_int_equal(m, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(empty[i].addr, full[i].addr);
	free(full);
	free(empty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_relocated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
