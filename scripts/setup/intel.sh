# SPDX-License-Identifier: Apache-2.0
# The offline Intel graphics compiler (ocloc, IGC) and assembler (iga64) from Debian's newest suite, with the libc and
# libstdc++ they were linked against, unpacked under $KITTENS_TOOLCHAIN/intel and started through their own loader.
# A private apt configuration picks, downloads and verifies the packages; the system's packages and lists stay untouched.
# shellcheck shell=bash

intel_describe() {
  echo "offline Intel compiler (ocloc, IGC, iga64): 31 MB download, 125 MB in $KITTENS_TOOLCHAIN/intel"
}

# The Debian mirror that this system uses already, if it names one.
intel_mirror() {
  local mirror
  # shellcheck disable=SC2016  # apt's own placeholders
  mirror=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    sed -n 's/^Debian //p' | head -n 1) || true
  echo "${KITTENS_DEBIAN_MIRROR:-${mirror:-http://deb.debian.org/debian}}"
}

intel_write_apt_configuration() { # DIRECTORY SUITE
  local dir=$1 suite=$2 keyring
  for keyring in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
    [[ -f $keyring ]] && break
  done
  [[ -f $keyring ]] || {
    fail "no Debian archive keyring: install debian-archive-keyring"
    return 1
  }
  mkdir -p "$dir"/{lists/partial,archives/partial,preferences.d,sources.d}
  : >"$dir/status"
  : >"$dir/preferences"
  echo "deb [arch=amd64 signed-by=$keyring] $(intel_mirror) $suite main" >"$dir/sources.list"
  # Read last, after the system's configuration: proxies and certificates set there stay in force, hooks do not.
  cat >"$dir/apt.conf" <<EOF
Dir::Etc::sourcelist "$dir/sources.list";
Dir::Etc::sourceparts "$dir/sources.d";
Dir::Etc::preferences "$dir/preferences";
Dir::Etc::preferencesparts "$dir/preferences.d";
Dir::State "$dir";
Dir::State::lists "$dir/lists";
Dir::State::status "$dir/status";
Dir::State::extended_states "$dir/extended_states";
Dir::Cache "$dir";
Dir::Cache::archives "$dir/archives";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
Dir::Log "$dir";
APT::Architecture "amd64";
APT::Architectures { "amd64"; };
APT::Default-Release "";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Install-Pkgs;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
EOF
}

# Signatures are always checked. A mirror that is a frozen copy has an old date: that alone is no reason to stop.
intel_update() { # DIRECTORY SUITE
  EXPECTED_TO_FAIL=1 logged intel apt-get -c "$1/apt.conf" update && return 0
  grep -q 'is expired' "$KITTENS_TOOLCHAIN/log/intel.log" || return 1
  note "[intel] the mirror's index of $2 is past its date (a frozen copy?); signatures are checked, the date is not"
  logged intel apt-get -c "$1/apt.conf" -o Acquire::Check-Valid-Until=false update
}

# The pinned version where the archive still has it, else the candidate, with a note.
intel_choose() { # DIRECTORY
  local wanted name version candidate
  for wanted in "${INTEL_PACKAGES[@]}"; do
    name=${wanted%%=*} version=${wanted#*=}
    if apt-cache -c "$1/apt.conf" madison "$name" | awk '{print $3}' | grep -qxF "$version"; then
      echo "$name=$version"
      continue
    fi
    candidate=$(apt-cache -c "$1/apt.conf" policy "$name" | sed -n 's/^ *Candidate: //p')
    [[ -n $candidate && $candidate != "(none)" ]] || return 1
    note "[intel] $name $version has left the archive; taking $candidate" >&2
    echo "$name=$candidate"
  done
}

intel_write_wrapper() { # NAME PROGRAM
  cat >"$KITTENS_TOOLCHAIN/bin/$1" <<EOF
#!/bin/sh
# Written by scripts/setup.sh. Starts $1 with the loader and libraries that it was built for.
root=\$(dirname "\$(dirname "\$(readlink -f "\$0")")")/intel
lib=\$root/usr/lib/x86_64-linux-gnu
unset LD_PRELOAD LD_LIBRARY_PATH
exec "\$lib/ld-linux-x86-64.so.2" --inhibit-cache --library-path "\$lib" "\$root/usr/bin/$2" "\$@"
EOF
  chmod +x "$KITTENS_TOOLCHAIN/bin/$1"
}

intel_unpack() { # DIRECTORY ROOT
  local deb
  mkdir -p "$2"
  for deb in "$1"/archives/*.deb; do
    dpkg-deb -x "$deb" "$2"
    printf '%s %s\n' "$(dpkg-deb -f "$deb" Package)" "$(dpkg-deb -f "$deb" Version)" >>"$2/packages.txt"
  done
  rm -rf "$2"/usr/share/{doc,locale,lintian}
}

intel_ready() {
  [[ -x $KITTENS_TOOLCHAIN/bin/ocloc && -x $KITTENS_TOOLCHAIN/bin/iga64 && -f $KITTENS_TOOLCHAIN/intel/packages.txt ]]
}

intel_install() {
  local dir="$KITTENS_TOOLCHAIN/work/intel" suite chosen=() program
  [[ $(dpkg --print-architecture) == amd64 ]] || {
    fail "[intel] Debian has the Intel graphics compiler for amd64 only; inspect and xe modules for Intel GPUs need it"
    return 1
  }
  for suite in "${INTEL_SUITES[@]}"; do
    rm -rf "$dir"
    intel_write_apt_configuration "$dir" "$suite"
    intel_update "$dir" "$suite" || continue
    mapfile -t chosen < <(intel_choose "$dir")
    ((${#chosen[@]} == ${#INTEL_PACKAGES[@]})) && break
    chosen=()
  done
  ((${#chosen[@]})) || {
    fail "[intel] none of the suites ${INTEL_SUITES[*]} at $(intel_mirror) offers ${INTEL_PACKAGES[*]%%=*}"
    return 1
  }
  say "[intel] ${chosen[*]} from Debian $suite"
  logged intel apt-get -c "$dir/apt.conf" install -y --download-only "${chosen[@]}" || return 1
  intel_unpack "$dir" "$dir/root" || return 1
  rm -rf "$KITTENS_TOOLCHAIN/intel"
  mv "$dir/root" "$KITTENS_TOOLCHAIN/intel"
  program=$(find "$KITTENS_TOOLCHAIN/intel/usr/bin" -name 'ocloc*' -printf '%f\n' | sort -V | tail -n 1)
  intel_write_wrapper ocloc "$program"
  intel_write_wrapper iga64 iga64
  rm -rf "$dir"
  "$KITTENS_TOOLCHAIN/bin/ocloc" --version >/dev/null || {
    fail "[intel] ocloc is unpacked but does not start; see $KITTENS_TOOLCHAIN/log/intel.log"
    return 1
  }
}
