# Writes a test for the function that has none.
cat >>lib_test.sh <<'END'

test_is_empty() {
	is_empty '' && ! is_empty word
}
END
