# shellcheck shell=bash
# How install.sh undoes what it did; it reads this file. Games, tables and settings are deleted only if that was asked
# for.

remove_all() {
    local unit user packages=''
    [[ -z $purge ]] || may_purge
    for unit in "$UNITS"/strada.service "$UNITS"/strada-*.{service,timer,path}; do
        [[ ! -e $unit || ${unit##*/} == "$HUB_UNIT" ]] || remove_unit "${unit##*/}"
    done
    if is_booted; then systemctl daemon-reload; systemctl reset-failed 'strada*' 2>/dev/null || true; fi
    if [[ -e $SYSCTL ]]; then
        rm -f "$SYSCTL"
        if is_booted; then echo 1024 >/proc/sys/net/ipv4/ip_unprivileged_port_start || true; fi
        changed 'port 80' "may be served by root alone again"
    fi
    if [[ -e $AVAHI ]]; then rm -f "$AVAHI"; changed name "is no more announced"; fi
    if [[ -e $POLKIT ]]; then rm -f "$POLKIT"; changed wi-fi "none of the table's own any more"; fi
    forget_wi_fi
    if [[ $(readlink "$COMMAND" || true) == "$PROGRAM/.venv/bin/strada" ]]; then
        rm -f "$COMMAND"
        changed command "removed"
    fi
    [[ ! -e $PROGRAM/packages ]] || packages=$(sort -u "$PROGRAM/packages" | paste -sd' ')
    if compgen -G "$PROGRAM/venv-*" >/dev/null; then
        (cd "$PROGRAM" && rm -rf venv-* .venv .venv.new .venv.former .venv.former.new docs systemd LICENSE packages \
            trial update.json)
        rmdir --ignore-fail-on-non-empty "$PROGRAM"
        changed program "removed"
    fi
    for user in strada-kiosk strada-network; do
        if getent passwd $user >/dev/null; then userdel $user; changed users "removed $user"; fi
    done
    rm -rf "$KIOSK_DATA"
    [[ -z $packages ]] || say packages "stay, others may use them; to remove them: sudo apt remove $packages"
    if [[ -n $purge ]]; then
        purge_all
    else
        say games "stay, in $DATA, with their user strada; settings stay in $SETTINGS"
    fi
}

remove_unit() {
    if is_booted; then systemctl --quiet stop "$1" || true; fi
    rm -f "$UNITS/$1" "$UNITS"/*.wants/"$1"
    changed units "removed $1"
}

# Deletes NetworkManager's profile of the table's own Wi-Fi, with its password; an open Wi-Fi is closed.
forget_wi_fi() {
    local status=0
    [[ -x $NMCLI ]] || return 0
    "$NMCLI" --wait 10 connection delete "$PROFILE" >/dev/null 2>&1 || status=$?
    case $status in
        0) changed wi-fi "its name and password are forgotten" ;;
        10) ;; # there is no such profile
        *) say wi-fi "NetworkManager does not answer; if it kept a password: sudo nmcli connection delete $PROFILE" ;;
    esac
}

may_purge() {
    local answer
    [[ -z $yes ]] || return 0
    [[ -t 0 ]] || fail "--purge deletes all games in $DATA; add --yes where nobody can be asked"
    read -rp "This deletes all games, pictures, tables and settings. Type DELETE to do it: " answer
    [[ $answer == DELETE ]] || fail "nothing was removed"
}

purge_all() {
    if [[ -e $DATA ]]; then rm -rf "$DATA"; changed games "deleted, with tables and pictures"; fi
    if [[ -e $SETTINGS ]]; then
        rm -f "$SETTINGS" "$(dirname "$SETTINGS")/rclone.conf"
        rmdir --ignore-fail-on-non-empty "$(dirname "$SETTINGS")"
        changed settings deleted
    fi
    if getent passwd strada >/dev/null; then userdel strada; changed user "strada was removed"; fi
}
