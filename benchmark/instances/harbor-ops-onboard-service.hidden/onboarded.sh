#!/usr/bin/env bash
# tariff-import is in the inventory with the right words, has alerts and a runbook, and everything still agrees.
set -euo pipefail
source lib/conf.sh
conf=services/tariff-import.conf
[ "$(value "$conf" owner)" = freight ]
[ "$(value "$conf" hosts)" = "cargo-3 cargo-4" ]
[ "$(value "$conf" port)" = 9187 ]
[ "$(value "$conf" duty)" = business ]
[ "$(value "$conf" severity)" = ticket ]
alerts=$(<alerts/tariff-import.rules)
[[ $alerts == *"alert tariff-import-down"*'up{job="tariff-import",port="9187"} == 0 for 5m'* ]]
[[ $alerts == *"alert tariff-import-errors"*'rate(errors{job="tariff-import"}) > 0.05 for 10m'* ]]
[ "$(wc -l <runbooks/tariff-import.md)" -le 25 ]
bash tests/run.sh
