# SPDX-License-Identifier: BSD-2-Clause
# Live tests on native programs: one program, one ctest entry for each test.
add_executable(live_native
	live_main.c live_left.c live_proc.c live_report.c live_truth.c live_calls.c
	live_run.c live_session.c live_times.c live_process.c live_attach.c live_attach_ended.c live_classes.c live_busy.c
	live_syscalls.c live_file.c live_bad.c live_files.c live_namespaces.c
	live_signals.c live_stop.c live_ia32.c live_bodies.c live_explain.c
	live_disk.c live_end.c live_outside.c live_doubts.c live_harmless.c
	live_kernel.c live_samples.c live_calls_chosen.c live_values.c
	live_usdt.c live_sleds.c live_claims.c live_told.c live_frozen.c live_group.c
	live_later.c)
target_link_libraries(live_native PRIVATE PkgConfig::JANSSON m)

# Its effects on the kernel itself, for a test of the self-check.
pkg_check_modules(LIBBPF REQUIRED IMPORTED_TARGET libbpf>=1.1)
set(late ${CMAKE_CURRENT_BINARY_DIR}/late)
file(MAKE_DIRECTORY ${late})
gn_skeleton(late_skeleton ${CMAKE_CURRENT_SOURCE_DIR}/late/late.bpf.c ${late})
target_include_directories(live_native SYSTEM PRIVATE ${late})
target_link_libraries(live_native PRIVATE PkgConfig::LIBBPF)
add_dependencies(live_native late_skeleton)

# gnomon with programs whose clock is wrong, for the tests of the self-check.
# session_load.c contains the object.
set(skewed ${CMAKE_CURRENT_BINARY_DIR}/skewed)
file(MAKE_DIRECTORY ${skewed})
gn_skeleton(skewed_skeleton ${CMAKE_CURRENT_SOURCE_DIR}/skewed/skewed.bpf.c
	${skewed})
add_executable(gnomon_skewed ${CMAKE_SOURCE_DIR}/user/main.c
	${CMAKE_SOURCE_DIR}/user/capture/session_load.c)
target_compile_definitions(gnomon_skewed PRIVATE
	GNOMON_VERSION="${PROJECT_VERSION}")
target_include_directories(gnomon_skewed SYSTEM BEFORE PRIVATE ${skewed})
target_link_libraries(gnomon_skewed PRIVATE gnomon_cmd)
add_dependencies(gnomon_skewed skewed_skeleton)

function(gn_live_musl kind name)
	gn_live_driver(driver live_native)
	add_test(NAME live/${kind}/class-${name}
		COMMAND ${GN_STEADY} ${driver} class-${name})
	set_tests_properties(live/${kind}/class-${name} PROPERTIES
		TIMEOUT ${timeout} LABELS must-run SKIP_RETURN_CODE 77
		ENVIRONMENT FIXTURES=${CMAKE_BINARY_DIR}/tests/fixtures/${kind})
	gn_live_beside(native live/${kind}/class-${name})
	gn_live_plain(live/${kind}/class-${name})
endfunction()

function(gn_live_native)
	gn_live_tests(native native live_native live_tests.def 120 must-run
		GNOMON=$<TARGET_FILE:gnomon>
		GNOMON_SKEWED=$<TARGET_FILE:gnomon_skewed>
		FIXTURES=${CMAKE_BINARY_DIR}/tests/fixtures)

	# The ways that wait for a futex. The semaphore is not among them:
	# before 1.2.4, musl waits there as for a read lock.
	if(NOT GN_MUSL_GCC)
		gn_lacks("musl-gcc")
		return()
	endif()
	gn_steady_timeout(timeout 120)
	foreach(name mutex condition barrier rwlock pi join timeout timeout_real
			attached-word)
		gn_live_musl(musl ${name})
	endforeach()
	foreach(name mutex condition join)
		gn_live_musl(musl-static ${name})
	endforeach()
endfunction()
gn_live_native()
