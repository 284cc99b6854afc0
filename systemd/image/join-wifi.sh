#!/bin/sh
# Joins the Wi-Fi that somebody wrote into strada-wifi.txt on the card's first partition, which any computer can open.
# NetworkManager keeps it in /data/networks from then on.
set -eu

file=${1:-/boot/firmware/strada-wifi.txt}
kept=${2:-/etc/NetworkManager/system-connections}

# The value after `word=`, without the carriage return that an editor on another system may leave.
told() { sed -n "s/^$1=//p" "$file" | tr -d '\r' | head -n 1; }

[ -r "$file" ] || exit 0
country=$(told country) name=$(told name) password=$(told password)
[ -n "$name" ] || exit 0
if [ "${#password}" -lt 8 ] || [ "${#password}" -gt 63 ]; then
    echo "strada-wifi.txt: the password has ${#password} characters; a Wi-Fi's has 8 to 63" >&2
    exit 1
fi
case $country in
    [A-Z][A-Z]) ;;
    *) echo "strada-wifi.txt: country is '$country'; it should be two large letters, such as DE" >&2; exit 1 ;;
esac
iw reg set "$country" 2>/dev/null || true
rfkill unblock wifi 2>/dev/null || true
umask 077
# Written whole or not at all. A value with spaces, quotes or a backslash is written as a string in GLib's key file
# format.
escaped() { printf '%s' "$1" | sed 's/\\/\\\\/g; s/^ /\\s/'; }
cat >"$kept/.strada-house.new" <<END
[connection]
id=strada-house
uuid=$(cat /proc/sys/kernel/random/uuid)
type=wifi

[wifi]
mode=infrastructure
ssid=$(escaped "$name")

[wifi-security]
key-mgmt=wpa-psk
psk=$(escaped "$password")

[ipv4]
method=auto

[ipv6]
method=auto
END
mv "$kept/.strada-house.new" "$kept/strada-house.nmconnection"
nmcli connection load "$kept/strada-house.nmconnection" 2>/dev/null || true
