# Words of a line.

first() {
	printf '%s\n' "${1%% *}"
}

last() {
	printf '%s\n' "${1##* }"
}
