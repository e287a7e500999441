# SPDX-License-Identifier: BSD-2-Clause
# Run by the build: CC, FLAGS (a list), OUT, DEPFILE -> OUT, the system calls of
# the architecture that CC compiles for as lines GN_SYSCALL(number, name).
file(WRITE ${OUT}.c "#include <asm/unistd.h>\n")
execute_process(
	COMMAND ${CC} ${FLAGS} -dM -E -MD -MF ${DEPFILE} -MT ${OUT} ${OUT}.c
	OUTPUT_VARIABLE macros COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "#define __NR_[a-z0-9_]+ [0-9]+\n" lines "${macros}")
# the compilers have orders of their own
list(SORT lines)
set(text "/* Generated from the system's asm/unistd.h. */\n")
foreach(line ${lines})
	string(REGEX MATCH "__NR_([a-z0-9_]+) ([0-9]+)" all "${line}")
	set(name ${CMAKE_MATCH_1})
	set(number ${CMAKE_MATCH_2})
	# how many there are is no call
	if(NOT name MATCHES "^(syscalls|arch_specific_syscall)$")
		string(APPEND text "GN_SYSCALL(${number}, ${name})\n")
	endif()
endforeach()
if(NOT text MATCHES "GN_SYSCALL\\(")
	message(FATAL_ERROR "asm/unistd.h names no system call")
endif()
file(WRITE ${OUT} "${text}")
