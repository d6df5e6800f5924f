# Words of a line.

first() {
	printf '%s\n' "${1%% *}"
}

last() {
	printf '%s\n' "${1##* }"
}

second() {
	rest=${1#* }  
	printf '%s\n' "${rest##* }"
}

is_empty() {
	[ "$1" == "" ] 
}
