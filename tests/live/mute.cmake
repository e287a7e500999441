# SPDX-License-Identifier: BSD-2-Clause
# Live tests of muting, by the capture library itself: one program, one ctest
# entry a test. It is where the library finds the build's hook-site libraries.
function(gn_live_mute)
	if(NOT TARGET gnomon_capture OR NOT TARGET gnomon_clr)
		return()
	endif()
	add_executable(live_mute live_main.c live_proc.c live_mute.c
		live_mute_more.c)
	target_link_libraries(live_mute PRIVATE gnomon_capture
		PkgConfig::JANSSON)
	target_compile_definitions(live_mute PRIVATE
		LIVE_TESTS="mute_tests.def")
	set_target_properties(live_mute PROPERTIES
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	get_property(dotnet GLOBAL PROPERTY GN_DOTNET_COMMAND)
	set(list ${CMAKE_CURRENT_SOURCE_DIR}/mute_tests.def)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
	file(STRINGS ${list} lines REGEX "^(RUN|TEST)\\(\"")
	foreach(line IN LISTS lines)
		string(REGEX REPLACE "^[A-Z]+\\(\"([^\"]+)\".*" "\\1" name "${line}")
		add_test(NAME live/mute/${name} COMMAND live_mute ${name})
		set_tests_properties(live/mute/${name} PROPERTIES
			RUN_SERIAL ON TIMEOUT 120 LABELS must-run
			SKIP_RETURN_CODE 77
			ENVIRONMENT "GNOMON=$<TARGET_FILE:live_mute>;CLR_LIBRARY=$<TARGET_FILE:gnomon_clr>;DOTNET=${dotnet};FIXTURES=${CMAKE_BINARY_DIR}/tests/fixtures")
		if(name MATCHES "^clr")
			set_tests_properties(live/mute/${name} PROPERTIES
				LABELS "must-run;clr")
		endif()
	endforeach()
endfunction()
gn_live_mute()
