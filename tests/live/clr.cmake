# SPDX-License-Identifier: BSD-2-Clause
# Live tests on .NET: one program, one ctest entry a test. Without an SDK they
# are there all the same, and skipped with the reason.
add_executable(live_clr
	live_main.c live_proc.c live_report.c live_truth.c
	clr_run.c clr_filter.c clr_launch.c clr_compiler.c
	clr_classes.c clr_silent.c)
target_link_libraries(live_clr PRIVATE PkgConfig::JANSSON m)
target_compile_definitions(live_clr PRIVATE LIVE_TESTS="clr_tests.def")

function(gn_live_clr)
	if(NOT TARGET gnomon OR NOT TARGET gnomon_clr)
		return()
	endif()
	get_property(dotnet GLOBAL PROPERTY GN_DOTNET_COMMAND)
	gn_live_tests(clr live_clr clr_tests.def 200 "must-run;clr"
		GNOMON=$<TARGET_FILE:gnomon>
		CLR_LIBRARY=$<TARGET_FILE:gnomon_clr> DOTNET=${dotnet}
		FIXTURES=${CMAKE_BINARY_DIR}/tests/fixtures/dotnet LIVE_SLOW=2)
endfunction()
gn_live_clr()
