# SPDX-License-Identifier: BSD-2-Clause
# Live tests on native programs: one program, one ctest entry a test.
add_executable(live_native
	live_main.c live_proc.c live_report.c live_truth.c live_run.c
	live_times.c live_process.c live_attach.c live_classes.c live_file.c live_bad.c)
target_link_libraries(live_native PRIVATE PkgConfig::JANSSON m)

function(gn_live_native)
	if(NOT TARGET gnomon)
		return()
	endif()
	set(list ${CMAKE_CURRENT_SOURCE_DIR}/live_tests.def)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
	file(STRINGS ${list} lines REGEX "^(RUN|TEST)\\(\"")
	foreach(line IN LISTS lines)
		string(REGEX REPLACE "^[A-Z]+\\(\"([^\"]+)\".*" "\\1" name "${line}")
		add_test(NAME live/native/${name} COMMAND live_native ${name})
		set_tests_properties(live/native/${name} PROPERTIES
			RUN_SERIAL ON TIMEOUT 120 LABELS must-run
			SKIP_RETURN_CODE 77
			ENVIRONMENT "GNOMON=$<TARGET_FILE:gnomon>;FIXTURES=${CMAKE_BINARY_DIR}/tests/fixtures")
	endforeach()
endfunction()
gn_live_native()
