# SPDX-License-Identifier: Apache-2.0
"""Writes versions.json: the exact version of each tool that the project uses on this machine; null where absent.

Usage: versions.py TOOLCHAIN_DIRECTORY
"""

import datetime
import glob
import json
import os
import platform
import re
import subprocess
import sys


def output_of(*command: str) -> str:
    """Standard output and error of a command; empty when it cannot be started."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def first_version(text: str) -> str | None:
    """The first dotted number in a tool's version message."""
    match = re.search(r"\d+\.\d+(\.\d+)*", text)
    return match.group(0) if match else None


def debian_version(package: str) -> str | None:
    """Version of a package of the running system."""
    text = output_of("dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package)
    return text.removeprefix("installed ") if text.startswith("installed ") else None


def unpacked_versions(toolchain: str) -> dict[str, str]:
    """Packages that were unpacked under intel/, by name."""
    try:
        with open(os.path.join(toolchain, "intel", "packages.txt"), encoding="utf-8") as listing:
            return dict(line.split() for line in listing)
    except OSError:
        return {}


def wheel_version(toolchain: str, wheel: str) -> str | None:
    """Version of a wheel in the virtual environment, from the name of its .dist-info folder."""
    pattern = os.path.join(toolchain, "venv", "lib", "python3*", "site-packages", f"{wheel}-*.dist-info")
    found = sorted(glob.glob(pattern))
    return os.path.basename(found[-1]).removesuffix(".dist-info").split("-", 1)[1] if found else None


def onednn_version(toolchain: str) -> str | None:
    """oneDNN's own version, from the library's name; the wheel's number is a date."""
    found = sorted(glob.glob(os.path.join(toolchain, "venv", "lib", "libdnnl.so.*.*")))
    return os.path.basename(found[-1]).removeprefix("libdnnl.so.") if found else None


def cpu_name() -> str:
    """The processor's name, since every measured figure names it."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        match = re.search(r"^model name\s*:\s*(.*)$", info.read(), re.MULTILINE)
    return match.group(1) if match else platform.machine()


def system_name() -> str:
    """The distribution's name."""
    return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())


def collect(toolchain: str) -> dict:
    """Everything that a report has to name."""
    intel = unpacked_versions(toolchain)
    return {
        "recorded": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "system": system_name(),
        "cpu": cpu_name(),
        "tools": {
            "clang": first_version(output_of("clang++-22", "--version")),
            "gcc": first_version(output_of("g++", "-dumpfullversion")),
            "cmake": first_version(output_of("cmake", "--version")),
            "ninja": first_version(output_of("ninja", "--version")),
            "spirv_tools": first_version(output_of("spirv-val", "--version")),
            "ocloc": intel.get("intel-ocloc"),
            "igc": intel.get("libigc2"),
            "iga": intel.get("libigc2-tools"),
            "opencl_runtime": wheel_version(toolchain, "intel_opencl_rt"),
            "opencl_loader": debian_version("ocl-icd-libopencl1"),
            "sycl": wheel_version(toolchain, "intel_sycl_rt"),
            "tbb": debian_version("libtbb-dev"),
            "openblas": debian_version("libopenblas-dev"),
            "python": platform.python_version(),
            "numpy": wheel_version(toolchain, "numpy"),
            "torch": wheel_version(toolchain, "torch"),
            "onednn": onednn_version(toolchain),
        },
    }


def main() -> None:
    """Writes the file by renaming, so that a reader never sees half of it."""
    toolchain = sys.argv[1]
    path = os.path.join(toolchain, "versions.json")
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w", encoding="utf-8") as out:
        json.dump(collect(toolchain), out, indent=2)
        out.write("\n")
    os.replace(temporary, path)


if __name__ == "__main__":
    main()
