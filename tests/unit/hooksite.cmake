# SPDX-License-Identifier: BSD-2-Clause
# What runs in traced programs: as it is compiled for them.
gn_unit_test(test_hooksite_fast Threads::Threads)
set(fast fast.c fast_allowed.c fast_claim.c fast_memory.c fast_ring.c)
list(TRANSFORM fast PREPEND ${CMAKE_SOURCE_DIR}/user/hooksite/)
target_sources(test_hooksite_fast PRIVATE hook_vectors.S ${fast}
	${CMAKE_SOURCE_DIR}/user/hooksite/fast_names.c)
set_source_files_properties(${fast} PROPERTIES COMPILE_OPTIONS
	"-O2;-mno-red-zone;-mgeneral-regs-only;-ftls-model=initial-exec;-fno-sanitize=all")
gn_unit_test(test_hooksite_preload)
target_sources(test_hooksite_preload PRIVATE
	${CMAKE_SOURCE_DIR}/user/hooksite/preload/environment.c
	${CMAKE_SOURCE_DIR}/user/hooksite/preload/program.c)
gn_unit_test(test_hooksite_patch)
target_sources(test_hooksite_patch PRIVATE
	${CMAKE_SOURCE_DIR}/user/hooksite/native/patch.c
	${CMAKE_SOURCE_DIR}/user/hooksite/native/stubs.c)
target_link_options(test_hooksite_patch PRIVATE -Wl,--wrap=open,--wrap=pwrite)
gn_unit_test(test_python)
target_sources(test_python PRIVATE
	${CMAKE_SOURCE_DIR}/user/hooksite/glob.c
	${CMAKE_SOURCE_DIR}/user/hooksite/python/filter.c
	${CMAKE_SOURCE_DIR}/user/hooksite/script.c
	${CMAKE_SOURCE_DIR}/user/hooksite/python/yields.c)
gn_unit_test(test_hooksite_mono)
target_sources(test_hooksite_mono PRIVATE
	${CMAKE_SOURCE_DIR}/user/hooksite/clr/text.c
	${CMAKE_SOURCE_DIR}/user/hooksite/mono/calls.c
	${CMAKE_SOURCE_DIR}/user/hooksite/mono/written.c)
gn_unit_test(test_hooksite_ruby)
target_sources(test_hooksite_ruby PRIVATE
	${CMAKE_SOURCE_DIR}/user/hooksite/fiber_calls.c
	${CMAKE_SOURCE_DIR}/user/hooksite/ruby/filter.c
	${CMAKE_SOURCE_DIR}/user/hooksite/script.c
	${CMAKE_SOURCE_DIR}/user/hooksite/glob.c)

add_test(NAME hooksite/old-libc COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/old-libc
	$<TARGET_FILE:gnomon_clr_musl>
	$<TARGET_FILE:gnomon_clr> $<TARGET_FILE:gnomon_java>
	$<TARGET_FILE:gnomon_mono> $<TARGET_FILE:gnomon_native>
	$<TARGET_FILE:gnomon_php> $<TARGET_FILE:gnomon_python>
	$<TARGET_FILE:gnomon_ruby>)
set_tests_properties(hooksite/old-libc PROPERTIES SKIP_RETURN_CODE 77
	TIMEOUT 600 LABELS must-run)
