#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Brings Debian 12 or 13 to a state in which SyclKittens builds, runs and is tested. Safe to run again: what is there
# stays. docs/toolchain.md says what each part is for and how .toolchain is laid out.
set -euo pipefail

REPOSITORY=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
SETUP_DIR=$REPOSITORY/scripts/setup
export KITTENS_TOOLCHAIN=${KITTENS_TOOLCHAIN:-$REPOSITORY/.toolchain}
# shellcheck source=setup/pins.sh
source "$SETUP_DIR/pins.sh"
# shellcheck source=setup/common.sh
source "$SETUP_DIR/common.sh"
# shellcheck source=setup/apt.sh
source "$SETUP_DIR/apt.sh"
# shellcheck source=setup/intel.sh
source "$SETUP_DIR/intel.sh"
# shellcheck source=setup/python.sh
source "$SETUP_DIR/python.sh"

usage() {
  cat <<EOF
Usage: scripts/setup.sh [options]

Installs what SyclKittens needs. Nothing outside $KITTENS_TOOLCHAIN is written, except by apt.

  --minimal       the apt packages alone: targets cpu and emulated
  --no-torch      leave PyTorch out
  --no-peers      leave PyTorch and oneDNN out
  --no-plot       leave matplotlib out
  --mkl           oneMKL too, to measure against
  --sycl          DPC++'s SYCL headers and runtime too, for the SYCL back end's tests
  --only PARTS    only these, separated by commas: apt,intel,opencl,onednn,torch,plot,mkl,sycl
  --any-torch     if no CPU build of PyTorch is within reach, take PyPI's with CUDA (3 GB)
  --force         install again what is there
  --list          say what would be installed and where, and stop
  -h, --help      this text

Environment: KITTENS_TOOLCHAIN (where to install), KITTENS_DEBIAN_MIRROR (where the Intel compiler comes from).
EOF
}

parts=(apt intel opencl onednn torch plot)
force=0 list=0
while (($#)); do
  case $1 in
    --minimal) parts=(apt) ;;
    --no-torch) parts=("${parts[@]/torch/}") ;;
    --no-peers) parts=("${parts[@]/torch/}") parts=("${parts[@]/onednn/}") ;;
    --only)
      [[ -n ${2:-} ]] || { usage >&2; exit 2; }
      IFS=, read -ra parts <<<"$2"
      shift
      ;;
    --no-plot) parts=("${parts[@]/plot/}") ;;
    --mkl) parts+=(mkl) ;;
    --sycl) parts+=(sycl) ;;
    --any-torch) export SETUP_ANY_TORCH=1 ;;
    --force) force=1 ;;
    --list) list=1 ;;
    -h | --help) usage; exit 0 ;;
    *) fail "unknown option $1; --help lists them" || exit 2 ;;
  esac
  shift
done
mapfile -t parts < <(printf '%s\n' "${parts[@]}" | sed '/^$/d')
for part in "${parts[@]}"; do
  [[ $part =~ ^(apt|intel|opencl|onednn|torch|plot|mkl|sycl)$ ]] || fail "unknown part $part; there are apt, intel, opencl, onednn, torch, plot, mkl, sycl" || exit 2
done

part_pins() { # PART
  case $1 in
    apt) printf '%s\n' "${APT_BUILD[@]}" "${APT_CLANG[@]}" ;;
    intel) printf '%s\n' "${INTEL_PACKAGES[@]}" ;;
    opencl) printf '%s\n' "${OPENCL_WHEELS[@]}" ;;
    onednn) printf '%s\n' "${ONEDNN_WHEELS[@]}" ;;
    torch) printf '%s\n' "${TORCH_WHEELS[@]}" ;;
    plot) printf '%s\n' "${PLOT_WHEELS[@]}" ;;
    mkl) printf '%s\n' "${MKL_WHEELS[@]}" ;;
    sycl) printf '%s\n' "${SYCL_WHEELS[@]}" ;;
  esac
}
is_installed() { # PART
  ((force == 0)) && "$1_ready" && { [[ $1 == apt ]] || [[ "$(cat "$KITTENS_TOOLCHAIN/stamp/$1" 2>/dev/null)" == "$(part_pins "$1")" ]]; }
}

wanted=()
for part in "${parts[@]}"; do
  is_installed "$part" || wanted+=("$part")
done
if ((${#wanted[@]} == 0)) && [[ -f $KITTENS_TOOLCHAIN/versions.json ]]; then
  say "everything is there (${parts[*]})"
  exit 0
fi
if ((${#wanted[@]})); then
  say "to be installed:"
  for part in "${wanted[@]}"; do
    say "  [$part] $("${part}_describe")"
  done
fi
((list)) && exit 0

mkdir -p "$KITTENS_TOOLCHAIN"/{bin,log,stamp,work}
exec 9>"$KITTENS_TOOLCHAIN/work/setup-$(IFS=-; echo "${parts[*]}").lock"
flock 9

# Background commands ignore Ctrl-C; what the terminal sends to this group is passed on to them.
trap 'trap - INT; kill -TERM 0; exit 130' INT

install_part() { # PART
  local started=$SECONDS
  : >"$KITTENS_TOOLCHAIN/log/$1.log"
  say "[$1] started"
  "$1_install" || return 1
  [[ $1 == apt ]] || part_pins "$1" >"$KITTENS_TOOLCHAIN/stamp/$1"
  say "[$1] done in $((SECONDS - started)) s"
}

# The Intel compiler needs nothing that apt brings, so it downloads meanwhile. The Python parts need python3-venv.
failed=()
declare -A running=()
for part in "${wanted[@]}"; do
  [[ $part == intel ]] && { install_part intel & running[intel]=$!; }
done
for part in "${wanted[@]}"; do
  [[ $part == apt ]] && { install_part apt || { wait; fail "the apt part is needed for everything else" || exit 1; }; }
done
for part in "${wanted[@]}"; do
  [[ $part =~ ^(opencl|onednn|torch|plot|mkl|sycl)$ ]] && { install_part "$part" & running[$part]=$!; }
done
for part in "${!running[@]}"; do
  wait "${running[$part]}" || failed+=("$part")
done

python3 "$SETUP_DIR/versions.py" "$KITTENS_TOOLCHAIN"
say "versions are recorded in $KITTENS_TOOLCHAIN/versions.json"
for part in "${failed[@]}"; do
  case $part in
    intel) note "without the Intel compiler: no inspect and no machine-code tests; cpu, emulated and xe on the OpenCL device work" ;;
    opencl) note "without an OpenCL device: target xe compiles but does not run here; cpu, emulated and inspect work" ;;
    sycl) note "without DPC++: the SYCL back end is not tested here" ;;
    plot) note "without matplotlib: kittens plot does not draw" ;;
    onednn | torch | mkl) note "without $part: benchmarks leave out the comparison with $part" ;;
  esac
done
