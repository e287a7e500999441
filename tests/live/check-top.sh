# SPDX-License-Identifier: BSD-2-Clause
# Shared by the check-top-* scripts, which get GNOMON FIXTURES: a terminal in
# tmux, with its own server, and the fixture `top` as the target. The scripts
# only wait for text that must appear.
set -u
gnomon=$1 fixtures=$2
command -v tmux >/dev/null || { echo "no tmux; install it"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "only root can trace"; exit 77; }
dir=$(mktemp -d) || exit 2
export LC_ALL=C.UTF-8
unset NO_COLOR TMUX LANG LC_CTYPE
target=''
clean()
{
	tm kill-server 2>/dev/null
	exec 7>&-
	[ -z "$target" ] || { kill -KILL "$target"; wait "$target"; } 2>/dev/null
	rm -rf "$dir"
}
trap clean EXIT

tm()
{
	tmux -S "$dir/socket" -f /dev/null "$@"
}

fail()
{
	echo "FAILED: $*"
	echo "--- the screen:"
	screen
	exit 1
}

screen()
{
	tm capture-pane -p
}

# Each of these gives up after 100 seconds: until COMMAND... succeeds
until_ok()
{
	local end=$((SECONDS + 100))
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

shows()
{
	[[ $(screen) == *"$1"* ]]
}

shows_not()
{
	[[ $(screen) != *"$1"* ]]
}

# await TEXT, await_gone TEXT: on the screen
await()
{
	until_ok shows "$1" || fail "'$1' does not appear"
}

await_gone()
{
	until_ok shows_not "$1" || fail "'$1' does not go away"
}

press()
{
	tm send-keys "$@"
}

# press_until KEY TEXT: repeats the key, because the selected row can move in
# the next period
press_until()
{
	until_ok key_shows "$@" || fail "'$2' does not appear by $1"
}

key_shows()
{
	local i
	press "$1"
	for i in {1..10}; do
		! shows "$2" || return 0
		sleep 0.05
	done
	return 1
}

type_line()
{
	tm send-keys -l -- "$1"
	tm send-keys Enter
}

# open_shell COLUMNS LINES [NAME=VALUE...]: opens a shell that has written
# something
open_shell()
{
	local size=(-x "$1" -y "$2")
	shift 2
	tm new-session -d "${size[@]}" env "$@" "PS1=at-the-prompt> " \
		bash --norc --noprofile
	await 'at-the-prompt>'
	type_line 'echo written"-"before'
	await 'written-before'
}

ended()
{
	! kill -0 "$1" 2>/dev/null
}

# The server ends with its last session. It must be gone before another session
# is opened, which could otherwise use the ending server.
close_shell()
{
	local server
	server=$(tm display -p '#{pid}')
	tm kill-session
	until_ok ended "$server" || fail 'tmux does not end'
}

# start_top ARGUMENT...: in the pane; its PID goes to $dir/pid
start_top()
{
	rm -f "$dir/pid"
	printf '%s\n' '#!/bin/sh' "echo \$\$ >'$dir/pid'" \
		"exec '$gnomon' top \"\$@\"" >"$dir/start"
	chmod 755 "$dir/start"
	type_line "$dir/start $*; echo status=\$?."
}

# Remembers the terminal: its content, its modes, its cursor
remember_terminal()
{
	type_line "stty -a >$dir/stty-before"
	until_ok [ -s "$dir/stty-before" ] || fail 'no stty'
}

check_terminal()
{
	await "$1"
	shows 'written-before' || fail 'what was on the screen is gone'
	[ "$(tm display -p '#{alternate_on} #{cursor_flag} #{keypad_flag}')" = '0 1 0' ] ||
		fail "alternate screen, cursor, keypad: $(tm display \
			-p '#{alternate_on} #{cursor_flag} #{keypad_flag}')"
	rm -f "$dir/stty-after"
	type_line "stty -a >$dir/stty-after"
	until_ok [ -s "$dir/stty-after" ] || fail 'the terminal is not usable'
	cmp -s "$dir/stty-before" "$dir/stty-after" ||
		fail "the terminal's modes: $(diff "$dir/stty-before" \
			"$dir/stty-after")"
}

# Starts the fixture; `tell LINE` sends it a line and waits for the answer
start_target()
{
	answers=0
	mkfifo "$dir/in"
	"$fixtures/top" <"$dir/in" >"$dir/out" 2>&1 &
	target=$!
	exec 7>"$dir/in"
	until_ok grep -q '^ready' "$dir/out" || fail 'the fixture is not ready'
}

answered()
{
	[ "$(grep -c '^done' "$dir/out")" -ge "$answers" ]
}

tell()
{
	echo "$1" >&7
	answers=$((answers + 1))
	until_ok answered || fail "the fixture does not answer $1"
}
