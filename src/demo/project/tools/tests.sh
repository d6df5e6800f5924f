# Runs the tests of lib_test.sh; writes junit.xml and lcov.info to the folder that is named.
# A line of lib.sh counts as covered where some test called the function that it stands in.
out=$1
: >"$out/called"

# A copy of the library in which every function notes that it was called.
while IFS= read -r line; do
	printf '%s\n' "$line"
	case $line in
	*'() {') printf '\techo %s >>"$called"\n' "${line%%(*}" ;;
	esac
done <lib.sh >"$out/lib.sh"

cases=
while IFS= read -r line; do
	case $line in
	test_*'() {') test=${line%%(*} ;;
	*) continue ;;
	esac
	fault='<failure message="its last command failed"/>'
	if (
		called=$out/called
		. "$out/lib.sh"
		. ./lib_test.sh
		"$test"
	) </dev/null >/dev/null 2>&1; then
		fault=
	fi
	cases="$cases<testcase classname=\"lib_test\" name=\"$test\">$fault</testcase>"
done <lib_test.sh
printf '<testsuites><testsuite name="lib_test">%s</testsuite></testsuites>\n' "$cases" >"$out/junit.xml"

calls=' '
while IFS= read -r name; do
	calls="$calls$name "
done <"$out/called"
{
	echo SF:lib.sh
	name=
	row=0
	while IFS= read -r line; do
		row=$((row + 1))
		case $line in
		*'() {') name=${line%%(*} ;;
		'}') name= ;;
		esac
		case $name/$line in
		/* | *'() {') continue ;;
		esac
		case $calls in
		*" $name "*) echo "DA:$row,1" ;;
		*) echo "DA:$row,0" ;;
		esac
	done <lib.sh
	echo end_of_record
} >"$out/lcov.info"
