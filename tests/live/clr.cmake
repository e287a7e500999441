# SPDX-License-Identifier: BSD-2-Clause
# Live tests on .NET: one program, one ctest entry for each test. Without an SDK
# the entries still exist, but are skipped with the reason.
add_executable(live_clr
	live_main.c live_contained.c live_left.c live_proc.c live_report.c live_truth.c
	live_calls.c live_told.c
	clr_run.c clr_samples.c clr_list.c
	clr_attach.c clr_attach_bad.c clr_attach_left.c clr_attach_socket.c
	clr_container.c clr_replaced.c clr_filter.c clr_launch.c clr_compiler.c
	clr_async.c clr_classes.c clr_waiting.c clr_silent.c clr_code.c
	clr_events.c clr_values.c clr_web.c clr_bodies.c clr_collects.c
	clr_explain.c clr_fast.c clr_fast_ends.c clr_own_work.c clr_rate.c)
target_link_libraries(live_clr PRIVATE PkgConfig::JANSSON m)
target_compile_definitions(live_clr PRIVATE LIVE_TESTS="clr_tests.def")

function(gn_live_clr)
	if(NOT TARGET gnomon OR NOT TARGET gnomon_clr)
		return()
	endif()
	get_property(dotnet GLOBAL PROPERTY GN_DOTNET_COMMAND)
	gn_live_tests(clr clr live_clr clr_tests.def 200 "must-run;clr"
		GNOMON=$<TARGET_FILE:gnomon>
		CLR_LIBRARY=$<TARGET_FILE:gnomon_clr>
		CLR_OTHER_LIBRARY=$<TARGET_FILE:gnomon_clr_count>
		DOTNET=${dotnet}
		FIXTURES=${CMAKE_BINARY_DIR}/tests/fixtures/dotnet LIVE_SLOW=2)
	# This is the largest of all programs here: on a busy machine it takes
	# minutes.
	gn_live_plain(live/clr/compiler live/clr/compiler-record
		live/clr/web-record live/clr/web-record-uprobe)
	set_property(TEST live/clr/compiler live/clr/compiler-record
		live/clr/web-record live/clr/web-record-uprobe
		APPEND PROPERTY ENVIRONMENT LIVE_SLOW=4)
	# other tests run the same with other options, or for as long
	foreach(name web-record-uprobe web-rejit compiler-record compiler-error
		attach-unloading attach-paused attach-slow explain-collect
		filters-collected values-elt probes-exceptions probes-threads
		async-fsharp-attached precompiled-wildcard attach-copies)
		set_property(TEST live/clr/${name} APPEND PROPERTY LABELS long)
	endforeach()
	# as long as tools/test --long needs
	set_tests_properties(live/clr/fast-gnomon-killed
		live/clr/fast-target-killed live/clr/fast-gnomon-stopped
		live/clr/attach-busy PROPERTIES TIMEOUT 1200)
	set_tests_properties(live/clr/compiler live/clr/compiler-record
		live/clr/web-record live/clr/web-record-uprobe
		PROPERTIES TIMEOUT 1200)
endfunction()
gn_live_clr()

# Tests, by name, with another runtime, which the fixture dotnet-KIND gets from
# the package feed. If that is not possible, the fixture and the tests are
# skipped. Tests after LONG only run with tools/test --long.
function(gn_live_clr_with kind dotnet fixtures)
	cmake_parse_arguments(PARSE_ARGV 3 arg "" "" LONG)
	gn_steady_timeout(timeout 200)
	gn_live_driver(driver live_clr)
	get_property(plain GLOBAL PROPERTY GN_LIVE_PLAIN)
	foreach(name ${arg_UNPARSED_ARGUMENTS} ${arg_LONG})
		add_test(NAME live/clr-${kind}/${name}
			COMMAND ${GN_STEADY} ${driver} ${name})
		set_tests_properties(live/clr-${kind}/${name} PROPERTIES
			TIMEOUT ${timeout} LABELS clr
			SKIP_RETURN_CODE 77
			FIXTURES_REQUIRED dotnet-${kind}
			ENVIRONMENT "GNOMON=$<TARGET_FILE:gnomon>;\
CLR_LIBRARY=$<TARGET_FILE:gnomon_clr>;DOTNET=${dotnet};\
FIXTURES=${fixtures};LIVE_SLOW=2")
		set(alone FALSE)
		if(TEST live/clr/${name})
			get_property(alone TEST live/clr/${name}
				PROPERTY RUN_SERIAL)
		endif()
		if(live/clr/${name} IN_LIST plain)
			gn_live_plain(live/clr-${kind}/${name})
		endif()
		if(alone)
			gn_live_alone(live/clr-${kind}/${name})
		else()
			gn_live_beside(clr-others live/clr-${kind}/${name})
		endif()
	endforeach()
	list(TRANSFORM arg_LONG PREPEND live/clr-${kind}/)
	set_property(TEST ${arg_LONG} APPEND PROPERTY LABELS long)
endfunction()

function(gn_live_clr_get kind)
	add_test(NAME live/clr-${kind}/get COMMAND ${ARGN})
	set_tests_properties(live/clr-${kind}/get PROPERTIES TIMEOUT 400
		LABELS clr SKIP_RETURN_CODE 77 FIXTURES_SETUP dotnet-${kind})
endfunction()

# Older versions, a single file with its runtime in it, and a library for .NET
# Standard. What all of them do alike is only tested on the newest.
function(gn_live_clr_others)
	get_property(dotnet GLOBAL PROPERTY GN_DOTNET_COMMAND)
	if(NOT TARGET gnomon OR NOT TARGET gnomon_clr OR NOT dotnet)
		return()
	endif()
	set(folder ${CMAKE_SOURCE_DIR}/tests/fixtures/dotnet)
	file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cs)
	set(some exceptions thrown-light async-exact attach attach-copies inlined
		sixty-rejit)
	set(more kinds unload sixty start-rejit-core attach-helpers)
	set(rest events-all list loading async-attached attach-later from-native names
		samples-attached values-attached
		filters tier-one-only-exceptions async waits exit-open
		attach-warm attach-pace started-killed attach-light
		filter-module inlined-refuse inlined-keep precompiled-kept
		events filters-collected generics samples values values-elt)
	foreach(major 8 9 11)
		set(dir ${CMAKE_BINARY_DIR}/dotnet-${major})
		gn_live_clr_get(${major} ${folder}/get-runtime ${dotnet} ${major}
			${dir} ${sources})
		# the oldest differs most
		set(default ${some})
		set(long ${rest})
		if(major EQUAL 8)
			list(APPEND default ${more})
		else()
			list(APPEND long ${more})
		endif()
		gn_live_clr_with(${major} ${dir}/dotnet ${dir}/demo ${default}
			LONG ${long})
	endforeach()
	# Async methods without state machines, which the runtime suspends.
	set(dir ${CMAKE_BINARY_DIR}/dotnet-suspends)
	gn_live_clr_get(suspends ${folder}/get-runtime ${dotnet} 11 ${dir}
		${sources} -features:runtime-async=on)
	gn_live_clr_with(suspends ${dir}/dotnet ${dir}/demo
		async async-exact async-attached attach kinds sixty sixty-rejit
		LONG attach-warm events-all exceptions exit-open inlined
		started-killed unload values values-attached values-elt)
	# Core libraries in a composite image.
	set(dir ${CMAKE_BINARY_DIR}/dotnet-composite)
	gn_live_clr_get(composite ${folder}/get-composite ${dotnet} 11 ${dir}
		${sources} -features:runtime-async=on)
	gn_live_clr_with(composite ${dir}/dotnet ${dir}/demo
		LONG precompiled-core precompiled-kept)
	set_property(TEST live/clr-composite/get APPEND PROPERTY LABELS long)
	# .NET Core 3.1, without features that need a newer runtime
	set(dir ${CMAKE_BINARY_DIR}/dotnet-old)
	set(old_sources ${sources})
	list(REMOVE_ITEM old_sources ${folder}/FromNative.cs)
	gn_live_clr_get(old ${folder}/get-old ${dotnet} ${dir} ${old_sources})
	gn_live_clr_with(old ${dir}/dotnet ${dir}/demo attach-old exceptions
		async-exact inlined events-all kinds sixty sixty-rejit
		LONG async events exit-open filter-module filters
		filters-collected generics inlined-keep inlined-refuse samples
		started-killed-old tier-one-only-exceptions unload values values-elt waits)
	set(dir ${CMAKE_BINARY_DIR}/dotnet-packed)
	gn_live_clr_get(packed ${folder}/get-packed ${dotnet} 10 ${dir}
		${sources})
	gn_live_clr_with(packed ${dir}/dotnet
		${CMAKE_BINARY_DIR}/tests/fixtures/dotnet
		attach sixty-rejit LONG attach-warm sixty values-attached)
	set(dir ${CMAKE_BINARY_DIR}/dotnet-packed-11)
	gn_live_clr_get(packed-11 ${folder}/get-packed ${dotnet} 11 ${dir}
		${sources})
	gn_live_clr_with(packed-11 ${dir}/dotnet
		${CMAKE_BINARY_DIR}/tests/fixtures/dotnet
		LONG attach sixty-rejit values-attached)
	set_property(TEST live/clr-packed-11/get APPEND PROPERTY LABELS long)
	# Alpine's C library.
	set(dir ${CMAKE_BINARY_DIR}/dotnet-musl)
	gn_live_clr_get(musl ${folder}/get-musl ${dotnet} 10 ${dir} ${sources})
	gn_live_clr_with(musl ${dir}/dotnet ${dir}/demo attach
		attach-container attach-container-killed script-silent
		async-exact exceptions kinds sixty sixty-rejit
		LONG attach-warm values-attached events-all samples unload)
	set(dir ${CMAKE_BINARY_DIR}/dotnet-musl-11)
	gn_live_clr_get(musl-11 ${folder}/get-musl ${dotnet} 11 ${dir}
		${sources} -features:runtime-async=on
		-nowarn:SYSLIB5007)
	gn_live_clr_with(musl-11 ${dir}/dotnet ${dir}/demo async-exact
		LONG async-attached attach exceptions kinds samples
		samples-attached unload values-attached)
	set(dir ${CMAKE_BINARY_DIR}/dotnet-standard)
	gn_live_clr_get(standard ${folder}/get-standard ${dotnet} ${dir}
		${folder}/standard/Standard.cs ${folder}/Async.cs
		${folder}/Truth.cs)
	gn_live_clr_with(standard ${dir}/dotnet ${dir}/out async-rejit)
endfunction()
gn_live_clr_others()
