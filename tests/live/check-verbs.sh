# SPDX-License-Identifier: BSD-2-Clause
# Shared by the check-* scripts of verbs: runs GNOMON, and keeps its output in
# $out and $err and its status in $code.
set -u
gnomon=$1 fixtures=$2 library=$3
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
failed=0
out='' err='' code=0
unset NO_COLOR

fail()
{
	echo "FAILED: $*"
	echo "--- status $code, stdout:"
	head -n 20 "$dir/out"
	echo "--- stderr:"
	head -n 20 "$dir/err"
	failed=1
}

# run COMMAND...
run()
{
	"$@" >"$dir/out" 2>"$dir/err" </dev/null
	code=$?
	out=$(tr -d '\0' <"$dir/out") err=$(cat "$dir/err")
}

# expect STATUS NAME: the last run must have ended with STATUS
expect()
{
	[ "$code" = "$1" ] || fail "$2: ended with $code, not $1"
}

# has TEXT NAME, lacks TEXT NAME: checks stdout
has()
{
	[[ $out == *"$1"* ]] || fail "$2: no '$1' on stdout"
}

lacks()
{
	[[ $out != *"$1"* ]] || fail "$2: '$1' on stdout"
}

# refuses STATUS WORD ARGUMENT...: gnomon prints one line that contains WORD,
# and nothing on stdout
refuses()
{
	local status=$1 word=$2 what="${*:3}"
	shift 2
	run "$gnomon" "$@"
	expect "$status" "$what"
	[ -z "$out" ] || fail "$what: something on stdout"
	[ "$(wc -l <"$dir/err")" = 1 ] || fail "$what: not one line on stderr"
	[[ $err == "gnomon: "*"; "* ]] ||
		fail "$what: the line is not 'gnomon: WHAT; WHAT TO DO'"
	[[ $err == *"$word"* ]] || fail "$what: the line has no '$word'"
}

# fits VERB: its help fits on a screen
fits()
{
	run "$gnomon" "$1" --help
	expect 0 "$1 --help"
	[ "$(wc -l <"$dir/out")" -le 24 ] || fail "$1 --help: above 24 lines"
	[ "$(wc -L <"$dir/out")" -le 80 ] || fail "$1 --help: above 80 columns"
}

# as_nobody COMMAND...: without any privilege; false if that is not possible
as_nobody()
{
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

can_be_nobody()
{
	[ "$(id -u)" = 0 ] && chmod 755 "$dir" &&
		setpriv --reuid 65534 --regid 65534 --clear-groups true 2>/dev/null &&
		install -m 755 "$gnomon" "$fixtures/fib" "$dir" &&
		setpriv --reuid 65534 --regid 65534 --clear-groups \
			test -x "$dir/gnomon"
}
