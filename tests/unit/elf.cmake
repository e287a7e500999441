# SPDX-License-Identifier: BSD-2-Clause
# One library with symbols of every kind; then what distributions make of it: a
# stripped one with a link to its debug file.
set(gn_elf_asm ${CMAKE_CURRENT_BINARY_DIR}/gn-elf)
add_custom_command(
	OUTPUT ${gn_elf_asm}.so ${gn_elf_asm}.debug ${gn_elf_asm}-stripped.so
	COMMAND ${CMAKE_C_COMPILER} -shared -nostartfiles -nodefaultlibs
		-Wl,--build-id=sha1 -Wl,-soname,libgnomon-elf-test.so.1
		-Wl,--version-script,${CMAKE_CURRENT_LIST_DIR}/elf_versions.map
		-Wl,-z,lazy -o ${gn_elf_asm}.so
		${CMAKE_CURRENT_LIST_DIR}/elf_asm.S
	COMMAND ${CMAKE_OBJCOPY} --only-keep-debug ${gn_elf_asm}.so
		${gn_elf_asm}.debug
	COMMAND ${CMAKE_OBJCOPY} --strip-all
		--add-gnu-debuglink=${gn_elf_asm}.debug ${gn_elf_asm}.so
		${gn_elf_asm}-stripped.so
	DEPENDS ${CMAKE_CURRENT_LIST_DIR}/elf_asm.S
		${CMAKE_CURRENT_LIST_DIR}/elf_versions.map
	VERBATIM)
add_custom_target(gn_elf_files DEPENDS ${gn_elf_asm}.so)

gn_unit_test(test_elf_head gnomon_elf)
gn_unit_test(test_elf_notes gnomon_elf)
gn_unit_test(test_elf_overlap gnomon_elf)
gn_unit_test(test_elf_variables gnomon_elf)
# its table is one of relocations
target_compile_options(test_elf_variables PRIVATE -fPIE)
target_link_options(test_elf_variables PRIVATE -pie)
gn_unit_test(test_asked gnomon_runtime)
gn_unit_test(test_runtime_filter gnomon_runtime Threads::Threads)
gn_unit_test(test_runtime_native gnomon_runtime)
gn_unit_test(test_runtime_probes gnomon_runtime)
gn_unit_test(test_runtime_php gnomon_runtime)
gn_unit_test(test_runtime_running gnomon_runtime Threads::Threads)
gn_unit_test(test_clr_ipc gnomon_runtime)
gn_unit_test(test_clr_written gnomon_runtime)
gn_unit_test(test_elf_symbols gnomon_elf)
gn_unit_test(test_elf_hostile gnomon_site)
foreach(test test_elf_symbols test_elf_hostile)
	target_compile_definitions(${test} PRIVATE
		GN_ELF_WHOLE="${gn_elf_asm}.so"
		GN_ELF_STRIPPED="${gn_elf_asm}-stripped.so"
		GN_ELF_DEBUG="${gn_elf_asm}.debug")
	add_dependencies(${test} gn_elf_files)
endforeach()

add_library(gn_elf_sleds MODULE ${CMAKE_CURRENT_LIST_DIR}/elf_sleds.c)
target_compile_options(gn_elf_sleds PRIVATE -fpatchable-function-entry=5
	-fno-sanitize=all)
target_link_options(gn_elf_sleds PRIVATE -fno-sanitize=all)
gn_unit_test(test_elf_sleds gnomon_elf)
target_compile_definitions(test_elf_sleds PRIVATE
	GN_ELF_SLEDS="$<TARGET_FILE:gn_elf_sleds>")
add_dependencies(test_elf_sleds gn_elf_sleds)
