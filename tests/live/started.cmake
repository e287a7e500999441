# SPDX-License-Identifier: BSD-2-Clause
# Live tests on interpreters that other programs start.
add_executable(live_started
	live_main.c live_left.c live_proc.c live_pair.c live_report.c live_truth.c
	live_started.c)
target_link_libraries(live_started PRIVATE PkgConfig::JANSSON m)
target_compile_definitions(live_started PRIVATE LIVE_TESTS="started_tests.def")

function(gn_live_started)
	if(NOT TARGET gnomon)
		return()
	endif()
	file(GLOB python /usr/bin/python3)
	file(GLOB ruby /usr/bin/ruby)
	gn_in_plain(gnomon gnomon)
	gn_live_tests(started started live_started started_tests.def 240
		"must-run" GNOMON=${gnomon} PYTHON=${python} RUBY=${ruby}
		FIXTURES=${CMAKE_SOURCE_DIR}/tests/fixtures
		NATIVE=${CMAKE_BINARY_DIR}/tests/fixtures/native
		MUSL=${CMAKE_BINARY_DIR}/tests/fixtures/musl/native)
endfunction()
gn_live_started()
