# SPDX-License-Identifier: BSD-2-Clause
# The live tests again under older kernels, in QEMU guests; and the rule for
# tests that must not be skipped.
set(GNOMON_PLAIN_BUILD ${CMAKE_BINARY_DIR} CACHE PATH
	"A build without sanitizers whose programs the guests run")
option(GNOMON_MUST_RUN "Tests labelled must-run fail when skipped" OFF)
set(GNOMON_MAY_SKIP "" CACHE STRING
	"Labels of tests that may be skipped all the same")
set(GN_GUEST_CACHE ${CMAKE_BINARY_DIR}/guest-kernels)
set(GN_GUEST_KERNELS 6.1 6.12)

# gn_guest_test(NAME SECONDS COMMAND...): a test that exits with 77 when the
# machine has no QEMU or no kernels.
function(gn_guest_test name seconds)
	add_test(NAME guest/${name} COMMAND ${ARGN})
	set_tests_properties(guest/${name} PROPERTIES TIMEOUT ${seconds}
		LABELS "guest;must-run" SKIP_RETURN_CODE 77)
endfunction()

# gn_in_plain(VAR TARGET): where the build without sanitizers has the target.
function(gn_in_plain var target)
	set(${var} ${GNOMON_PLAIN_BUILD}/$<PATH:RELATIVE_PATH,$<TARGET_FILE:${target}>,${CMAKE_BINARY_DIR}>
		PARENT_SCOPE)
endfunction()

# The harness itself.
add_executable(standin guest/standin.c)
target_link_libraries(standin PRIVATE Threads::Threads)
gn_in_plain(standin standin)
gn_guest_test(harness 240 ${CMAKE_CURRENT_SOURCE_DIR}/guest/test-harness
	6.1 ${GN_GUEST_CACHE} ${standin})

# The tests of time classes hold times to 1 %, and those of short functions to
# what they say of their error, which an emulated processor that shares a real
# one with other tests does not; they run on the machine itself. So do those of
# slow disks and full pipes, in which the kernel has no part.
# Deferred to the end of this folder, when all targets and tests are known.
function(gn_guest_native)
	if(NOT TARGET live_native OR NOT TARGET gnomon)
		return()
	endif()
	gn_in_plain(driver live_native)
	gn_in_plain(gnomon gnomon)
	foreach(kernel ${GN_GUEST_KERNELS})
		gn_guest_test(native-${kernel} 900
			${CMAKE_CURRENT_SOURCE_DIR}/guest/run-guest -t 870
			-c ${GN_GUEST_CACHE} ${kernel}
			${gnomon} ${driver}
			${GNOMON_PLAIN_BUILD}/tests/fixtures/native --
			"GNOMON=$PWD/gnomon FIXTURES=$PWD/native ./live_native \
$(./live_native --list | grep -Ev '^(class|bodies|disk|report-unread)')")
	endforeach()
endfunction()

function(gn_must_run)
	if(NOT GNOMON_MUST_RUN)
		return()
	endif()
	get_property(tests DIRECTORY PROPERTY TESTS)
	foreach(test ${tests})
		get_property(labels TEST ${test} PROPERTY LABELS)
		set(may_skip OFF)
		foreach(label ${GNOMON_MAY_SKIP})
			if(label IN_LIST labels)
				set(may_skip ON)
			endif()
		endforeach()
		if(must-run IN_LIST labels AND NOT may_skip)
			set_property(TEST ${test} PROPERTY SKIP_RETURN_CODE)
		endif()
	endforeach()
endfunction()

cmake_language(DEFER CALL gn_guest_native)
cmake_language(DEFER CALL gn_must_run)
