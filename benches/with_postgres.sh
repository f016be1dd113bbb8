#!/bin/sh
# Runs a command with a PostgreSQL server that is started for it and ends with it:
#
#     benches/with_postgres.sh sh -c 'psql "host=$PGHOST user=$PGUSER dbname=postgres" -c "SELECT version()"'
#
# The command finds the folder of the server's socket in PGHOST and the owner's name in PGUSER. It needs PostgreSQL's programs (initdb,
# postgres, pg_isready) in PATH or where Debian puts them, and gets their folder in PATH; as root the server runs as nobody.
set -eu

[ $# -ge 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }

programs=
for folder in $(echo "$PATH" | tr ':' ' ') /usr/lib/postgresql/*/bin; do
    if [ -x "$folder/initdb" ] && [ -x "$folder/postgres" ] && [ -x "$folder/pg_isready" ]; then
        programs=$folder
        break
    fi
done
[ -n "$programs" ] || { echo "PostgreSQL's programs are not there: no initdb, postgres and pg_isready in PATH or /usr/lib/postgresql" >&2; exit 2; }

folder=$(mktemp -d)
as=
if [ "$(id -u)" = 0 ]; then
    chown nobody "$folder"
    as="setpriv --reuid=nobody --regid=nogroup --clear-groups"
fi
server=
stop() {
    [ -z "$server" ] || { kill -INT "$server" 2>/dev/null && wait "$server"; } || true
    rm -rf "$folder" "$folder.log"
}
trap stop EXIT
trap 'exit 130' INT TERM

export LC_ALL=C
(cd "$folder" && $as "$programs/initdb" --username=postgres --auth=trust --encoding=UTF8 --locale=C -D "$folder/data") \
    >"$folder.log" 2>&1 || { cat "$folder.log" >&2; exit 1; }
# With the disk as it is in use: a commit waits for it.
(cd "$folder" && exec $as "$programs/postgres" -D "$folder/data" -c listen_addresses= -c "unix_socket_directories=$folder" \
    -c max_connections=200) >"$folder.log" 2>&1 &
server=$!
tries=0
until "$programs/pg_isready" -q -h "$folder"; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || { cat "$folder.log" >&2; exit 1; }
    sleep 0.1
done

PGHOST=$folder PGUSER=postgres PATH="$PATH:$programs" "$@"
