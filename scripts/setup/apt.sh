# SPDX-License-Identifier: Apache-2.0
# Compilers and libraries from the system's own package archive. The only part that needs root.
# shellcheck shell=bash

apt_describe() {
  echo "compilers and libraries: about 230 MB download, 1.2 GB in /usr (apt; needs root only if something is missing)"
}

apt_missing() { # PACKAGE...
  local installed name
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p') || true
  for name in "$@"; do
    grep -qxF "$name" <<<"$installed" || echo "$name"
  done
}

apt_ready() {
  [[ -z $(apt_missing "${APT_BUILD[@]}" "${APT_CLANG[@]}") ]]
}

# Names that the configured package sources know, one a line.
apt_available() { # PACKAGE...
  apt-cache policy "$@" | awk '/^[^ ].*:$/ {name = substr($1, 1, length($1) - 1)} /^  Candidate:/ && $2 != "(none)" {print name}'
}

apt_install() {
  local missing available wanted=() absent=() name root=()
  mapfile -t missing < <(apt_missing "${APT_BUILD[@]}" "${APT_CLANG[@]}")
  if ((EUID != 0)); then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
      root=(sudo)
    else
      fail "[apt] missing: ${missing[*]}. As root run: apt-get install --no-install-recommends ${missing[*]}"
      return 1
    fi
  fi
  root+=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  if ((EUID != 0)); then sudo -v || return 1; fi
  logged apt "${root[@]}" update || return 1
  available=$(apt_available "${missing[@]}")
  for name in "${missing[@]}"; do
    if grep -qxF "$name" <<<"$available"; then wanted+=("$name"); else absent+=("$name"); fi
  done
  if ((${#wanted[@]})); then
    say "[apt] installing ${wanted[*]}"
    logged apt "${root[@]}" install -y --no-install-recommends "${wanted[@]}" || return 1
  fi
  if ((${#absent[@]})); then
    note "[apt] this system's package sources do not offer: ${absent[*]} (Debian 12 has the clang-22 packages in its" \
      "security archive, Debian 13 in main)"
    for name in "${absent[@]}"; do
      if [[ " ${APT_BUILD[*]} " == *" $name "* ]]; then
        fail "[apt] $name is needed to build anything"
        return 1
      fi
    done
    note "[apt] without them: no modules for target xe and no inspect; targets cpu and emulated work"
  fi
}
