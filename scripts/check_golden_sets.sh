#!/usr/bin/env bash
# Asks the golden set of every sample profile and holds the report against its baseline.
# Usage: scripts/check_golden_sets.sh BINARY REPORTS [--write]; --write replaces the baselines instead.
set -euo pipefail
vouch=$1 reports=$2 mode=${3:-check}
stores=$(mktemp -d)
trap 'rm -rf "$stores"' EXIT
mkdir -p "$reports"
code=0
for profile in book architecture lectures handbook support; do
    from="profiles/$profile" store="$stores/$profile"
    options=(--config "$from/vouch.yaml" --data "$store")
    if grep -q "^  default:" "$from/people.yaml" 2>/dev/null || [ ! -f "$from/people.yaml" ]; then
        "$vouch" ingest "$from/corpus" "${options[@]}"
    else
        for tenant in "$from"/corpus/*/; do
            "$vouch" ingest "$tenant" --tenant "$(basename "$tenant")" "${options[@]}"
        done
    fi
    if [ -f "$from/people.yaml" ]; then "$vouch" user import "$from/people.yaml" --data "$store"; fi
    if [ -f "$from/vocabulary.ttl" ]; then "$vouch" vocab import "$from/vocabulary.ttl" "${options[@]}"; fi
    if [ -f "$from/memory.yaml" ]; then "$vouch" memory import "$from/memory.yaml" "${options[@]}"; fi
    echo "== $profile"
    "$vouch" eval lint --golden "$from/golden.jsonl" "${options[@]}"
    if [ "$mode" = --write ]; then
        "$vouch" eval run --golden "$from/golden.jsonl" --split test "${options[@]}" --write-baseline "$from/baseline.json"
        continue
    fi
    "$vouch" eval run --golden "$from/golden.jsonl" --split test "${options[@]}" --baseline "$from/baseline.json" \
        --output "$reports/$profile.json" --html "$reports/$profile.html"
    "$vouch" eval check --current "$reports/$profile.json" --baseline "$from/baseline.json" || code=1
done
exit $code
