# SPDX-License-Identifier: Apache-2.0
# Helpers shared by the parts of scripts/setup.sh.
# shellcheck shell=bash

say() { printf 'setup: %s\n' "$*"; }
note() { printf 'setup: note: %s\n' "$*"; }
fail() { printf 'setup: error: %s\n' "$*" >&2; return 1; }

# logged PART COMMAND...: runs a long command with its output in log/PART.log. Says every 20 s how far it is
# (the log's last line), and shows the end of the log when the command fails.
logged() {
  local part=$1 log="$KITTENS_TOOLCHAIN/log/$1.log" pid waited=0 status=0
  shift
  printf '\n$ %s\n' "$*" >>"$log"
  "$@" >>"$log" 2>&1 &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.2
    waited=$((waited + 1))
    if ((waited % 100 == 0)); then
      say "[$part] $((waited / 5)) s: $(tail -n 1 "$log" | tr '\r' '\n' | tail -n 1 | cut -c 1-140)"
    fi
  done
  wait "$pid" || status=$?
  if ((status != 0)) && [[ -z ${EXPECTED_TO_FAIL:-} ]]; then
    tail -n 15 "$log" | sed "s/^/setup: [$part] /" >&2
    say "[$part] the whole log is $log" >&2
  fi
  return "$status"
}

