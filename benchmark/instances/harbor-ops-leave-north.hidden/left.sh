#!/usr/bin/env bash
# What can leave the north site has left it, and nothing else has moved.
set -euo pipefail
source lib/conf.sh
[ "$(value services/rail-gauge.conf hosts)" = "cargo-3 cargo-4" ]
[ "$(value services/toll-ledger.conf hosts)" = cargo-3 ]
[ "$(value services/gate-control.conf hosts)" = "gate-1 gate-2" ]
for name in berth-plan rail-gauge toll-ledger; do
  text=$(<"runbooks/$name.md")
  [[ $text != *cargo-1* && $text != *cargo-2* ]]
done
bash tests/run.sh
