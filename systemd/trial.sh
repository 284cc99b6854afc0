# shellcheck shell=bash
# The trial of a new version, beside the one before; install.sh reads this file. The new version must answer that it is
# well for a minute, with the logbook open (healthy.py). Otherwise the one before goes on, with its units, and with the
# logbook as it was if the new version has migrated it. If the power fails meanwhile, strada-update.service finishes the
# trial.
#
# While a trial lasts, /opt/strada/trial says what to go back to; /opt/strada/update.json says how the last one ended.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
taken_back=''

is_on_trial() { [[ -e $PROGRAM/trial ]]; }
noted() { sed -n "s/^$1=//p" "$PROGRAM/trial"; }
version_of() { "$1/bin/strada" --version 2>/dev/null | grep -oE '[0-9][0-9a-zA-Z.+~-]*$' || echo unknown; }

# Notes what to go back to from that environment, before it runs. A first version has nothing to go back to, and if no
# systemd is running, nobody can watch the new one.
begin_trial() {
    local after=$1 before former copy health
    # shellcheck disable=SC2154 # install.sh parses it
    [[ -z $hub ]] && is_booted || return 0
    if is_on_trial && ! is_ready; then # the running version's trial never ended, so do not go back to it
        before=$(noted before) former=$(noted former) copy=$(noted copy) health=$(noted health)
    else
        before=$(readlink "$PROGRAM/.venv" || true) former=$(readlink "$PROGRAM/.venv.former" || true) copy=$(migrated)
        [[ -n $before && -e $before/ready ]] || return 0
        health=$(python3 -I "$HERE/healthy.py" now "$SETTINGS" || true)
    fi
    cat >"$PROGRAM/trial.new" <<END
after=$after
before=$before
former=$former
version=$(version_of "$after")
copy=$copy
health=$health
END
    sync "$PROGRAM/trial.new"
    mv -f "$PROGRAM/trial.new" "$PROGRAM/trial"
    ended begun kept ''
}

# Identifies the copy of an older logbook that is there: it is a different one once a version has migrated the logbook.
migrated() { stat -c '%i %Y %s' "$(folder_of_settings)/logbook.former.sqlite" 2>/dev/null || echo none; }

# The logbook's folder according to the settings, or else the usual one.
folder_of_settings() {
    python3 -I -c 'import sys, tomllib; print(tomllib.load(open(sys.argv[1], "rb"))["logbook"]["folder"])' "$SETTINGS" \
        2>/dev/null || echo "$DATA"
}

try_out() {
    local why=''
    # shellcheck disable=SC2154 # install.sh counts them
    if ((changes)) && ! start; then
        why="it does not start"
    else
        say trial "version $(noted version) must be well for a minute"
        why=$(python3 -I "$HERE/healthy.py" watch "$SETTINGS" "$(noted health)" 2>&1 | tail -n 1) || true
    fi
    if [[ -n $why ]]; then take_back "$why"; return; fi
    : >"$PROGRAM/.venv/ready"
    ended stays kept ''
    changed trial "version $(noted version) was well, and stays"
    rm -f "$PROGRAM/trial"
}

# Lets the version before go on as it was.
take_back() {
    local before former after database=kept
    taken_back=$1 before=$(noted before) former=$(noted former) after=$(noted after)
    changed trial "version $(noted version) is taken back: $taken_back"
    systemctl stop strada.service || true
    lead "$before" "$PROGRAM/.venv"
    if [[ -d $former && $former != "$before" ]]; then
        lead "$former" "$PROGRAM/.venv.former"
    else
        rm -f "$PROGRAM/.venv.former"
    fi
    units_of "$before" "$after"
    if [[ $(migrated) != "$(noted copy)" ]]; then
        if logbook_of_before "$before"; then database=restored; else database=failed; fi
        sed -i "s/^copy=.*/copy=$(migrated)/" "$PROGRAM/trial" # so that it is not done twice if the power fails now
    fi
    rm -f "$(folder_of_settings)/starts.failed" # those were the new version's failures
    ended taken-back "$database" "$taken_back"
    start || say service "the previous version does not start either; journalctl -u strada -e says why"
    rm -f "$PROGRAM/trial"
}

# Puts the logbook from before the migration in place of the migrated one, which is put aside.
logbook_of_before() {
    local folder
    folder=$(folder_of_settings)
    # shellcheck disable=SC2154 # install.sh makes it
    if runuser -u strada -- "$1/bin/strada" restore "$folder/logbook.former.sqlite" --data "$folder" \
        >"$scratch/log" 2>&1; then
        changed games "go on from the copy that was made before the new version changed the logbook"
    else
        say games "could not be brought back: $(tail -n 1 "$scratch/log" | cut -c 1-200)"
        return 1
    fi
}

# Notes how the trial ended, for the doctor and the page Keeper (companion/updates/outcome.py).
ended() {
    printf '{"outcome": "%s", "version": "%s", "database": "%s", "why": "%s", "at": "%s"}\n' \
        "$1" "$(noted version)" "$2" "$(tr -d '"\\\n' <<<"$3")" "$(date -u +%Y-%m-%dT%H:%M:%S+00:00)" >"$PROGRAM/update.json.new"
    mv -f "$PROGRAM/update.json.new" "$PROGRAM/update.json"
}

# Finishes a trial that a power cut, or anything else, cut off.
finish_trial() {
    is_on_trial || return 0
    if is_ready && [[ $(readlink "$PROGRAM/.venv") == "$(noted after)" ]]; then
        rm -f "$PROGRAM/trial" # it was over
    elif [[ $(readlink "$PROGRAM/.venv") == "$(noted after)" ]]; then
        install_names "$PROGRAM/.venv/guides"
        install_units "$PROGRAM/.venv/guides"
        bring_up
    else
        take_back "it was cut off before it began"
    fi
}
