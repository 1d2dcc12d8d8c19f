# SPDX-License-Identifier: Apache-2.0
# Source this to use the project's tools in a shell:  source scripts/env.sh
# Sets KITTENS_TOOLCHAIN, KITTENS_PYTHON and OCL_ICD_VENDORS, and puts kittens, ocloc and iga64 on PATH.
# shellcheck shell=bash

if [ -n "${BASH_VERSION:-}" ]; then
  _kittens_script=${BASH_SOURCE[0]}
else # zsh sets $0 to the sourced file
  _kittens_script=$0
fi
_kittens_repository=$(cd "$(dirname "$_kittens_script")/.." && pwd)
export KITTENS_TOOLCHAIN="${KITTENS_TOOLCHAIN:-$_kittens_repository/.toolchain}"

# The comparisons with PyTorch run in this interpreter.
if [ -x "$KITTENS_TOOLCHAIN/venv/bin/python" ]; then
  export KITTENS_PYTHON="$KITTENS_TOOLCHAIN/venv/bin/python"
fi

# A folder of drivers: Intel's CPU device and links to the system's own, so that a GPU stays visible. A value that is
# set already wins.
if [ -d "$KITTENS_TOOLCHAIN/opencl/vendors" ]; then
  export OCL_ICD_VENDORS="${OCL_ICD_VENDORS:-$KITTENS_TOOLCHAIN/opencl/vendors}"
fi

for _kittens_directory in "$KITTENS_TOOLCHAIN/bin" "$_kittens_repository/build/bin"; do
  case ":$PATH:" in
    *":$_kittens_directory:"*) ;;
    *) PATH="$_kittens_directory:$PATH" ;;
  esac
done
export PATH
unset _kittens_script _kittens_repository _kittens_directory
