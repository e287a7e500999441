# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# Functions that the tools share; source this file. The sourcing script sets
# $top, the top of the source tree.

say() { printf '%s\n' "$*"; }
die()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# Under sudo the tree belongs to the invoking user, and so must the files built
# in it. builder is that user's name. It is empty if we build as ourselves:
# there is no other user, or an earlier build left files that only root can
# write.
find_builder()
{
	builder=
	[ "$(id -u)" = 0 ] && [ "${SUDO_UID:-0}" != 0 ] || return 0
	builder=$(getent passwd "$SUDO_UID" | cut -d: -f1)
	[ -n "$builder" ] || return 0
	local d
	for d in "$top" "$@"; do
		[ ! -e "$d" ] || as_builder test -w "$d" || builder=
		[ -n "$builder" ] || break
	done
	# then gnomon's commands must not run as that user either: they write
	# here
	[ -n "$builder" ] || unset SUDO_UID SUDO_GID SUDO_USER
}

as_builder()
{
	if [ -z "${builder:-}" ]; then
		"$@"
	else
		runuser -u "$builder" -- env HOME="$(getent passwd \
			"$builder" | cut -d: -f6)" "$@"
	fi
}

# Gives the files that root wrote in directory $1 (test logs, reports) to the
# builder, too.
give_back()
{
	[ -z "${builder:-}" ] || [ ! -d "$1" ] ||
		chown -hPR --from=0 "$builder:" "$1" 2>/dev/null || true
}
