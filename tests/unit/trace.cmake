# SPDX-License-Identifier: BSD-2-Clause
gn_unit_test(test_trace_rec gnomon_trace)
gn_unit_test(test_trace_roundtrip gnomon_trace)
target_compile_definitions(test_trace_roundtrip PRIVATE
	GN_GOLDEN_DIR="${CMAKE_SOURCE_DIR}/tests/golden/trace")
gn_unit_test(test_trace_damage gnomon_trace)
gn_unit_test(test_trace_hostile gnomon_trace)
gn_unit_test(test_trace_target gnomon_trace)
gn_unit_test(test_trace_pack gnomon_trace)
gn_unit_test(test_trace_wait gnomon_trace)
gn_unit_test(test_trace_fail gnomon_trace)
# every call of the library that can fail goes through the test
target_link_options(test_trace_fail PRIVATE
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=strdup,--wrap=strndup
	-Wl,--wrap=open,--wrap=openat,--wrap=fstatat,--wrap=fstat,--wrap=lseek
	-Wl,--wrap=read,--wrap=write,--wrap=close,--wrap=ftruncate
	-Wl,--wrap=fchown,--wrap=fsync,--wrap=fdatasync,--wrap=renameat
	-Wl,--wrap=getrandom,--wrap=pthread_create
	-Wl,--wrap=deflateInit_,--wrap=deflateReset,--wrap=deflate
	-Wl,--wrap=inflateInit_,--wrap=inflateReset,--wrap=inflate)
if(ZSTD_FOUND AND GNOMON_ZSTD)
	target_compile_definitions(test_trace_fail PRIVATE GNOMON_ZSTD)
	target_link_options(test_trace_fail PRIVATE
		-Wl,--wrap=ZSTD_createCCtx,--wrap=ZSTD_CCtx_setParameter
		-Wl,--wrap=ZSTD_CCtx_reset,--wrap=ZSTD_compressStream2
		-Wl,--wrap=ZSTD_createDCtx,--wrap=ZSTD_decompressDCtx)
	# what is written by zlib, too
	foreach(name roundtrip damage target wait fail)
		add_test(NAME unit/test_trace_${name}-zlib
			COMMAND test_trace_${name})
		set_tests_properties(unit/test_trace_${name}-zlib PROPERTIES
			ENVIRONMENT GN_TEST_ZLIB=1 TIMEOUT 300)
	endforeach()
endif()
