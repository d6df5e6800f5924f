# Lints the shell files and prints the findings as JSON, in the shape of ruff's.
found() {
	printf '%s\n{"code":"%s","message":"%s","filename":"%s",' "$comma" "$1" "$2" "$file"
	printf '"location":{"row":%d,"column":1},"end_location":{"row":%d,"column":1}}' "$row" "$row"
	comma=,
}

comma=
printf '['
for file in lib.sh lib_test.sh; do
	row=0
	while IFS= read -r line; do
		row=$((row + 1))
		case $line in
		*' ' | *'	') found trailing-space 'the line ends in blanks' ;;
		esac
		case $line in
		*'[ '*' == '*) found double-equals 'not every shell knows ==; write =' ;;
		esac
	done <"$file"
done
printf ']\n'
