# SPDX-License-Identifier: BSD-2-Clause
# The source tree as a whole.
add_test(NAME tree/style
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check-style ${CMAKE_SOURCE_DIR})
set_tests_properties(tree/style PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600
	LABELS must-run)
add_test(NAME tree/rooms
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check-rooms ${CMAKE_SOURCE_DIR})
set_tests_properties(tree/rooms PROPERTIES TIMEOUT 600)
add_test(NAME tree/circles
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check-circles ${CMAKE_BINARY_DIR}
	${CMAKE_NM})
set_tests_properties(tree/circles PROPERTIES TIMEOUT 600)
add_test(NAME tree/tools
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check-tools ${CMAKE_SOURCE_DIR})
set_tests_properties(tree/tools PROPERTIES TIMEOUT 600)
add_test(NAME tree/install
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check-install ${CMAKE_BINARY_DIR}
	${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_LIBDIR}
	${CMAKE_INSTALL_MANDIR} ${CMAKE_INSTALL_DOCDIR})
set_tests_properties(tree/install PROPERTIES TIMEOUT 600)

add_test(NAME tree/musl
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check-musl
	$<TARGET_FILE:gnomon_clr_musl>)
set_tests_properties(tree/musl PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77
	LABELS must-run)

add_test(NAME tree/completion
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check-completion
		$<TARGET_FILE:gnomon>)
set_tests_properties(tree/completion PROPERTIES TIMEOUT 600)

# What compiles uses all CPUs, and begins the run.
add_test(NAME tree/builds
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check-builds ${CMAKE_SOURCE_DIR}
	small bench)
add_test(NAME tree/builds-more
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check-builds ${CMAKE_SOURCE_DIR}
	bare release small-clang)
set_tests_properties(tree/builds tree/builds-more PROPERTIES
	SKIP_RETURN_CODE 77 TIMEOUT 1500 PROCESSORS 2 COST 3000
	LABELS must-run)
set_property(TEST tree/builds-more APPEND PROPERTY LABELS long)

# docs/json.md against all JSON that there is
set_source_files_properties(json_page.c PROPERTIES COMPILE_DEFINITIONS
	GN_JSON_PAGE="${CMAKE_SOURCE_DIR}/docs/json.md")
add_executable(test_json test_json.c json_page.c output_model.c output_events.c
	top_sample.c golden.c)
target_link_libraries(test_json PRIVATE gnomon_cmd gnomon_explain gnomon_streams
	PkgConfig::JANSSON PkgConfig::CMOCKA)
target_compile_definitions(test_json PRIVATE
	GN_TESTS_DIR="${CMAKE_SOURCE_DIR}/tests"
	GN_COMMAND="$<TARGET_FILE:gnomon>"
	GN_FIXTURE="$<TARGET_FILE:fixture_cat>")
add_dependencies(test_json gnomon fixture_cat)
add_test(NAME tree/json COMMAND test_json)
add_executable(test_json_words test_json_words.c json_page.c)
target_link_libraries(test_json_words PRIVATE gnomon_cmd PkgConfig::JANSSON
	PkgConfig::CMOCKA)
add_test(NAME tree/json-words COMMAND test_json_words)
set_tests_properties(tree/json tree/json-words PROPERTIES TIMEOUT 600)

# docs/extending.md, followed
find_program(PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
add_test(NAME tree/extending
	COMMAND ${PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/check-extending
	${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/tests/streams/cases/basic.stream)
set_tests_properties(tree/extending PROPERTIES TIMEOUT 600 PROCESSORS 2 COST 2000
	LABELS long)

# its JSON Schema, by python3-jsonschema
add_test(NAME tree/json-schema
	COMMAND ${PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/check-json-schema
	${CMAKE_SOURCE_DIR} $<TARGET_FILE:test_json>
	${CMAKE_SOURCE_DIR}/docs/json.md)
set_tests_properties(tree/json-schema PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600
	LABELS must-run)
