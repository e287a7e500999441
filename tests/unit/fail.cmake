# SPDX-License-Identifier: BSD-2-Clause
# every call that can fail goes through the test
gn_unit_test(test_fail gnomon_site gnomon_top gnomon_cmd PkgConfig::JANSSON)
target_link_options(test_fail PRIVATE
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
	-Wl,--wrap=strdup,--wrap=strndup,--wrap=asprintf,--wrap=fopencookie
	-Wl,--wrap=open,--wrap=fstat,--wrap=pread
	-Wl,--wrap=elf_begin,--wrap=elf_getdata)
target_compile_definitions(test_fail PRIVATE
	GN_SITE_ASM="${CMAKE_CURRENT_BINARY_DIR}/libgn_site_asm.so"
	GN_ELF_STRIPPED="${CMAKE_CURRENT_BINARY_DIR}/gn-elf-stripped.so")
add_dependencies(test_fail gn_site_asm gn_elf_files)
