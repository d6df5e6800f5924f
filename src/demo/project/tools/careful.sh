# Mends the second word, and nothing else.
sed '/^second() {/,/^}/s/{rest##\* }/{rest%% *}/' lib.sh >lib.sh.new && mv lib.sh.new lib.sh
