#!/usr/bin/env bash
# Instructions of every text function at n, 4n and 16n, each on the text it is slowest on, counted by valgrind:
#
#     cargo build --release -p vouch-engine --example growth && benches/growth.sh
#
# A growth of 4 from 4n to 16n is linear, 16 is quadratic.
set -euo pipefail
growth="${1:-target/release/examples/growth}"
count() { # function, text, bytes
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$growth" "$1" "$2" "$3" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
printf '| %-24s | %-20s | %9s | %14s | %14s | %14s | %6s |\n' function 'slowest on' bytes n 4n 16n growth
printf '|---|---|---|---|---|---|---|\n'
# The table's columns have fixed widths: names hold blanks.
"$growth" | tail -n +2 | while IFS= read -r row; do
    function=$(sed 's/ *$//' <<<"${row:0:26}")
    text=$(sed 's/ *$//' <<<"${row:27:20}")
    bytes=$(awk '{ print $1 }' <<<"${row:47}")
    empty=$(count "$function" "$text" 0)
    one=$(($(count "$function" "$text" $((bytes / 16))) - empty))
    four=$(($(count "$function" "$text" $((bytes / 4))) - empty))
    sixteen=$(($(count "$function" "$text" "$bytes") - empty))
    ratio=$(awk -v a="$sixteen" -v b="$four" 'BEGIN { printf "%.1f", b > 0 ? a / b : 0 }')
    printf '| %-24s | %-20s | %9d | %14d | %14d | %14d | %6s |\n' "$function" "$text" "$bytes" "$one" "$four" "$sixteen" "$ratio"
done
