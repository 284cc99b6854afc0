# shellcheck shell=bash
# How install.sh starts what it installed; it reads this file.

# Starts what is installed now, and only then removes older programs, except for the former one.
bring_up() {
    if is_on_trial; then try_out; else start || fail "Strada does not start; journalctl -u strada -e says why"; fi
    settle
}

settle() {
    is_ready || : >"$PROGRAM/.venv/ready"
    find "$PROGRAM" -maxdepth 1 -name 'venv-*' ! -path "$(readlink "$PROGRAM/.venv")" \
        ! -path "$(readlink "$PROGRAM/.venv.former" || true)" -exec rm -rf {} +
}

# Whether what is installed has started; if an update was cut off, it has not.
is_ready() { [[ -e $PROGRAM/.venv/ready ]]; }

# Succeeds if the service then runs and everything beside it has been told to start.
start() {
    local unit
    if ! is_booted; then say service "no systemd runs here: it starts with the machine"; return; fi
    systemctl daemon-reload
    # shellcheck disable=SC2154 # install.sh counts them
    if ((changes == 0)) && is_ready && systemctl --quiet is-active strada.service; then
        say service "runs, as it did"
        return
    fi
    systemctl reset-failed strada.service 2>/dev/null || true # if it failed too often, it is tried again
    systemctl restart strada.service || return 1
    restart_others
    for unit in "$UNITS"/*.wants/strada-*.{service,timer,path}; do
        [[ ! -L $unit || ${unit##*/} == "$HUB_UNIT" ]] || systemctl start --no-block "$(basename "$unit")"
    done
    changed service "runs: http://$(uname -n).local$(at "$(port_of_settings)")/"
}

# Restarts the other running units with what is installed now; waits for those that run the program itself.
restart_others() {
    local unit name how
    for unit in "$UNITS"/strada-*.service; do
        [[ -e $unit && ${unit##*/} != "$HUB_UNIT" ]] || continue
        name=$(basename "$unit") how=--no-block
        [[ $name != strada-update.service ]] || continue # it may be running this script
        if grep -q "^ExecStart=$PROGRAM/" "$unit"; then how=--quiet; fi
        [[ $name != strada-outside.service ]] || how=--no-block # a copy off this machine may take hours
        systemctl try-restart "$how" "$name" || say service "$name does not start; journalctl -u $name -e says why"
    done
}
