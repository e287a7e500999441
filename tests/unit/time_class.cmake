# SPDX-License-Identifier: BSD-2-Clause
# The classifier that the kernel side and the tools share: a header alone.
gn_unit_test(test_time_class)
gn_unit_test(test_time_walk)
