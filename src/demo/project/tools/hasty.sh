# Mends a failing test by a guess, everywhere at once. It reads what it is told: where its guess was
# taken back before, it changes nothing, and the next fixer is tried.
if grep -q 'hasty tried .*rolled_back' "$EVIDENCE_PROMPT"; then
	exit 0
fi
sed 's/##/%%/' lib.sh >lib.sh.new && mv lib.sh.new lib.sh
