#!/bin/sh
# What this machine needs to build, run or test Sonobrush; read by scripts/run, scripts/package, scripts/test and
# scripts/screenshot.
#   . scripts/setup.sh; setup run|package|test
# On Debian and Ubuntu what is missing is installed, through sudo when not root; elsewhere it is named. When all is
# there, nothing is done. A Rust toolchain is the one thing that is expected.

has() { command -v "$1" >/dev/null 2>&1; }

has_library() {
  { /sbin/ldconfig -p 2>/dev/null || ldconfig -p 2>/dev/null; } | grep -q "$1"
}

# Whether some Vulkan driver has what it needs to answer: Mesa's software driver always does.
vulkan_answers() {
  [ -n "${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-}" ] && return 0
  for folder in /usr/share/vulkan/icd.d /etc/vulkan/icd.d /usr/local/share/vulkan/icd.d; do
    for file in "$folder"/*.json; do
      [ -e "$file" ] || continue
      case $file in
        *lvp*) return 0 ;;
        *nvidia*) [ -e /dev/nvidia0 ] && return 0 ;;
        *) ls /dev/dri/renderD* >/dev/null 2>&1 && return 0 ;;
      esac
    done
  done
  return 1
}

# Names, as Debian calls the packages, of what is missing.
missing_packages() {
  has cc && { ! has apt-get || [ -e /usr/include/stdio.h ]; } || echo "gcc libc6-dev"
  has pkg-config || echo pkg-config
  has c++ || echo g++
  has cmake || echo cmake
  has make || echo make
  pkg-config --exists alsa 2>/dev/null || echo libasound2-dev
  has_library libvulkan.so.1 || echo libvulkan1
  vulkan_answers || echo mesa-vulkan-drivers
  # What a window on X11 loads when it opens.
  has_library libxkbcommon-x11.so.0 || echo libxkbcommon-x11-0
  has_library libX11-xcb.so.1 || echo libx11-xcb1
  has_library libXcursor.so.1 || echo libxcursor1
  has_library libXi.so.6 || echo libxi6
  has_library libXrandr.so.2 || echo libxrandr2
  if [ "$1" = package ]; then
    has dpkg-shlibdeps || echo dpkg-dev
    has objcopy || echo binutils
    has rsvg-convert || echo librsvg2-bin
    has python3 || echo python3
  fi
  [ "$1" = test ] || return 0
  has Xvfb || echo xvfb
  has openbox || echo openbox
  has weston || echo weston
  has xdotool || echo xdotool
  has wmctrl || echo wmctrl
  has import || echo imagemagick
  has xdpyinfo || echo x11-utils
  has pulseaudio || echo pulseaudio
  has parec || echo pulseaudio-utils
  has strace || echo strace
  # OpenGL, and what builds the layer that makes Vulkan go wrong (tests/vulkan_faults).
  has_library libEGL.so.1 || echo libegl1
  has_library libEGL_mesa.so.0 || echo libegl-mesa0
  [ -e /usr/include/vulkan/vulkan.h ] || echo libvulkan-dev
  [ -e /usr/include/X11/Xlib-xcb.h ] || echo libx11-xcb-dev
  has setpriv || echo util-linux
  has flac || echo flac
  { has ffmpeg && has ffprobe; } || echo ffmpeg
  has sox || echo sox
  # For the long form of the tests.
  [ -z "${SONOBRUSH_LONG_TESTS:-}" ] || has praat || echo praat
  ls /usr/lib/*/alsa-lib/libasound_module_pcm_pulse.so >/dev/null 2>&1 || echo libasound2-plugins
  has python3 || echo python3
  # For the system's own Python, whichever other comes first on the path.
  /usr/bin/python3 -c 'import Xlib' 2>/dev/null || echo python3-xlib
}

# Installs packages, or says which ones are missing.
install_packages() {
  if ! has apt-get; then
    echo "Sonobrush needs these packages first (Debian names; your system's may differ): $*" >&2
    exit 1
  fi
  as_root=
  if [ "$(id -u)" != 0 ]; then
    has sudo || { echo "Sonobrush needs these packages first: $*" >&2; exit 1; }
    as_root=sudo
  fi
  echo "installing $*" >&2
  $as_root apt-get update -qq
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

# A second Vulkan driver, and Khronos' validation layer, out of Debian's chromium-common: 31 MB once, for the long form of
# scripts/test. Without network, or where there is no such package, what needs them is skipped, and says so.
fetch_swiftshader() {
  folder=${CARGO_TARGET_DIR:-$1/target}/swiftshader
  case $folder in /*) ;; *) folder=$PWD/$folder ;; esac
  [ -e "$folder/libvk_swiftshader.so" ] && return 0
  has apt-get && has dpkg-deb || { echo "SwiftShader comes from a Debian package; tests on it are skipped" >&2; return 0; }
  half=$(mktemp -d)
  # As root, apt would give the file to a user of its own.
  if (cd "$half" && apt-get download -o APT::Sandbox::User=root -qq chromium-common >/dev/null 2>&1 &&
    dpkg-deb -x chromium-common*.deb . && cd usr/lib/chromium &&
    mkdir -p "$folder" && cp libVkLayer_khronos_validation.so vk_swiftshader_icd.json "$folder" &&
    cp libvk_swiftshader.so "$folder/half" && mv "$folder/half" "$folder/libvk_swiftshader.so"); then
    echo "SwiftShader is in $folder" >&2
  else
    echo "SwiftShader could not be fetched (Debian package chromium-common); tests on it are skipped" >&2
  fi
  rm -rf "$half"
}

# A toolchain at least as new as Cargo.toml asks for.
check_rust() {
  wanted=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' "$1/Cargo.toml")
  [ -x "$HOME/.cargo/bin/cargo" ] && PATH=$PATH:$HOME/.cargo/bin
  if ! has cargo; then
    echo "Sonobrush needs Rust $wanted or newer, but cargo was not found; install it from https://rustup.rs." >&2
    exit 1
  fi
  found=$(cargo --version | sed 's/^cargo \([0-9.]*\).*/\1/')
  if [ "$(printf '%s\n%s\n' "$wanted" "$found" | sort -t. -k1,1n -k2,2n -k3,3n | head -n 1)" != "$wanted" ]; then
    echo "Sonobrush needs Rust $wanted or newer, but cargo is $found; update it with 'rustup update'." >&2
    exit 1
  fi
}

# setup run|test ROOT
setup() {
  check_rust "$2"
  if [ "$(uname)" = Linux ]; then
    missing=$(missing_packages "$1" | tr '\n' ' ')
    # Split into words on purpose.
    # shellcheck disable=SC2086
    [ -z "$missing" ] || install_packages $missing
    [ "$1" != test ] || fetch_swiftshader "$2"
  fi
}
