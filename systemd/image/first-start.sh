#!/bin/sh
# What a card does when it first starts: its data partition grows to fill the card, and it gets a machine id of its own.
# Both stay, so this is done once. If the plug is pulled meanwhile, it is done again.
set -eu

done_mark=/data/.first-start
[ ! -e "$done_mark" ] || exit 0

device=$(readlink -f /dev/disk/by-label/strada-data)
name=${device#/dev/}
number=$(cat "/sys/class/block/$name/partition")
disk=/dev/$(basename "$(readlink -f "/sys/class/block/$name/..")")
growpart "$disk" "$number" || [ $? = 1 ] # 1: it is already as large as it can be
resize2fs "$device"

# The system's own file system is read only; this is the only time that it is written to.
lower=/media/root-ro
if [ -d "$lower/etc" ] && [ ! -s "$lower/etc/machine-id" ]; then
    mount -o remount,rw "$lower"
    cp /etc/machine-id "$lower/etc/machine-id"
    sync -f "$lower/etc/machine-id"
    mount -o remount,ro "$lower"
fi
: >"$done_mark"
sync -f "$done_mark"
