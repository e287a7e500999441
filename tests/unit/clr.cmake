# SPDX-License-Identifier: BSD-2-Clause
# The hook-site library for the CLR: its pure parts, what is in the file, and
# its hooks under a real runtime, without eBPF.
foreach(part text classes compiling composite filter events ids il methods r2r settle sig unloads)
	gn_unit_test(test_clr_${part} gnomon_clr_pure Threads::Threads)
endforeach()
gn_unit_test(test_clr_profiler gnomon_clr_asks Threads::Threads)
# what it does not come to, as most sites, is not there
target_link_options(test_clr_profiler PRIVATE
	-no-pie -Wl,--unresolved-symbols=ignore-all)

gn_unit_test(test_clr_borrow gnomon_clr_asks Threads::Threads)
target_link_options(test_clr_borrow PRIVATE
	-no-pie -Wl,--unresolved-symbols=ignore-all
	-Wl,--wrap=clock_gettime,--wrap=gn_clr_thread)

gn_unit_test(test_clr_attach gnomon_runtime)
target_link_options(test_clr_attach PRIVATE -Wl,--wrap=gn_clr_ipc_ask)
gn_unit_test(test_clr_find gnomon_runtime)

gn_unit_test(test_source gnomon_source)
gn_unit_test(test_r2r_code gnomon_source)

add_test(NAME clr/sites COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/clr-sites
	$<TARGET_FILE:gnomon_clr>)
set_tests_properties(clr/sites PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600
	LABELS must-run)

get_property(clr_demo GLOBAL PROPERTY GN_DOTNET_DEMO)
get_property(clr_dotnet GLOBAL PROPERTY GN_DOTNET_COMMAND)

# clr_test(NAME COMMAND...)
function(clr_test name)
	if(NOT clr_demo)
		set(ARGN bash -c "echo 'skipped: there is no .NET SDK'; exit 77")
	endif()
	add_test(NAME clr/${name} COMMAND ${ARGN})
	set_tests_properties(clr/${name} PROPERTIES SKIP_RETURN_CODE 77
		TIMEOUT 600 LABELS "must-run;clr")
endfunction()

# clr_counts(NAME TOPIC VARIABLE...)
function(clr_counts name topic)
	clr_test(counts-${name} ${CMAKE_CURRENT_SOURCE_DIR}/clr-counts
		"${clr_dotnet}" $<TARGET_FILE:gnomon_clr_count> "${clr_demo}"
		${topic} ${ARGN})
endfunction()

foreach(topic recursion exceptions filters tailcalls generics kinds async
		threads unload waits fails)
	clr_counts(${topic} ${topic})
endforeach()
# optimised code at once: other prologues, implicit tail calls
foreach(topic recursion exceptions tailcalls threads)
	clr_counts(${topic}-optimized ${topic} DOTNET_TieredCompilation=0)
endforeach()
# some functions hooked, others not
clr_counts(exceptions-filtered exceptions
	"GNOMON_CLR_FILTER=demo:Demo.Exceptions.*")

clr_test(silent ${CMAKE_CURRENT_SOURCE_DIR}/clr-silent "${clr_dotnet}"
	$<TARGET_FILE:gnomon_clr> "${clr_demo}")

# muted: the same program, and none of its hooks is passed
foreach(topic recursion exceptions tailcalls threads)
	clr_test(muted-${topic} ${CMAKE_CURRENT_SOURCE_DIR}/clr-muted
		"${clr_dotnet}" $<TARGET_FILE:gnomon_clr_count> "${clr_demo}"
		${topic})
endforeach()
