# SPDX-License-Identifier: Apache-2.0
# The project's virtual environment ($KITTENS_TOOLCHAIN/venv) and what goes into it: Intel's OpenCL CPU device, and the
# libraries that benchmarks are measured against. Wheels are downloaded side by side; installing takes its turn.
# shellcheck shell=bash

opencl_describe() {
  echo "Intel's OpenCL CPU device (Intel EULA for developer tools): 275 MB download, 820 MB in $KITTENS_TOOLCHAIN/venv"
}
onednn_describe() {
  echo "oneDNN, to measure against: 39 MB download, 55 MB in $KITTENS_TOOLCHAIN/venv"
}
torch_describe() {
  echo "PyTorch CPU build and numpy, to measure against: 200 MB download, 950 MB in $KITTENS_TOOLCHAIN/venv"
}

plot_describe() {
  echo "matplotlib, for kittens plot: 30 MB download, 120 MB in $KITTENS_TOOLCHAIN/venv"
}
mkl_describe() {
  echo "oneMKL, to measure against (Intel Simplified Software License): 190 MB download, 700 MB in $KITTENS_TOOLCHAIN/venv"
}

venv_pip() { "$KITTENS_TOOLCHAIN/venv/bin/pip" --disable-pip-version-check --no-input "$@"; }

venv_create() {
  [[ -x $KITTENS_TOOLCHAIN/venv/bin/pip ]] && return 0
  rm -rf "$KITTENS_TOOLCHAIN/venv"
  python3 -m venv "$KITTENS_TOOLCHAIN/venv" || {
    fail "[python] python3 -m venv failed: install python3-venv"
    return 1
  }
}

# One pip at a time writes into the environment.
venv_install() { # PART PIP-ARGUMENTS...
  local part=$1
  shift
  (
    flock 8
    venv_create || exit 1
    logged "$part" venv_pip install --progress-bar off "$@"
  ) 8>"$KITTENS_TOOLCHAIN/work/venv.lock"
}

# The pinned wheels, else the newest ones with a note.
venv_install_pinned() { # PART WHEEL...
  local part=$1
  shift
  EXPECTED_TO_FAIL=1 venv_install "$part" --no-deps "$@" && return 0
  note "[$part] ${*} could not be installed; trying the newest versions" >&2
  venv_install "$part" --no-deps --upgrade "${@%%==*}"
}

# A directory of OpenCL drivers: Intel's CPU device beside whatever the system has. See scripts/env.sh.
opencl_write_vendors() {
  local library vendors="$KITTENS_TOOLCHAIN/opencl/vendors" driver
  library=$(find "$KITTENS_TOOLCHAIN/venv/lib" -maxdepth 1 -name 'libintelocl.so.*' | sort -V | tail -n 1)
  [[ -n $library ]] || {
    fail "[opencl] intel-opencl-rt is installed but holds no libintelocl.so"
    return 1
  }
  rm -rf "$vendors"
  mkdir -p "$vendors"
  echo "$library" >"$vendors/kittens-intel-cpu.icd"
  for driver in /etc/OpenCL/vendors/*.icd; do
    [[ -e $driver ]] && ln -s "$driver" "$vendors/"
  done
  return 0
}

opencl_ready() { compgen -G "$KITTENS_TOOLCHAIN/venv/lib/libintelocl.so.*" >/dev/null && [[ -d $KITTENS_TOOLCHAIN/opencl/vendors ]]; }
opencl_install() { venv_install_pinned opencl "${OPENCL_WHEELS[@]}" && opencl_write_vendors; }

onednn_ready() { [[ -f $KITTENS_TOOLCHAIN/venv/lib/libdnnl.so && -f $KITTENS_TOOLCHAIN/venv/include/oneapi/dnnl/dnnl.hpp ]]; }
# The wheels hold the library three times under its three names; one copy and two links do.
onednn_install() {
  local library
  venv_install_pinned onednn "${ONEDNN_WHEELS[@]}" || return 1
  library=$(find "$KITTENS_TOOLCHAIN/venv/lib" -maxdepth 1 -name 'libdnnl.so.3.*' | sort -V | tail -n 1)
  [[ -n $library ]] || {
    fail "[onednn] the wheel is installed but holds no libdnnl.so.3"
    return 1
  }
  ln -sf "$(basename "$library")" "$KITTENS_TOOLCHAIN/venv/lib/libdnnl.so.3"
  ln -sf "$(basename "$library")" "$KITTENS_TOOLCHAIN/venv/lib/libdnnl.so"
}

# Headers and libraries of DPC++. They need no compiler of Intel's: host code is compiled with g++ or clang and linked
# with libsycl; kernels come in as SPIR-V.
sycl_describe() {
  echo "DPC++ SYCL headers and runtime (Intel EULA): 200 MB download, 700 MB in $KITTENS_TOOLCHAIN/venv"
}
sycl_ready() { [[ -f $KITTENS_TOOLCHAIN/venv/include/sycl/sycl.hpp && -f $KITTENS_TOOLCHAIN/venv/lib/libsycl.so ]]; }
sycl_install() { venv_install_pinned sycl "${SYCL_WHEELS[@]}"; }

plot_ready() { compgen -G "$KITTENS_TOOLCHAIN/venv/lib/python3*/site-packages/matplotlib/__init__.py" >/dev/null; }
plot_install() {
  EXPECTED_TO_FAIL=1 venv_install plot "${PLOT_WHEELS[@]}" && return 0
  note "[plot] ${PLOT_WHEELS[*]} could not be installed; trying the newest version" >&2
  venv_install plot "${PLOT_WHEELS[@]%%==*}"
}

mkl_ready() { compgen -G "$KITTENS_TOOLCHAIN/venv/lib/libmkl_rt.so.*" >/dev/null; }
mkl_install() { venv_install_pinned mkl "${MKL_WHEELS[@]}"; }

torch_ready() { compgen -G "$KITTENS_TOOLCHAIN/venv/lib/python3*/site-packages/torch/version.py" >/dev/null; }
# The CPU build: from a configured index or folder if one has it, else from pytorch.org. PyPI's own build brings
# gigabytes of CUDA libraries, so it is taken only when asked for.
torch_install() {
  local wheel
  for wheel in "${TORCH_WHEELS[@]}"; do
    [[ $wheel == torch==* ]] && break
  done
  if [[ ${SETUP_ANY_TORCH:-} == 1 ]]; then
    venv_install torch "${TORCH_WHEELS[@]}"
    return
  fi
  local wheels=("${TORCH_WHEELS[@]/$wheel/$wheel+cpu}")
  EXPECTED_TO_FAIL=1 venv_install torch "${wheels[@]}" && return 0
  EXPECTED_TO_FAIL=1 venv_install torch --retries 1 --timeout 20 --extra-index-url "$TORCH_CPU_INDEX" "${wheels[@]}" && return 0
  fail "[torch] no CPU build of $wheel within reach; comparisons use oneDNN alone (--any-torch takes PyPI's build, 3 GB)"
}
