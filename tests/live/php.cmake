# SPDX-License-Identifier: BSD-2-Clause
# Live tests on PHP. Without PHP the entries still exist, but are skipped with
# the reason. They use the build without sanitizers, because everything that a
# PHP program does comes as records.
find_program(GN_PHP php)
add_executable(live_php
	live_main.c live_left.c live_proc.c live_pair.c live_report.c live_truth.c live_calls.c
	live_told.c live_sampled.c php_run.c php_hooks.c php_events.c
	php_samples.c)
target_link_libraries(live_php PRIVATE PkgConfig::JANSSON m)
target_compile_definitions(live_php PRIVATE LIVE_TESTS="php_tests.def")

function(gn_live_php)
	if(NOT TARGET gnomon)
		return()
	endif()
	if(NOT GN_PHP)
		set(GN_PHP "")
	endif()
	gn_in_plain(gnomon gnomon)
	gn_live_tests(php php live_php php_tests.def 120 "must-run;php"
		GNOMON=${gnomon} PHP=${GN_PHP}
		FIXTURES=${CMAKE_SOURCE_DIR}/tests/fixtures/php
		NATIVE=${CMAKE_BINARY_DIR}/tests/fixtures/native)
endfunction()
gn_live_php()
