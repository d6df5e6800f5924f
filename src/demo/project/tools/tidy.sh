# Mends what tools/lint.sh finds.
sed -e 's/[[:blank:]]*$//' -e 's/ == / = /' lib.sh >lib.sh.new && mv lib.sh.new lib.sh
