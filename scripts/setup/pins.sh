# SPDX-License-Identifier: Apache-2.0
# Everything that the setup installs, with the versions the project was last checked with. Sourced by scripts/setup.sh.
# shellcheck shell=bash disable=SC2034

# From the system's own package archive. What each group is for stands in docs/toolchain.md.
APT_BUILD=(g++ cmake ninja-build ccache pkg-config ca-certificates
  libgtest-dev libgmock-dev libcli11-dev libfmt-dev nlohmann-json3-dev libtomlplusplus-dev libboost-context-dev
  ocl-icd-libopencl1 ocl-icd-opencl-dev opencl-headers libopenblas-dev python3 python3-venv)
APT_CLANG=(clang-22 llvm-22 lld-22 libclang-rt-22-dev clang-format-22 clang-tidy-22 spirv-tools)

# The offline Intel graphics compiler, from the newest Debian suite that has it. apt adds what these depend on.
INTEL_SUITES=(sid testing)
INTEL_PACKAGES=(intel-ocloc=26.27.39122.14-1 libigc2=2.40.14-1 libigc2-tools=2.40.14-1)

# From PyPI, into the project's virtual environment.
OPENCL_WHEELS=(intel-opencl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0 tbb==2023.2.0)
TORCH_WHEELS=(torch==2.13.0 numpy)
TORCH_CPU_INDEX=https://download.pytorch.org/whl/cpu
# The wheels after 2023.2 need the whole SYCL runtime to multiply matrices on a CPU; PyTorch brings a newer oneDNN anyway.
ONEDNN_WHEELS=(onednn-cpu-gomp==2023.2.0 onednn-devel-cpu-gomp==2023.2.0)
# For kittens plot.
PLOT_WHEELS=(matplotlib==3.11.2)
# Not installed unless asked for: oneMKL, to measure against. It finds its threads in GNU OpenMP, which is here.
MKL_WHEELS=(mkl==2026.2.0)
# Not installed unless asked for: the runtime and headers of DPC++, to build and run the SYCL back end with a real SYCL.
SYCL_WHEELS=(intel-sycl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0 intel-cmplr-lib-ur==2026.2.0 umf==1.2.0 tcmlib==1.6.0)
