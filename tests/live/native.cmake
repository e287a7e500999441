# SPDX-License-Identifier: BSD-2-Clause
# Live tests on native programs: one program, one ctest entry a test.
add_executable(live_native
	live_main.c live_left.c live_proc.c live_report.c live_truth.c
	live_run.c live_times.c live_process.c live_attach.c live_classes.c
	live_file.c live_bad.c
	live_files.c live_namespaces.c live_signals.c live_stop.c live_ia32.c
	live_bodies.c live_disk.c live_outside.c live_doubts.c live_harmless.c)
target_link_libraries(live_native PRIVATE PkgConfig::JANSSON m)

function(gn_live_native)
	if(NOT TARGET gnomon)
		return()
	endif()
	gn_live_tests(native live_native live_tests.def 120 must-run
		GNOMON=$<TARGET_FILE:gnomon>
		FIXTURES=${CMAKE_BINARY_DIR}/tests/fixtures)
endfunction()
gn_live_native()
