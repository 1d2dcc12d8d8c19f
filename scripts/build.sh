#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures and builds with a preset of CMakePresets.json (default: "default", in build/).
# Usage: scripts/build.sh [PRESET] [--part FOLDER]... [CMAKE-OPTIONS...]
#   --part FOLDER   build only what is made in this folder, e.g. tools/kittens; may be repeated
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=${1:-default}
shift $(($# > 0))
parts=()
while [[ ${1:-} == --part ]]; do
  parts+=("${2:?build: --part needs a folder}/all")
  shift 2
done

if [[ $preset == default ]] && ! command -v clang++-22 >/dev/null; then
  echo "build: note: no clang++-22 here; g++ builds the host code, and there are no modules for target xe"
  set -- -DCMAKE_CXX_COMPILER=g++ "$@"
fi
export NINJA_STATUS="${NINJA_STATUS:-[%f/%t %es] }"
cmake --preset "$preset" -DKITTENS_TOOLCHAIN_DIR="${KITTENS_TOOLCHAIN:-$PWD/.toolchain}" "$@"
cmake --build --preset "$preset" --parallel "${KITTENS_JOBS:-$(nproc)}" ${parts:+--target "${parts[@]}"}
