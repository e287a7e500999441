# SPDX-License-Identifier: BSD-2-Clause
gn_unit_test(test_compare gnomon_compare)
