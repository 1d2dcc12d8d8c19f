#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs every test. Exit status 0 only if all pass.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'EOF'
Usage: ./test.sh [options]

  --quick         leave out the tests labelled "slow"
  --filter REGEX  only tests whose name matches (ctest -R)
  --label REGEX   only tests with such a label (ctest -L), e.g. --label emulated
  --isa LEVEL     cap the cpu target: avx2, avx512, avx512_bf16 or amx; also what the OpenCL CPU device may use
  --preset NAME   build with this preset (default: default)
  -h, --help      this text
EOF
}

preset=default
select=()
while (($#)); do
  case $1 in
    --quick) select+=(-LE slow) ;;
    --filter | --label | --isa | --preset)
      [[ -n ${2:-} ]] || { echo "test.sh: $1 needs a value" >&2; exit 2; }
      case $1 in
        --filter) select+=(-R "$2") ;;
        --label) select+=(-L "$2") ;;
        --preset) preset=$2 ;;
        --isa)
          case $2 in
            avx2) opencl=core-avx2 ;;
            avx512) opencl=skx ;;
            avx512_bf16 | amx) opencl=sapphirerapids ;;
            *) echo "test.sh: unknown level $2; there are avx2, avx512, avx512_bf16, amx" >&2; exit 2 ;;
          esac
          export KITTENS_MAX_CPU_ISA=$2 CL_CONFIG_CPU_TARGET_ARCH=$opencl
          ;;
      esac
      shift
      ;;
    -h | --help) usage; exit 0 ;;
    *) echo "test.sh: unknown option $1; --help lists them" >&2; exit 2 ;;
  esac
  shift
done

scripts/setup.sh --no-torch
# shellcheck source=scripts/env.sh
source scripts/env.sh
scripts/build.sh "$preset"

report=$(mktemp)
trap 'rm -f "$report"' EXIT
status=0
ctest --preset "$preset" --output-on-failure --no-tests=error --parallel "${KITTENS_JOBS:-$(nproc)}" \
  --output-junit "$report" "${select[@]}" || status=$?

# ctest counts a skipped test as passed; here it is neither.
python3 - "$report" "$status" <<'EOF'
import sys
import xml.etree.ElementTree as xml

try:
    cases = list(xml.parse(sys.argv[1]).getroot().iter("testcase"))
except xml.ParseError:
    sys.exit("test.sh: ctest left no report")
skipped = [c for c in cases if c.find("skipped") is not None or c.get("status") in ("notrun", "disabled")]
failed = [c for c in cases if c.find("failure") is not None or c.get("status") == "fail"]
for case in skipped:
    print(f"skipped: {case.get('name')}")
print(f"\n{len(cases) - len(skipped) - len(failed)} passed, {len(failed)} failed")
sys.exit(bool(failed) or int(sys.argv[2]) != 0)
EOF
