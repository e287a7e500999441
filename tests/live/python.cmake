# SPDX-License-Identifier: BSD-2-Clause
# Live tests on Python, in each version that is found: Debian's python3 and those
# of pyenv. Without one the entries still exist, but are skipped.
add_executable(live_python
	live_main.c live_left.c live_proc.c live_pair.c live_forked.c live_report.c live_truth.c
	live_sampled.c live_python.c live_python_greenlets.c live_python_samples.c)
target_link_libraries(live_python PRIVATE PkgConfig::JANSSON m)
target_compile_definitions(live_python PRIVATE LIVE_TESTS="python_tests.def")

# Sorts out the versions that gnomon does not trace. A second build of a version
# is a twin, which only long runs use.
function(gn_pythons found first twins)
	foreach(python ${found})
		execute_process(COMMAND ${python} -c "import sys; print(sys.version_info[1])"
			OUTPUT_VARIABLE minor OUTPUT_STRIP_TRAILING_WHITESPACE)
		if(NOT minor OR minor LESS 8)
			continue()
		elseif(minor IN_LIST minors)
			list(APPEND others ${python})
		else()
			list(APPEND minors ${minor})
			list(APPEND each ${python})
		endif()
	endforeach()
	list(JOIN each ":" each)
	list(JOIN others ":" others)
	set(${first} ${each} PARENT_SCOPE)
	set(${twins} ${others} PARENT_SCOPE)
endfunction()

function(gn_live_python)
	if(NOT TARGET gnomon)
		return()
	endif()
	file(GLOB debian /usr/bin/python3)
	file(GLOB pyenv $ENV{HOME}/.pyenv/versions/3.*/bin/python3)
	gn_pythons("${debian};${pyenv}" pythons twins)
	gn_in_plain(gnomon gnomon)
	gn_live_tests(python python live_python python_tests.def 240
		"must-run;python" GNOMON=${gnomon} PYTHONS=${pythons}
		PYTHON_TWINS=${twins}
		FIXTURES=${CMAKE_SOURCE_DIR}/tests/fixtures/python
		NATIVE=${CMAKE_BINARY_DIR}/tests/fixtures/native)
endfunction()
gn_live_python()
