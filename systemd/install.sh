#!/usr/bin/env bash
# Installs Strada as a service on Raspberry Pi OS or Debian, and removes it again: systemd/README.md.
#
# Each step says in one line what it did, and leaves alone what is as it should be. So the script may be run again at
# any time, after an update or after it was cut off. Tests source this file and call its functions.
set -Eeuo pipefail
umask 022
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

PROGRAM=/opt/strada
DATA=/var/lib/strada
SETTINGS=/etc/strada/strada.toml
COMMAND=/usr/local/bin/strada
UNITS=/etc/systemd/system
SYSCTL=/etc/sysctl.d/80-strada.conf
AVAHI=/etc/avahi/services/strada.service
POLKIT=/etc/polkit-1/rules.d/80-strada-network.rules
NMCLI=/usr/bin/nmcli
#: What NetworkManager calls the table's own Wi-Fi (companion/network.py).
PROFILE=strada-access-point
KIOSK_DATA=/var/lib/strada-kiosk
#: What the program is made of, with its units and its lock; nothing else in the checkout is used.
SOURCES=(LICENSE README.md calibration companion hardware hub pyproject.toml simulator systemd vision)
#: numpy is the system's, because picamera2 is built for it, and no other may hide it.
PACKAGES=(avahi-daemon ca-certificates python3-numpy python3-venv)
#: Only in Raspberry Pi OS. libcamera-ipa controls exposure and colours. libcamera, which comes with picamera2, only
#: recommends it, but without it the camera module gives no picture.
PI_PACKAGES=(libcamera-ipa python3-lgpio python3-picamera2)
#: Debian's cage needs Xwayland to run, but does not depend on it.
KIOSK_PACKAGES=(cage curl fonts-dejavu-core xwayland)
#: For the table's own Wi-Fi (docs/network.md), if NetworkManager is there.
NETWORK_PACKAGES=(dnsmasq-base iw)
#: What pip may install, and the command that is used to try a program.
LOCK=requirements.lock TRIED=run
#: What a virtual environment needs, including what pip downloads into it.
FREE_MB=800
#: How long to wait for another installation, including its trial (trial.sh).
LOCK_S=900

camera='' kiosk='' hub='' former='' trial='' remove='' purge='' yes='' changes=0
scratch=''

usage() {
    cat <<END
Usage: sudo systemd/install.sh [--camera KIND] [--kiosk]
       sudo systemd/install.sh --hub
       sudo systemd/install.sh [--hub] --former
       sudo systemd/install.sh --trial
       sudo systemd/install.sh --remove [--hub] [--purge [--yes]]

Installs Strada from this checkout as a service that starts with the machine, or brings an installed one up to date.
If you run it again, it changes only what is not as it should be. It never overwrites games or settings.

  --camera KIND  the camera for new settings, if there are none yet: picamera2 (on a Raspberry Pi), usb, or virtual, a
                 drawn table that plays by itself (elsewhere)
  --kiosk        also shows the scoreboard on this machine's own screen, if it runs no desktop
  --hub          installs a hub of many tables instead, with Mosquitto and PostgreSQL from Debian (docs/hub.md)
  --former       goes back to the previous version, which was kept; run it once more to return to the newer one
  --trial        only finishes the trial of a new version, if it was cut off
  --remove       stops and removes the service and the program; keeps games, tables and settings
  --purge        with --remove: deletes games, tables and settings as well, after asking
  --yes          with --purge: does not ask
  --help         says this

Games and tables are in $DATA, settings in $SETTINGS.
END
}

say() { printf '%-10s %s\n' "$1:" "$2"; }
changed() { changes=$((changes + 1)); say "$@"; }
fail() { printf 'strada: %s\n' "$1" >&2; exit "${2:-1}"; }

parse() {
    while (($#)); do
        case $1 in
            --camera) (($# > 1)) || fail "--camera needs a kind: picamera2, usb or virtual" 2; camera=$2; shift ;;
            --camera=*) camera=${1#*=} ;;
            --kiosk) kiosk=yes ;;
            --hub) hub=yes ;;
            --former) former=yes ;;
            --trial) trial=yes ;;
            --remove) remove=yes ;;
            --purge) purge=yes ;;
            --yes) yes=yes ;;
            -h | --help) usage; exit 0 ;;
            *) fail "'$1' is no option; see $0 --help" 2 ;;
        esac
        shift
    done
    case $camera in
        '' | picamera2 | usb | virtual) ;;
        *) fail "--camera is '$camera'; it should be picamera2, usb or virtual" 2 ;;
    esac
    [[ -z $purge || -n $remove ]] || fail "--purge goes with --remove alone" 2
    [[ -z $yes || -n $purge ]] || fail "--yes goes with --purge alone" 2
    [[ -z $remove || -z $camera$kiosk$former ]] || fail "--remove takes no --camera, no --kiosk and no --former" 2
    [[ -z $hub || -z $camera$kiosk ]] || fail "--hub takes no --camera and no --kiosk" 2
    [[ -z $former || -z $camera$kiosk ]] || fail "--former takes no --camera and no --kiosk" 2
    [[ -z $trial || -z $camera$kiosk$hub$former$remove ]] || fail "--trial goes alone" 2
}

check_sources() {
    [[ -f $1/pyproject.toml && -d $1/companion ]] || fail "$1 is no checkout of Strada; run install.sh from one"
    [[ $1 != "$PROGRAM" ]] || fail "the checkout lies in $PROGRAM, where the program goes; move it elsewhere"
}

check_machine() {
    local architecture free_mb
    command -v apt-get >/dev/null || fail "there is no apt-get: this is for Raspberry Pi OS and Debian"
    architecture=$(dpkg --print-architecture)
    [[ $architecture == arm64 || $architecture == amd64 ]] ||
        fail "this system is $architecture; take the 64 bit image (arm64), for which there is OpenCV"
    free_mb=$(df --output=avail --block-size=1M "$(dirname "$PROGRAM")" | tail -n 1)
    ((free_mb >= FREE_MB)) || fail "$((free_mb)) MB are free for $PROGRAM; it needs $FREE_MB"
}

is_pi() { [[ -e /etc/rpi-issue ]] || grep -qs 'Raspberry Pi' /proc/device-tree/model; }
is_booted() { [[ -d /run/systemd/system ]]; }
# Whether dpkg runs this, for a package (deb/postinst): dpkg has taken care of the other packages, and nobody else may
# install any now.
is_packaged() { [[ -n ${DPKG_MAINTSCRIPT_PACKAGE:-} ]]; }
is_installed() { [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }
is_offered() { [[ -n $(apt-cache madison "$1" 2>/dev/null) ]]; }

# Copies a file if it is missing or different at its destination; succeeds if it was copied.
put() {
    ! cmp --silent "$1" "$2" || return 1
    install -D -m "${3:-644}" "$1" "$2.new"
    mv -f "$2.new" "$2"
}

install_packages() {
    local package missing=() absent=() wanted=("${PACKAGES[@]}")
    if is_packaged; then say packages "are those that Strada's own package names"; return; fi
    if is_pi; then wanted+=("${PI_PACKAGES[@]}"); fi
    if [[ -x $NMCLI ]]; then wanted+=("${NETWORK_PACKAGES[@]}"); fi
    if [[ -n $kiosk ]]; then
        wanted+=("${KIOSK_PACKAGES[@]}")
        [[ -x /usr/bin/chromium-browser ]] || wanted+=(chromium)
    fi
    for package in "${wanted[@]}"; do is_installed "$package" || missing+=("$package"); done
    if ((${#missing[@]} == 0)); then say packages "as they were"; return; fi
    apt-get update -qq >"$scratch/log" 2>&1 || true # if the lists are old, apt-get install says so
    wanted=()
    for package in "${missing[@]}"; do
        if is_offered "$package"; then wanted+=("$package"); else absent+=("$package"); fi
    done
    for package in "${absent[@]}"; do
        [[ " ${PI_PACKAGES[*]} " == *" $package "* ]] ||
            fail "apt knows no $package: $(reason)"
    done
    if ((${#wanted[@]})); then
        apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "${wanted[@]}" >"$scratch/log" 2>&1 ||
            fail "apt cannot install ${wanted[*]}: $(reason)"
        changed packages "installed ${wanted[*]}"
        mkdir -p "$PROGRAM"
        printf '%s\n' "${wanted[@]}" >>"$PROGRAM/packages"
    else
        say packages "as they were"
    fi
    ((${#absent[@]} == 0)) ||
        say packages "this system has no ${absent[*]}, which Raspberry Pi OS has: no camera module, no pins"
}

# Why apt or pip failed, according to its log.
reason() {
    if grep -qiE 'resolv|failed to establish|network is unreachable|timed out|failed to fetch' "$scratch/log"; then
        echo "the network is not reached; connect this machine and run it again"
    else
        grep -oE '(^E|ERROR|error): .*' "$scratch/log" | tail -n 1 | cut -c 1-200 | grep . || echo "it gave no reason"
    fi
}

# Makes the system user NAME with the folder HOME, in those of the groups that exist; succeeds if anything was changed.
make_user() {
    local name=$1 home=$2 group is_new=''
    shift 2
    if ! getent passwd "$name" >/dev/null; then
        useradd --system --user-group --home-dir "$home" --no-create-home --shell /usr/sbin/nologin "$name"
        is_new=yes
    fi
    for group in "$@"; do
        getent group "$group" >/dev/null || continue
        [[ " $(id -nG "$name") " == *" $group "* ]] || { usermod --append --groups "$group" "$name"; is_new=yes; }
    done
    [[ -n $is_new ]]
}

install_users() {
    local fresh=()
    # The groups that own GPIO pins and cameras in Raspberry Pi OS.
    if make_user strada "$DATA" gpio video; then fresh+=("strada (in $(id -nG strada))"); fi
    if make_user strada-network /; then fresh+=(strada-network); fi
    if [[ -n $kiosk ]] && make_user strada-kiosk "$KIOSK_DATA" video render input; then fresh+=(strada-kiosk); fi
    if ((${#fresh[@]})); then changed users "${fresh[*]}"; else say users "as they were"; fi
    if [[ -d $DATA ]]; then
        say games "as they were, in $DATA"
    else
        install -d -m 750 -o strada -g strada "$DATA"
        changed games "will lie in $DATA"
    fi
}

# The settings to begin with, for that camera and those pins.
settings() {
    cat <<END
# Strada's settings. Every key and its limits: companion/settings/__init__.py; after a change: sudo systemctl restart strada
[web]
host = "0.0.0.0"       # phones in the local network may look
port = 80              # http://NAME.local without a number; $AVAHI says it as well
[camera]
kind = "$1"     # "picamera2" is a camera module, "usb" a USB camera, "virtual" a table that is drawn and plays itself
[logbook]
folder = "$DATA"
[game]
rules = "standard"     # or "two-player", the official game for two, or "danger", Nick Danger's
[panel]
pins = "$2"         # "lgpio" are the Pi's pins, "mock" simulates lamps, buzzer and button, "auto" where there are none
# end of the settings: leave this line the last one; where it is missing, the file was cut off
END
}

install_settings() {
    local pins=auto
    if [[ -e $SETTINGS ]]; then say settings "as they were, in $SETTINGS"; return; fi
    if is_pi && is_installed python3-lgpio; then pins=lgpio; fi
    if [[ -z $camera ]]; then
        camera=virtual
        if is_pi && is_installed python3-picamera2; then camera=picamera2; fi
    fi
    settings "$camera" "$pins" >"$scratch/settings"
    put "$scratch/settings" "$SETTINGS"
    changed settings "written to $SETTINGS: camera $camera, pins $pins"
}

# The port that the settings name, or else 80.
port_of_settings() {
    python3 -I -c 'import sys, tomllib; print(int(tomllib.load(open(sys.argv[1], "rb"))["web"]["port"]))' "$SETTINGS" \
        2>/dev/null || echo 80
}

# How a port is written in an address.
at() { [[ $1 == 80 ]] || printf ':%s' "$1"; }

install_names() {
    local checkout=$1 port
    if put "$checkout/systemd/80-strada.conf" "$SYSCTL"; then
        if is_booted; then /usr/lib/systemd/systemd-sysctl "$SYSCTL" || true; fi
        changed 'port 80' "may be served without root, from $SYSCTL$(is_booted || echo ", at the next start")"
    else
        say 'port 80' "as it was"
    fi
    port=$(port_of_settings)
    sed "s|<port>80</port>|<port>$port</port>|" "$checkout/systemd/avahi/strada.service" >"$scratch/avahi"
    if put "$scratch/avahi" "$AVAHI"; then
        changed name "http://$(uname -n).local$(at "$port"), from $AVAHI"
    else
        say name "as it was"
    fi
    if put "$checkout/systemd/polkit/${POLKIT##*/}" "$POLKIT"; then
        changed wi-fi "the user strada-network may open one of the table's own, from $POLKIT"
    else
        say wi-fi "as it was"
    fi
}

# Installs every unit of the folder, but the screen's only with --kiosk. A new unit with an [Install] section is
# enabled; one that somebody has since disabled is not.
install_units() {
    local checkout=$1 unit name fresh=() enabled=()
    for unit in "$checkout"/systemd/*.{service,timer,path}; do
        name=$(basename "$unit")
        [[ -e $unit ]] || continue # there is no unit of that kind
        if [[ $name == strada-kiosk.service ]]; then
            [[ -n $kiosk ]] || continue
            screen "$unit" >"$scratch/$name"
            unit=$scratch/$name
        fi
        if [[ ! -e $UNITS/$name ]] && enable "$unit"; then enabled+=("$name"); fi
        if put "$unit" "$UNITS/$name"; then fresh+=("$name"); fi
    done
    if ((${#fresh[@]} || ${#enabled[@]})); then
        changed units "installed ${fresh[*]:-none}; enabled ${enabled[*]:-none}"
    else
        say units "as they were"
    fi
}

# The screen's unit, with the browser that is installed and the port in the settings.
screen() {
    local browser=/usr/bin/chromium
    [[ -x $browser || ! -x $browser-browser ]] || browser+=-browser
    sed "s|/usr/bin/chromium |$browser |; s|http://localhost/|http://localhost$(at "$(port_of_settings)")/|" "$1"
}

# Lets the unit start with the machine, whether or not systemd is running; succeeds if this is new.
enable() {
    local name target
    name=$(basename "$1")
    target=$(sed -n 's/^WantedBy=//p' "$1")
    [[ -n $target && ! -L $UNITS/$target.wants/$name ]] || return 1
    mkdir -p "$UNITS/$target.wants"
    ln -s "$UNITS/$name" "$UNITS/$target.wants/$name"
}

main() {
    local checkout
    checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
    parse "$@"
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    trap '((BASH_SUBSHELL)) || fail "line $LINENO of install.sh failed; what was done stays, it can be run again"' ERR
    [[ -z $hub ]] || hub_places
    ((EUID == 0)) || fail "this changes the system: run it with sudo"
    exec 9>/run/strada-install.lock
    flock --wait "$LOCK_S" 9 || fail "another installation is under way; try again once it is done"
    if [[ -n $remove && -n $hub ]]; then
        remove_hub
    elif [[ -n $remove ]]; then
        remove_all
    elif [[ -n $former && -n $hub ]]; then
        go_back_hub
    elif [[ -n $former ]]; then
        go_back
    elif [[ -n $trial ]]; then
        finish_trial
    else
        check_machine
        check_sources "$checkout"
        if [[ -n $hub ]]; then
            install_hub "$checkout"
        else
            install_packages
            install_program "$checkout"
            install_users
            install_settings
            install_names "$checkout"
            install_units "$checkout"
            bring_up
        fi
    fi
    # A package's script checks for this status: the version before goes on, so nothing is broken.
    # shellcheck disable=SC2154 # trial.sh sets it
    [[ -z $taken_back ]] || { sync; fail "the new version was taken back: $taken_back" 3; }
    if ((changes)); then sync; echo "Done."; else echo "Nothing was changed."; fi
}

# shellcheck source-path=SCRIPTDIR source=program.sh
. "$(dirname "${BASH_SOURCE[0]}")/program.sh"
# shellcheck source-path=SCRIPTDIR source=starting.sh
. "$(dirname "${BASH_SOURCE[0]}")/starting.sh"
# shellcheck source-path=SCRIPTDIR source=trial.sh
. "$(dirname "${BASH_SOURCE[0]}")/trial.sh"
# shellcheck source-path=SCRIPTDIR source=removal.sh
. "$(dirname "${BASH_SOURCE[0]}")/removal.sh"
# shellcheck source-path=SCRIPTDIR source=hub.sh
. "$(dirname "${BASH_SOURCE[0]}")/hub.sh"
if [[ ${BASH_SOURCE[0]} == "$0" ]]; then main "$@"; fi
