#!/usr/bin/env bash
# Checks the inventory. Prints every finding and a last line with the counts; exits 1 when something is wrong.
set -uo pipefail
cd "$(dirname "$0")/.."
source lib/conf.sh

checks=0
failed=0
expect() {
  local says=$1
  shift
  checks=$((checks + 1))
  "$@" && return
  failed=$((failed + 1))
  echo "not ok: $says"
}
holds() { [[ $(<"$1") == *"$2"* ]]; }
lacks() { ! holds "$@"; }

mapfile -t hosts < <(names_in hosts.conf)
mapfile -t teams < <(names_in teams.conf)
seen_ports=()

for file in services/*.conf; do
  name=$(basename "$file" .conf)
  owner=$(value "$file" owner)
  port=$(value "$file" port)
  duty=$(value "$file" duty)
  severity=$(value "$file" severity)
  expect "$file: name is the file's" [ "$(value "$file" name)" = "$name" ]
  expect "$file: owner is a team" is_among "$owner" "${teams[@]}"
  for host in $(value "$file" hosts); do expect "$file: host $host is known" is_among "$host" "${hosts[@]}"; done
  expect "$file: port is used once" [ -z "$(is_among "$port" "${seen_ports[@]-}" && echo twice)" ]
  seen_ports+=("$port")
  expect "$file: duty is business or always" is_among "$duty" business always
  expect "$file: severity is page only for duty always" [ "$severity" = "$([ "$duty" = always ] && echo page || echo ticket)" ]
  expect "$file: nothing left to fill in" lacks "$file" TODO
  for other in "alerts/$name.rules" "runbooks/$name.md"; do expect "$other exists" [ -s "$other" ]; done
  [ -s "alerts/$name.rules" ] || continue
  expect "alerts/$name.rules: port of the service" holds "alerts/$name.rules" "port=\"$port\""
  expect "alerts/$name.rules: notifies the owner" holds "alerts/$name.rules" "notify $owner"
  expect "alerts/$name.rules: names the runbook" holds "alerts/$name.rules" "runbook runbooks/$name.md"
  expect "alerts/$name.rules: no placeholder" lacks "alerts/$name.rules" "@"
  [ -s "runbooks/$name.md" ] || continue
  for part in "What it does" "How to see that it is down" "First steps" "Who to call"; do
    expect "runbooks/$name.md: has '$part'" holds "runbooks/$name.md" "## $part"
  done
done

expect "a taken port is refused" [ "$(bin/inventory check new-thing 9183)" = "port taken: services/gate-control.conf" ]
expect "a taken name is refused" [ "$(bin/inventory check gate-control 9199)" = "name taken: services/gate-control.conf" ]
expect "a port outside the range is refused" [ "$(bin/inventory check new-thing 8080)" = "port not in 9100-9199: 8080" ]

echo "$checks checks, $failed failed"
[ "$failed" -eq 0 ]
