#!/usr/bin/env bash
# Asks the golden set of every sample profile twice: of a data folder, and of a server's copy of a PostgreSQL database that another folder
# was filled through. Ends with 1 where a reply differs in more than the time it took.
# Usage: benches/with_postgres.sh scripts/compare_stores.sh BINARY [PROFILE …]
set -euo pipefail
vouch=$1
shift
[ $# -gt 0 ] || set -- book architecture lectures handbook support
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
code=0

# Fills a store, and asks it from a folder that may be another one. The paths are the same both times, since replies name them. Each step
# says itself that it failed: `set -e` is off in a function whose outcome is looked at.
ask() { # profile, folder to fill, folder to ask, report
    local from="profiles/$1" fill=(--config "$work/$1/vouch.yaml" --data "$2") tenant
    if grep -q "^  default:" "$from/people.yaml" 2>/dev/null || [ ! -f "$from/people.yaml" ]; then
        "$vouch" ingest "$from/corpus" "${fill[@]}" || return 1
    else
        for tenant in "$from"/corpus/*/; do
            "$vouch" ingest "$tenant" --tenant "$(basename "$tenant")" "${fill[@]}" || return 1
        done
    fi
    if [ -f "$from/people.yaml" ]; then "$vouch" user import "$from/people.yaml" "${fill[@]}" || return 1; fi
    if [ -f "$from/vocabulary.ttl" ]; then "$vouch" vocab import "$from/vocabulary.ttl" "${fill[@]}" || return 1; fi
    if [ -f "$from/memory.yaml" ]; then "$vouch" memory import "$from/memory.yaml" "${fill[@]}" || return 1; fi
    # It ends with 1 where an answer is not as the set says.
    "$vouch" eval run --golden "$from/golden.jsonl" --config "$work/$1/vouch.yaml" --data "$3" --output "$4" || [ -s "$4" ]
}

for profile in "$@"; do
    echo "== $profile"
    cp -r "profiles/$profile" "$work/$profile"
    ask "$profile" "$work/embedded-$profile" "$work/embedded-$profile" "$work/$profile-embedded.json" > "$work/log" || { cat "$work/log"; code=1; continue; }
    psql -q -d postgres -c "CREATE DATABASE $profile"
    printf '\nstore:\n  postgres: { url: "host=%s user=%s dbname=%s" }\n' "$PGHOST" "$PGUSER" "$profile" >> "$work/$profile/vouch.yaml"
    "$vouch" store migrate --config "$work/$profile/vouch.yaml" --data "$work/first-$profile" > "$work/log"
    ask "$profile" "$work/first-$profile" "$work/second-$profile" "$work/$profile-postgres.json" > "$work/log" || { cat "$work/log"; code=1; continue; }
    python3 - "$work/$profile-embedded.json" "$work/$profile-postgres.json" <<'PYTHON' || code=1
import json, re, sys

def timeless(value):
    if isinstance(value, dict):
        return {key: timeless(inner) for key, inner in value.items() if not any(part in key for part in TIMED)}
    if isinstance(value, str) and re.fullmatch(r"[0-9.]+ m?s", value):
        return "a time"
    return [timeless(inner) for inner in value] if isinstance(value, list) else value

# What is different in two runs of one store, too, and what names the settings.
TIMED = ("_ms", "latency", "elapsed", "timestamp", "commit", "is_met", "duration", "started", "created", "settings", "config", "generation", "seconds")
one, other = (timeless(json.load(open(path))) for path in sys.argv[1:])

def differences(one, other, place=""):
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from differences(one.get(key), other.get(key), f"{place}/{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other)):
            yield from differences(*pair, f"{place}/{number}")
    elif one != other:
        yield f"{place}: {str(one)[:200]} | {str(other)[:200]}"

found = list(differences(one, other))
print("\n".join(found[:20]) or "the same replies")
sys.exit(bool(found))
PYTHON
done
exit "$code"
