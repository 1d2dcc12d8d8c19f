#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The kernel suite, from set-up to machine code: installs what is missing, builds, and shows every way to run it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  echo "Usage: ./demo.sh    sets up, builds and shows; about 12 minutes the first time on 2 cores"
  exit 0
fi
(($# == 0)) || { echo "demo.sh takes no options; see ./demo.sh --help" >&2; exit 2; }

step=set-up
torch=
finish() {
  local status=$?
  [[ -n $torch ]] && kill "$torch" 2>/dev/null
  ((status == 0)) || printf '\ndemo: failed in: %s\n' "$step" >&2
}
trap finish EXIT
show() { # TITLE COMMAND...
  step=$1
  shift
  printf '\n== %s\n\n$ %s\n' "$step" "$*"
  "$@"
}

# not_shown WHAT WHY: an optional part of the set-up is missing.
left_out=
not_shown() {
  printf '\n== %s\n\nnot shown: %s (scripts/setup.sh says why it is missing)\n' "$1" "$2"
  left_out=" Some steps were not shown."
}

show "Set-up" scripts/setup.sh --no-torch
# shellcheck source=scripts/env.sh
source scripts/env.sh

# PyTorch is only compared with, so its download does not hold up the build.
scripts/setup.sh --only torch &
torch=$!

show "Build" scripts/build.sh default --part tools/kittens --part bench --part examples
kittens=build/bin/kittens
if [[ -n $torch ]]; then
  step="Set-up of PyTorch"
  wait "$torch"
  torch=
  [[ -e build/lib/kittens/peers/torch.so ]] || show "Build of the comparison with PyTorch" scripts/build.sh default --part bench
fi

show "Targets and devices" $kittens devices
show "GEMM on this CPU, checked" $kittens run gemm -m 1024 -n 1024 -k 1024 --target cpu
# ---- The comparison with other libraries, in one run -----------------------------------------------------------
peers=()
[[ -d $(echo "$KITTENS_TOOLCHAIN"/venv/lib/python3*/site-packages/torch) ]] && peers+=(torch)
[[ -e $KITTENS_TOOLCHAIN/venv/lib/libdnnl.so ]] && peers+=(onednn)
if ((${#peers[@]})); then
  show "GEMM against ${peers[*]}" $kittens bench gemm --suite quick --against "$(IFS=,; echo "${peers[*]}")"
else
  not_shown "GEMM against other libraries" "neither PyTorch nor oneDNN is here"
fi
if [[ " ${peers[*]} " == *" torch "* ]]; then
  for operator in attention norm rotary gemv; do
    show "$operator against torch" $kittens bench $operator --suite quick --against torch --warm-ups 3 --rounds 10
  done
else
  not_shown "Attention and the memory-bound operators against torch" "PyTorch is not here"
fi
# ----------------------------------------------------------------------------------------------------------------
show "The same GEMM source, lane by lane against the instruction specification" \
  $kittens run gemm -m 256 -n 256 -k 64 --target emulated
if [[ -n ${OCL_ICD_VENDORS:-} ]]; then
  show "The same GEMM source as SPIR-V on an OpenCL device" $kittens run gemm -m 256 -n 256 -k 256 --target xe
else
  not_shown "The same GEMM source as SPIR-V on an OpenCL device" "no OpenCL device is here"
fi
if [[ -x $KITTENS_TOOLCHAIN/bin/ocloc ]]; then
  show "The same GEMM source as machine code for Intel Max 1550" $kittens inspect gemm --device pvc
else
  not_shown "The same GEMM source as machine code for Intel Max 1550" "no offline Intel compiler is here"
fi

printf '\ndemo: complete in %d min %d s.%s The tool is %s; ./test.sh runs the tests.\n' \
  $((SECONDS / 60)) $((SECONDS % 60)) "$left_out" "$kittens"
