#!/usr/bin/env bash
# Arranges how the card's system is kept, in the folder that build.sh made: what changes is on the data partition, in
# /data, and everything else is read only, under an overlay in memory. So if the plug is pulled, nothing in the system
# is half written.
set -Eeuo pipefail

when=$1 root=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

if [[ $when == before ]]; then
    # The firmware package needs these when it is set up.
    mkdir -p "$root/etc/default" "$root/boot/firmware"
    cp "$here/raspi-firmware" "$here/raspi-extra-cmdline" "$root/etc/default/"
    exit
fi

# Installs Strada, with nothing from this machine except the certificates by which its pip recognises the archive, if it
# has its own.
cp -r "$3" "$root/root/strada"
certificates=${PIP_CERT:-${SSL_CERT_FILE:-}}
[[ -z $certificates ]] || cp "$certificates" "$root/root/certificates.crt"
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root ${certificates:+PIP_CERT=/root/certificates.crt} \
    chroot "$root" /root/strada/systemd/install.sh --camera usb

# What is kept from one start to the next: where it is in /data, and where programs look for it.
kept=(
    program:/opt/strada
    games:/var/lib/strada
    settings:/etc/strada
    networks:/etc/NetworkManager/system-connections
    journal:/var/log/journal
)

mkdir -p "$root/data" "$root/var/log/journal" "$root/etc/NetworkManager/system-connections"
{
    echo "# What is on the card: docs/image.md. The root is named to the kernel, and overlayroot lays its overlay over it."
    echo "LABEL=STRADA-BOOT /boot/firmware vfat ro,nofail,noatime,umask=077 0 0"
    echo "LABEL=strada-data /data ext4 noatime,commit=5,errors=remount-ro 0 2"
    for each in "${kept[@]}"; do
        echo "/data/${each%%:*} ${each#*:} none bind,x-systemd.requires-mounts-for=/data 0 0"
    done
} >"$root/etc/fstab"
for each in "${kept[@]}"; do
    # Moved with its owner and its rights. The old place stays empty, because something is mounted over it.
    mv "$root${each#*:}" "$root/data/${each%%:*}"
    mkdir -p "$root${each#*:}"
done

# Only one evening's changes are in memory; what fstab mounts stays as it is.
echo 'overlayroot="tmpfs:recurse=0"' >"$root/etc/overlayroot.conf"
echo strada >"$root/etc/hostname"
printf '127.0.0.1 localhost\n127.0.1.1 strada\n::1 localhost ip6-localhost ip6-loopback\n' >"$root/etc/hosts"
# Nobody logs in until somebody gives root a password or a key, with the card in another machine.
chroot "$root" passwd --quiet --lock root
# Empty, so that each card gets its own at its first start (first-start.sh).
: >"$root/etc/machine-id"
rm -f "$root/var/lib/dbus/machine-id"
install -m 755 "$here/first-start.sh" "$root/usr/local/sbin/strada-first-start"
install -m 755 "$here/join-wifi.sh" "$root/usr/local/sbin/strada-join-wifi"
install -m 644 "$here"/strada-card-*.service "$root/etc/systemd/system/"
mkdir -p "$root/etc/systemd/system/multi-user.target.wants" "$root/etc/systemd/journald.conf.d"
for unit in "$here"/strada-card-*.service; do
    ln -sf "../$(basename "$unit")" "$root/etc/systemd/system/multi-user.target.wants/$(basename "$unit")"
done
printf '[Journal]\nStorage=persistent\nSystemMaxUse=200M\n' >"$root/etc/systemd/journald.conf.d/strada.conf"
install -m 644 "$here/wifi.txt" "$root/boot/firmware/strada-wifi.txt"
# The checkout is in /opt/strada by now; what was needed only to make the image is removed.
rm -rf "$root/root/strada" "$root/root/.cache" "$root/root/certificates.crt"
# Only now does the initial file system know the overlay.
chroot "$root" update-initramfs -u >/dev/null
rm -rf "$root/var/cache/apt"/*.bin "$root/var/lib/apt/lists"/*
