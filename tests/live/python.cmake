# SPDX-License-Identifier: BSD-2-Clause
# Live tests on Python, in each version that is found: python3 in PATH, Debian's
# and those of pyenv. Without one the entries still exist, but are skipped.
add_executable(live_python
	live_main.c live_left.c live_proc.c live_pair.c live_report.c live_truth.c
	live_python.c live_python_samples.c)
target_link_libraries(live_python PRIVATE PkgConfig::JANSSON m)
target_compile_definitions(live_python PRIVATE LIVE_TESTS="python_tests.def")

function(gn_live_python)
	if(NOT TARGET gnomon)
		return()
	endif()
	file(GLOB pythons /usr/bin/python3
		$ENV{HOME}/.pyenv/versions/3.*/bin/python3)
	list(JOIN pythons ":" pythons)
	gn_in_plain(gnomon gnomon)
	gn_live_tests(python python live_python python_tests.def 240
		"must-run;python" GNOMON=${gnomon} PYTHONS=${pythons}
		FIXTURES=${CMAKE_SOURCE_DIR}/tests/fixtures/python
		NATIVE=${CMAKE_BINARY_DIR}/tests/fixtures/native)
endfunction()
gn_live_python()
