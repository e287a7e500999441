# SPDX-License-Identifier: BSD-2-Clause
gn_unit_test(test_capture_mute gnomon_capture)
target_compile_definitions(test_capture_mute PRIVATE
	GN_CLR="$<TARGET_FILE:gnomon_clr>")
target_link_libraries(test_capture_mute PRIVATE ${CMAKE_DL_LIBS})
add_dependencies(test_capture_mute gnomon_clr)
gn_unit_test(test_capture_muted gnomon_capture)
target_link_options(test_capture_muted PRIVATE
	-Wl,--wrap=gn_session_link,--wrap=gn_session_drain
	-Wl,--wrap=gn_session_put,--wrap=gn_links_remove
	-Wl,--wrap=realloc,--wrap=reallocarray)
