# SPDX-License-Identifier: BSD-2-Clause
# Live tests on Mono. Without it, or without its compiler, the entries still
# exist, but are skipped with the reason.
add_executable(live_mono
	live_main.c live_left.c live_proc.c live_pair.c live_report.c live_truth.c
	live_mono.c)
target_link_libraries(live_mono PRIVATE PkgConfig::JANSSON m)
target_compile_definitions(live_mono PRIVATE LIVE_TESTS="mono_tests.def")

function(gn_live_mono)
	if(NOT TARGET gnomon)
		return()
	endif()
	get_property(mono GLOBAL PROPERTY GN_MONO_COMMAND)
	gn_in_plain(gnomon gnomon)
	gn_live_tests(mono mono live_mono mono_tests.def 240
		"must-run;mono" GNOMON=${gnomon} MONO=${mono}
		FIXTURES=${CMAKE_BINARY_DIR}/tests/fixtures/mono)
endfunction()
gn_live_mono()
