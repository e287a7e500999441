# SPDX-License-Identifier: BSD-2-Clause
# Live tests of `gnomon top`: one program, one ctest entry for each test; and
# scripts that look at its screen in tmux.
function(gn_live_top)
	if(NOT TARGET gnomon OR NOT TARGET gnomon_clr)
		return()
	endif()
	add_executable(live_top
		live_main.c live_left.c live_proc.c live_report.c live_run.c live_session.c
		live_truth.c
		live_top.c live_top_shares.c live_top_functions.c
		live_top_life.c live_top_memory.c live_top_bad.c)
	target_link_libraries(live_top PRIVATE PkgConfig::JANSSON m)
	# tests that measure memory, unless there is no other build
	set(sanitized OFF)
	if(GNOMON_SANITIZE AND GNOMON_PLAIN_BUILD STREQUAL CMAKE_BINARY_DIR)
		set(sanitized ON)
	endif()
	target_compile_definitions(live_top PRIVATE
		LIVE_TESTS="top_tests.def"
		$<$<BOOL:${sanitized}>:LIVE_SANITIZED>)
	get_property(dotnet GLOBAL PROPERTY GN_DOTNET_COMMAND)
	gn_live_tests(top native live_top top_tests.def 200 must-run
		GNOMON=$<TARGET_FILE:gnomon>
		CLR_LIBRARY=$<TARGET_FILE:gnomon_clr> DOTNET=${dotnet}
		FIXTURES=${CMAKE_BINARY_DIR}/tests/fixtures LIVE_SLOW=2)
	gn_steady_timeout(timeout 200)
	foreach(name keys terminal sizes end)
		add_test(NAME live/top/screen-${name}
			COMMAND ${GN_STEADY} ${CMAKE_CURRENT_SOURCE_DIR}/check-top-${name}
			$<TARGET_FILE:gnomon>
			${CMAKE_BINARY_DIR}/tests/fixtures/native)
		set_tests_properties(live/top/screen-${name} PROPERTIES
			TIMEOUT ${timeout} LABELS must-run
			SKIP_RETURN_CODE 77)
		gn_live_beside(native live/top/screen-${name})
	endforeach()
endfunction()
gn_live_top()
