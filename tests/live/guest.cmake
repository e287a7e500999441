# SPDX-License-Identifier: BSD-2-Clause
# Runs the live tests under older kernels and a newer one, in QEMU guests.
set(GN_GUEST_CACHE ${CMAKE_BINARY_DIR}/guest-kernels)
set(GN_GUEST_KERNELS 6.1 6.12)
# its own code can be preempted anywhere (PREEMPT_LAZY)
set(GN_GUEST_NEW 7.3)

# gn_guest_test(NAME SECONDS COMMAND...): a test that exits with 77 if the
# machine has no QEMU or no kernels.
function(gn_guest_test name seconds)
	add_test(NAME guest/${name} COMMAND ${ARGN})
	set_tests_properties(guest/${name} PROPERTIES TIMEOUT ${seconds}
		LABELS "guest;must-run" SKIP_RETURN_CODE 77)
endfunction()

# Tests of the harness itself.
add_executable(standin guest/standin.c)
target_link_libraries(standin PRIVATE Threads::Threads)
gn_in_plain(standin standin)
gn_guest_test(harness 240 ${CMAKE_CURRENT_SOURCE_DIR}/guest/test-harness
	6.1 ${GN_GUEST_CACHE} ${standin})

# that of busybox makes no time namespaces
find_program(GN_UNSHARE unshare REQUIRED)

# All native live tests except those of guest/left-out, for tools/test --long;
# by default only those of guest/core, with the older kernel. guest/machines
# boots the newer one. Other tests may run beside a guest. This is deferred to
# the end of this folder, when all targets and tests are known.
function(gn_guest_native)
	if(NOT TARGET live_native OR NOT TARGET gnomon)
		return()
	endif()
	gn_in_plain(driver live_native)
	gn_in_plain(gnomon gnomon)
	gn_in_plain(skewed gnomon_skewed)
	set(left_out ${CMAKE_CURRENT_SOURCE_DIR}/guest/left-out)
	set(core ${CMAKE_CURRENT_SOURCE_DIR}/guest/core)
	list(TRANSFORM GN_GUEST_KERNELS PREPEND ${left_out}-
		OUTPUT_VARIABLE left_out_each)
	foreach(name ${GN_GUEST_KERNELS} core new)
		set(kernel ${name})
		set(names /dev/null)
		set(left ${left_out})
		if(name STREQUAL "core")
			set(kernel 6.1)
			set(names ${core})
		elseif(name STREQUAL "new")
			set(kernel ${GN_GUEST_NEW})
			set(names ${CMAKE_CURRENT_SOURCE_DIR}/guest/new)
		endif()
		if(NOT name STREQUAL "new")
			list(APPEND left ${left_out}-${kernel})
		endif()
		list(TRANSFORM left REPLACE ".*/" "" OUTPUT_VARIABLE left_names)
		list(JOIN left_names " " left_names)
		gn_guest_test(native-${name} 1500
			${CMAKE_CURRENT_SOURCE_DIR}/guest/run-native
			$<TARGET_FILE:live_native> ${names} -t 1000
			-c ${GN_GUEST_CACHE} ${kernel}
			${gnomon} ${skewed} ${driver} ${left} ${GN_UNSHARE}
			${GNOMON_PLAIN_BUILD}/tests/fixtures/native --
			"cat ${left_names} >left && PATH=$PWD:$PATH GNOMON=$PWD/gnomon GNOMON_SKEWED=$PWD/gnomon_skewed \
LIVE_SLOW=4 LIVE_TRIES=3 LIVE_GUEST_MS=10 FIXTURES=$PWD/native LIVE_LEFT_OUT=left")
		set_tests_properties(guest/native-${name} PROPERTIES COST 1000)
	endforeach()
	# Debian's backports keep a series for some months only
	set_property(TEST guest/native-new PROPERTY LABELS guest)
	set_property(TEST guest/native-6.1 guest/native-6.12 guest/native-new
		APPEND PROPERTY LABELS long)
	gn_guest_test(machines 300 ${CMAKE_CURRENT_SOURCE_DIR}/guest/check-machines
		6.12 ${GN_GUEST_CACHE} ${gnomon} ${driver}
		${GNOMON_PLAIN_BUILD}/tests/fixtures/native)
	set_property(TEST guest/machines APPEND PROPERTY LABELS long)
	add_test(NAME guest/left-out
		COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/guest/check-left-out
		$<TARGET_FILE:live_native> ${core} ${left_out} ${left_out_each})
endfunction()

# Some .NET tests, which older kernels can run, too. Hooks are probes there,
# because the processor's counter is not known to be steady.
function(gn_guest_clr)
	if(NOT TARGET live_clr OR NOT TARGET gnomon_clr)
		return()
	endif()
	gn_in_plain(driver live_clr)
	gn_in_plain(gnomon gnomon)
	gn_in_plain(library gnomon_clr)
	get_property(dotnet GLOBAL PROPERTY GN_DOTNET_COMMAND)
	foreach(test clr-6.1 clr-6.1-more)
		set(names recursion exceptions threads events attach)
		if(test STREQUAL "clr-6.1-more")
			set(names sixty-rejit)
		endif()
		gn_guest_test(${test} 1200
			${CMAKE_CURRENT_SOURCE_DIR}/guest/run-clr
			"${dotnet}" 6.1 ${GN_GUEST_CACHE} ${gnomon} ${library}
			${driver} ${CMAKE_BINARY_DIR}/tests/fixtures/dotnet
			${names})
		set_property(TEST guest/${test} APPEND PROPERTY LABELS clr)
		set_tests_properties(guest/${test} PROPERTIES COST 900)
	endforeach()
	set_property(TEST guest/clr-6.1-more APPEND PROPERTY LABELS long)
endfunction()

cmake_language(DEFER CALL gn_guest_native)
cmake_language(DEFER CALL gn_guest_clr)
cmake_language(DEFER CALL gn_must_run)
