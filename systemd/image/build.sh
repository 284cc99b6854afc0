#!/usr/bin/env bash
# Makes a card to boot: Debian for the Raspberry Pi (arm64) with Strada in it, as one file (docs/image.md).
#
# Debian's packages are unpacked and set up by mmdebstrap, which runs arm64 programs through qemu. No disk is mounted:
# file systems are written into files, and these are put after a partition table.
set -Eeuo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
CHECKOUT=$(cd "$HERE/../.." && pwd -P)
#: What a table's Pi needs from Debian in addition to what install.sh asks for.
PACKAGES=(
    systemd-sysv systemd-timesyncd udev dbus kmod initramfs-tools zstd e2fsprogs dosfstools cloud-guest-utils
    linux-image-arm64 raspi-firmware firmware-brcm80211 wireless-regdb rfkill
    network-manager wpasupplicant dnsmasq-base iw polkitd libnss-mdns avahi-daemon
    python3-venv python3-numpy ca-certificates libcamera-ipa
    overlayroot busybox # overlayroot needs its grep before the system is there
)
#: Where the first partition starts. The size of the firmware partition; the spare room in the system partition; the
#: size of the data partition, which grows to fill the card at the first start. All in MB.
START_MB=4 FIRMWARE_MB=256 SPARE_MB=160 DATA_MB=1200

out=build/strada-arm64.img suite=trixie mirror=http://deb.debian.org/debian

usage() {
    cat <<END
Usage: sudo systemd/image/build.sh [--out FILE] [--suite SUITE] [--mirror ADDRESS]

Makes an image for the card of a Raspberry Pi 3, 4 or 5, with this checkout's committed Strada in Debian.

  --out FILE        the image; $out
  --suite SUITE     Debian's name: $suite, or a newer one
  --mirror ADDRESS  where Debian's packages come from; $mirror
END
}

fail() { printf 'strada: %s\n' "$1" >&2; exit "${2:-1}"; }
say() { printf '%-10s %s\n' "$1:" "$2"; }

parse() {
    while (($#)); do
        case $1 in
            --out | --suite | --mirror) (($# > 1)) || fail "$1 needs a word after it; see --help" 2 ;;&
            --out) out=$2; shift ;;
            --suite) suite=$2; shift ;;
            --mirror) mirror=$2; shift ;;
            -h | --help) usage; exit 0 ;;
            *) fail "'$1' is no option; see $0 --help" 2 ;;
        esac
        shift
    done
}

check_machine() {
    local tool lacking=() packages=()
    local -A of=([mmdebstrap]=mmdebstrap [mke2fs]=e2fsprogs [mformat]=mtools [mcopy]=mtools [sfdisk]=fdisk
        [mkfs.vfat]=dosfstools [qemu-aarch64-static]=qemu-user-static [git]=git)
    for tool in "${!of[@]}"; do
        command -v "$tool" >/dev/null || { lacking+=("$tool"); packages+=("${of[$tool]}"); }
    done
    ((${#lacking[@]} == 0)) || fail "${lacking[*]} are not installed: sudo apt install ${packages[*]}"
    ((EUID == 0)) || fail "a system is made by root alone: run it with sudo"
    [[ $(uname -m) == aarch64 || -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]] ||
        fail "this kernel runs no arm64 programs: sudo apt install qemu-user-static binfmt-support"
}

# Makes the system as it is when it starts: Debian, Strada, and the places where changes are kept.
make_system() {
    local root=$1
    mkdir -p "$scratch/checkout"
    git -C "$CHECKOUT" archive HEAD | tar -x -C "$scratch/checkout"
    mmdebstrap --architectures=arm64 --variant=apt --include="$(IFS=,; echo "${PACKAGES[*]}")" \
        --components=main,non-free-firmware --aptopt='Apt::Install-Recommends "false"' \
        --aptopt='#clear DPkg::Pre-Install-Pkgs;' `# debconf's questions, which nobody answers here: slow by emulation` \
        --dpkgopt='force-confold' --dpkgopt='force-unsafe-io' \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' \
        --setup-hook="'$HERE/settle.sh' before \"\$1\"" \
        --customize-hook="'$HERE/settle.sh' after \"\$1\" '$scratch/checkout'" \
        "$suite" "$root" "$mirror" >"${out%.img}.log" 2>&1 ||
        fail "the system cannot be made, ${out%.img}.log says why: $(grep -E '^(E:|dpkg: error)' "${out%.img}.log" | head -n 1)"
    say system "Debian $suite with Strada, $(du -sm --one-file-system "$root" | cut -f 1) MB"
}

# Makes an ext4 file system, named LABEL, with what is in FOLDER, of so many MB.
ext4() { mke2fs -q -t ext4 -L "$1" -E root_owner=0:0 -d "$2" "$3" "${4}M"; }

# Puts the three parts one after another, with a partition table that a Pi 3 can read too.
assemble() {
    local root=$1 system_mb at
    mkdir -p "$scratch/data"
    mv "$root/data"/* "$scratch/data/"
    system_mb=$(($(du -sm --one-file-system "$root" | cut -f 1) * 108 / 100 + SPARE_MB))
    truncate -s "${FIRMWARE_MB}M" "$scratch/firmware.img"
    mkfs.vfat -F 32 -n STRADA-BOOT "$scratch/firmware.img" >/dev/null
    mcopy -s -i "$scratch/firmware.img" "$root/boot/firmware"/* ::
    rm -rf "${root:?}/boot/firmware"/*
    ext4 strada-system "$root" "$scratch/system.img" "$system_mb"
    ext4 strada-data "$scratch/data" "$scratch/data.img" "$DATA_MB"
    rm -f "$out"
    truncate -s "$((START_MB + FIRMWARE_MB + system_mb + DATA_MB))M" "$out"
    at=$START_MB
    sfdisk -q "$out" <<END
label: dos
start=${at}MiB, size=${FIRMWARE_MB}MiB, type=c, bootable
start=$((at + FIRMWARE_MB))MiB, size=${system_mb}MiB, type=83
start=$((at + FIRMWARE_MB + system_mb))MiB, size=${DATA_MB}MiB, type=83
END
    for part in firmware system data; do
        dd if="$scratch/$part.img" of="$out" bs=1M seek="$at" conv=notrunc,sparse status=none
        at=$((at + $(stat -c %s "$scratch/$part.img") / 1048576))
    done
    say image "$out, $(($(stat -c %s "$out") / 1000000)) MB, $(du -m "$out" | cut -f 1) MB of them written"
}

main() {
    parse "$@"
    check_machine
    mkdir -p "$(dirname "$out")"
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/strada-image-XXXXXX")
    trap 'rm -rf --one-file-system "$scratch"' EXIT
    make_system "$scratch/root"
    # What qemu starts it with: a Pi's firmware reads the same files from the first partition.
    install -D -m 644 "$scratch/root/boot"/vmlinuz-* "${out%.img}.vmlinuz"
    install -D -m 644 "$scratch/root/boot"/initrd.img-* "${out%.img}.initrd"
    assemble "$scratch/root"
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then main "$@"; fi
