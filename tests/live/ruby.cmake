# SPDX-License-Identifier: BSD-2-Clause
# Live tests on Ruby. Without one the entries still exist, but are skipped with
# the reason.
add_executable(live_ruby
	live_main.c live_left.c live_proc.c live_pair.c live_forked.c live_report.c live_truth.c
	live_sampled.c live_ruby.c live_ruby_samples.c)
target_link_libraries(live_ruby PRIVATE PkgConfig::JANSSON m)
target_compile_definitions(live_ruby PRIVATE LIVE_TESTS="ruby_tests.def")

function(gn_live_ruby)
	if(NOT TARGET gnomon)
		return()
	endif()
	file(GLOB ruby /usr/bin/ruby)
	gn_in_plain(gnomon gnomon)
	gn_live_tests(ruby ruby live_ruby ruby_tests.def 240
		"must-run;ruby" GNOMON=${gnomon} RUBY=${ruby}
		FIXTURES=${CMAKE_SOURCE_DIR}/tests/fixtures/ruby
		NATIVE=${CMAKE_BINARY_DIR}/tests/fixtures/native)
endfunction()
gn_live_ruby()
