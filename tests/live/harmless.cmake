# SPDX-License-Identifier: BSD-2-Clause
# Runs random programs with and without gnomon; tools/harmless has more of them.
# They use both CPUs, and the gnomon of the build without sanitizers.
find_program(GN_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(TARGET gnomon AND GN_PYTHON)
	gn_in_plain(gn_plain_gnomon gnomon)
	add_test(NAME live/harmless COMMAND ${GN_PYTHON} -B
		${CMAKE_SOURCE_DIR}/tests/harmless/harmless.py
		--gnomon ${gn_plain_gnomon} --seed 1 --count 50 --most 1m
		--keep ${CMAKE_BINARY_DIR}/harmless.found)
	set_tests_properties(live/harmless PROPERTIES TIMEOUT 900
		LABELS must-run SKIP_RETURN_CODE 77)
	gn_live_alone(live/harmless)
elseif(NOT GN_PYTHON)
	gn_lacks("/usr/bin/python3")
endif()
