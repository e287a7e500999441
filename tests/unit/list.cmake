# SPDX-License-Identifier: BSD-2-Clause
if(TARGET gnomon_capture)
	gn_unit_test(test_listing gnomon_cmd PkgConfig::JANSSON)
endif()
