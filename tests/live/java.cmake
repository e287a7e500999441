# SPDX-License-Identifier: BSD-2-Clause
# Live tests on Java. Without a JDK the entries still exist, but are skipped
# with the reason. They use the build without sanitizers, because everything
# that a Java program does comes as records.
add_executable(live_java
	live_main.c live_left.c live_proc.c live_pair.c live_report.c live_truth.c live_calls.c
	java_archive.c java_child.c java_container.c java_events.c java_hooks.c java_killed.c java_run.c
	live_contained.c live_group.c live_session.c)
target_link_libraries(live_java PRIVATE PkgConfig::JANSSON m)
target_compile_definitions(live_java PRIVATE LIVE_TESTS="java_tests.def")

function(gn_live_java)
	if(NOT TARGET gnomon)
		return()
	endif()
	get_property(java GLOBAL PROPERTY GN_JAVA_COMMAND)
	gn_in_plain(gnomon gnomon)
	gn_live_tests(java java live_java java_tests.def 120 "must-run;java"
		GNOMON=${gnomon} JAVA=${java}
		FIXTURES=${CMAKE_BINARY_DIR}/tests/fixtures/java)
	set_property(TEST live/java/recursion-interpreted
		live/java/child-many
		live/java/recursion-first-compiler
		live/java/recursion-second-compiler
		live/java/exceptions-interpreted APPEND PROPERTY LABELS long)
endfunction()
gn_live_java()
