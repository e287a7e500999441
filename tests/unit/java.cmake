# SPDX-License-Identifier: BSD-2-Clause
# Hooks in class files of Java.
foreach(test rewrite tables)
	gn_unit_test(test_java_${test} gnomon_java_pure)
	target_sources(test_java_${test} PRIVATE java_class.c)
endforeach()

gn_unit_test(test_java_calls)
target_sources(test_java_calls PRIVATE
	${CMAKE_SOURCE_DIR}/user/hooksite/java/calls.c)

gn_unit_test(test_java_virtual)
target_sources(test_java_virtual PRIVATE
	${CMAKE_SOURCE_DIR}/user/hooksite/java/virtual.c)

gn_unit_test(test_java_attach gnomon_runtime)
target_link_options(test_java_attach PRIVATE
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=strdup,--wrap=open
	-Wl,--wrap=openat,--wrap=socket,--wrap=socketpair,--wrap=connect
	-Wl,--wrap=getsockopt,--wrap=send,--wrap=fstatat,--wrap=kill
	-Wl,--wrap=syscall,--wrap=fork,--wrap=_exit
	-Wl,--wrap=gn_java_flags_read,--wrap=gn_java_flags_quiet
	-Wl,--wrap=gn_java_flags_restore)

add_executable(java_rewrite java_rewrite.c)
target_link_libraries(java_rewrite PRIVATE gnomon_java_pure)

# with each JDK here
file(GLOB javacs /usr/lib/jvm/*/bin/javac)
set(jdks)
foreach(javac ${javacs})
	file(REAL_PATH ${javac} javac)
	string(REPLACE /bin/javac "" jdk ${javac})
	list(APPEND jdks ${jdk})
endforeach()
list(REMOVE_DUPLICATES jdks)
if(NOT jdks)
	gn_lacks("a JDK")
endif()
foreach(jdk ${jdks})
	get_filename_component(name ${jdk} NAME)
	foreach(test hooks base)
		add_test(NAME java/${test}-${name}
			COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/java-${test}
			$<TARGET_FILE:java_rewrite>
			${CMAKE_SOURCE_DIR}/tests/fixtures/java_hooks
			${CMAKE_CURRENT_BINARY_DIR}/java-${test}-${name} ${jdk})
		set_tests_properties(java/${test}-${name} PROPERTIES TIMEOUT 600)
	endforeach()
endforeach()
