#!/usr/bin/env bash
# bin/inventory owner TEAM
set -euo pipefail
[ "$(bin/inventory owner freight)" = $'berth-plan\nrail-gauge' ]
[ "$(bin/inventory owner gates)" = gate-control ]
[ -z "$(bin/inventory owner platform)" ]
if said=$(bin/inventory owner nobody 2>&1); then exit 1; fi
[ "$said" = "no such team: nobody" ]
[ "$(bin/inventory check new-thing 9183 || true)" = "port taken: services/gate-control.conf" ]
bash tests/run.sh
