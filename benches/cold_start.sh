#!/usr/bin/env bash
# How long `vouch ask` takes from its start, with files in the page cache: the whole process, the same with a single passage to
# read, and `vouch list`, which needs no model. Medians of so many runs each.
#
#   benches/cold_start.sh BINARY [RUNS]
set -euo pipefail
binary=$(realpath "${1:?the binary to run}")
runs=${2:-21}
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf 'judge:\n  read_max: 1\n' >one.yaml
: >all.yaml
"$binary" ingest "$root/profiles/architecture/corpus" --data store >/dev/null 2>&1

median() {
    local name=$1
    shift
    for _ in $(seq "$runs"); do
        local begun ended
        begun=$(date +%s%N)
        "$@" >/dev/null
        ended=$(date +%s%N)
        echo $(((ended - begun) / 100000))
    done | sort -n | awk -v name="$name" '{ all[NR] = $1 } END { printf "%-28s median %.1f ms, slowest of ten %.1f ms\n", name, all[int((NR + 1) / 2)] / 10, all[int(NR * 0.9)] / 10 }'
}

question="Which database stores the history?"
median "list" "$binary" list --data store
median "search" "$binary" search "$question" --data store
median "ask, one passage read" "$binary" ask "$question" --data store --config one.yaml
median "ask, eight passages read" "$binary" ask "$question" --data store --config all.yaml
