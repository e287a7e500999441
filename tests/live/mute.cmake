# SPDX-License-Identifier: BSD-2-Clause
# Live tests of muting, which use the capture library directly: one program, one
# ctest entry for each test. It is in the folder from which the library finds
# the build's hook-site libraries.
function(gn_live_mute)
	if(NOT TARGET gnomon_capture OR NOT TARGET gnomon_clr)
		return()
	endif()
	add_executable(live_mute live_main.c live_left.c live_proc.c
		live_mute.c live_mute_more.c)
	target_link_libraries(live_mute PRIVATE gnomon_capture
		PkgConfig::JANSSON)
	target_compile_definitions(live_mute PRIVATE
		LIVE_TESTS="mute_tests.def")
	set_target_properties(live_mute PROPERTIES
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	get_property(dotnet GLOBAL PROPERTY GN_DOTNET_COMMAND)
	gn_live_tests(mute native live_mute mute_tests.def 120 must-run
		GNOMON=$<TARGET_FILE:live_mute>
		CLR_LIBRARY=$<TARGET_FILE:gnomon_clr> DOTNET=${dotnet}
		FIXTURES=${CMAKE_BINARY_DIR}/tests/fixtures)
	# these compare the time of calls
	gn_live_alone(live/mute/session live/mute/multi live/mute/rets
		live/mute/single live/mute/clr)
	gn_live_beside(clr live/mute/clr-unwound live/mute/clr-undone
		live/mute/clr-capabilities)
endfunction()
gn_live_mute()
