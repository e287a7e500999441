# SPDX-License-Identifier: BSD-2-Clause
# The verbs that look but do not trace: list and doctor; messages about missing
# rights; the files that all verbs write; sets of captures, and budgets for
# them.
function(gn_live_list)
	if(NOT TARGET gnomon OR NOT TARGET fixtures_native)
		return()
	endif()
	gn_steady_timeout(timeout 120)
	foreach(verb list doctor rights outputs repeat gate export recipe recipe-jobs
		duckdb)
		add_test(NAME live/${verb}
			COMMAND ${GN_STEADY} ${CMAKE_CURRENT_SOURCE_DIR}/check-${verb}
			$<TARGET_FILE:gnomon>
			${CMAKE_BINARY_DIR}/tests/fixtures/native
			$<TARGET_FILE:gnomon_clr>)
		set_tests_properties(live/${verb} PROPERTIES
			TIMEOUT ${timeout} LABELS must-run SKIP_RETURN_CODE 77)
	endforeach()
	set_property(TEST live/recipe-jobs APPEND PROPERTY LABELS long)
	gn_live_alone(live/gate)
	# their many records take most of the time
	gn_live_plain(live/gate live/recipe)
	gn_live_beside(native live/doctor live/rights live/outputs live/repeat live/export
		live/recipe live/recipe-jobs live/duckdb)
endfunction()
gn_live_list()
