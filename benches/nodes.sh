#!/bin/sh
# Runs `vouch-bench nodes` on a PostgreSQL server that is started for it and ends with it:
#
#     benches/nodes.sh target/release/vouch-bench throughput --nodes 1,2,4
#     benches/nodes.sh target/release/vouch-bench kills --nodes 3 --every 20 --minutes 10
#     benches/nodes.sh target/release/vouch-bench outage --away 30
#
# The program `vouch` lies beside vouch-bench, or is named with --binary. What is needed is said in with_postgres.sh.
set -eu

[ $# -ge 2 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
bench=$1
command=$2
shift 2
exec "$(dirname "$0")/with_postgres.sh" sh -c '
    bench=$1 command=$2
    shift 2
    exec "$bench" nodes "$command" --database "host=$PGHOST user=$PGUSER dbname=postgres" "$@"' sh "$bench" "$command" "$@"
