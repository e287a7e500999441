# SPDX-License-Identifier: BSD-2-Clause
# The source tree as a whole.
add_test(NAME tree/style
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check-style ${CMAKE_SOURCE_DIR})
set_tests_properties(tree/style PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)
add_test(NAME tree/tools
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check-tools ${CMAKE_SOURCE_DIR})
set_tests_properties(tree/tools PROPERTIES TIMEOUT 120)
add_test(NAME tree/install
	COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check-install ${CMAKE_BINARY_DIR}
	${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_LIBDIR}
	${CMAKE_INSTALL_MANDIR} ${CMAKE_INSTALL_DOCDIR})
set_tests_properties(tree/install PROPERTIES TIMEOUT 120)
