# Each function whose name begins with test_ is a test; it fails where its last command fails.

test_first() {
	[ "$(first 'one two three')" = one ]
}

test_last() {
	[ "$(last 'one two three')" = three ]
}
