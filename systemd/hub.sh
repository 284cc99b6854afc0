# shellcheck shell=bash
# How install.sh --hub installs a hub of many tables (docs/hub.md), and removes it again; install.sh reads this file. A
# hub has its own program, user, settings and data: a table and a hub on one machine know nothing of each other.

HUB_UNIT=strada-hub.service
HUB_DATABASE=strada_hub
#: Asks which step of hub/migrations the database is at.
REVISION='SELECT version_num FROM alembic_version'
#: The PostgreSQL cluster that this script started itself.
woken=''
#: The broker and the database come from Debian; the hub starts its own broker.
HUB_PACKAGES=(ca-certificates mosquitto postgresql python3-numpy python3-venv)

# Makes everything that install.sh does apply to the hub, in the hub's places.
# shellcheck disable=SC2034 # install.sh and program.sh ask for these
hub_places() {
    PROGRAM=/opt/strada-hub
    DATA=/var/lib/strada-hub
    SETTINGS=/etc/strada/hub.toml
    COMMAND=/usr/local/bin/strada-hub
    LOCK=requirements-hub.lock
    TRIED=hub
    PACKAGES=("${HUB_PACKAGES[@]}") PI_PACKAGES=() NETWORK_PACKAGES=()
}

install_hub() {
    local checkout=$1 has_broker=''
    if is_installed mosquitto; then has_broker=yes; fi
    install_packages
    [[ -n $has_broker ]] || rest_broker
    install_program "$checkout"
    install_hub_user
    install_database
    install_hub_settings
    install_hub_unit "$checkout"
    copy_database
    [[ -z $woken ]] || rest_database
    start_hub
    settle
}

# Runs the version before. The database can only go forward: if the former version does not know its step, going back is
# refused.
go_back_hub() {
    # shellcheck disable=SC2034 # swap_program says in it which one ran
    local former now at
    former=$(readlink "$PROGRAM/.venv.former" || true)
    at=$(answer "$REVISION" "$HUB_DATABASE")
    [[ -z $at || ! -d $former ]] || has_step "$former" "revision = \"$at\"" ||
        fail "the database went forward to $at, which the former version does not know; docs/hub.md says how to go back"
    swap_program
    install_hub_unit "$former/guides"
    start_hub
    settle
}

# The package starts a broker of Debian's own. One that was there before belongs to somebody else, and stays.
rest_broker() {
    if systemctl --quiet is-enabled mosquitto.service 2>/dev/null; then
        systemctl --quiet disable mosquitto.service
        if is_booted; then systemctl --quiet stop mosquitto.service; fi
        changed broker "Debian's own does not run: the hub starts one for itself"
    fi
}

install_hub_user() {
    if make_user strada-hub "$DATA"; then changed users strada-hub; else say users "as they were"; fi
    if [[ -d $DATA ]]; then
        say data "as it was, in $DATA"
    else
        install -d -m 700 -o strada-hub -g strada-hub "$DATA"
        changed data "will lie in $DATA, and in the database $HUB_DATABASE"
    fi
}

as_postgres() { runuser -u postgres -- "$@"; }

# PostgreSQL's one-word answer, from that database or from its own; nothing if it does not run.
answer() { as_postgres psql -XAt --dbname="${2:-postgres}" -c "$1" 2>/dev/null || true; }

# If no systemd runs, as in an image, starts the cluster that came with the package for as long as this script takes.
wake_database() {
    local cluster
    if is_booted || [[ $(answer 'SELECT 1') == 1 ]]; then return; fi
    cluster=$(pg_lsclusters --no-header | awk 'NR == 1 {print $1, $2}')
    # shellcheck disable=SC2086 # its version and its name are two words
    if [[ -n $cluster ]] && pg_ctlcluster --skip-systemctl-redirect $cluster start; then woken=$cluster; fi
}

rest_database() {
    # shellcheck disable=SC2086 # as above
    pg_ctlcluster --skip-systemctl-redirect $woken stop
}

# Whether a program has a step of the database with that line in it.
has_step() { grep -qsxF "$2" "$1"/lib/python3*/site-packages/hub/migrations/versions/*.py; }

# Copies the database before a program starts that migrates it: there is no other way back.
copy_database() {
    local at copy
    at=$(answer "$REVISION" "$HUB_DATABASE") copy=$DATA/before.dump
    if [[ -z $at ]] || ! has_step "$PROGRAM/.venv" "down_revision = \"$at\""; then return; fi
    (umask 077 && as_postgres pg_dump --format=custom "$HUB_DATABASE" >"$copy.new") ||
        fail "the database cannot be copied before it goes forward; is there room in $DATA?"
    mv -f "$copy.new" "$copy"
    changed database "copied to $copy, as it was at $at"
}

# Makes a role that the system user of the same name may use without a password, and a database for it.
install_database() {
    local fresh=()
    wake_database
    [[ $(answer 'SELECT 1') == 1 ]] ||
        fail "PostgreSQL does not answer; start it (systemctl start postgresql) and run this again"
    if [[ $(answer "SELECT 1 FROM pg_roles WHERE rolname = 'strada-hub'") != 1 ]]; then
        as_postgres createuser strada-hub
        fresh+=("the role strada-hub")
    fi
    if [[ $(answer "SELECT 1 FROM pg_database WHERE datname = '$HUB_DATABASE'") != 1 ]]; then
        as_postgres createdb --owner=strada-hub --template=template0 --encoding=UTF8 "$HUB_DATABASE"
        fresh+=("the database $HUB_DATABASE")
    fi
    if ((${#fresh[@]})); then changed database "made ${fresh[*]}"; else say database "as it was"; fi
}

# Debian gives PostgreSQL another port if 5432 is taken when it is installed.
hub_settings() {
    local port
    port=$(answer 'SHOW port')
    cat <<END
# The hub's settings. Every key: hub/settings.py; after a change: sudo systemctl restart $HUB_UNIT
[hub]
name = "$(uname -n)"
folder = "$DATA"
[web]
host = "0.0.0.0"       # everybody in the local network may look; the port is 8700
[database]
url = "postgresql://strada-hub@/$HUB_DATABASE?host=/run/postgresql&port=${port:-5432}"
END
}

install_hub_settings() {
    if [[ -e $SETTINGS ]]; then say settings "as they were, in $SETTINGS"; return; fi
    # shellcheck disable=SC2154 # install.sh makes it
    hub_settings >"$scratch/settings"
    put "$scratch/settings" "$SETTINGS" 640
    if getent group strada-hub >/dev/null; then chgrp strada-hub "$SETTINGS"; fi
    changed settings "written to $SETTINGS"
}

install_hub_unit() {
    local unit=$1/systemd/hub/$HUB_UNIT is_new=''
    if [[ ! -e $UNITS/$HUB_UNIT ]] && enable "$unit"; then is_new=yes; fi
    if put "$unit" "$UNITS/$HUB_UNIT"; then is_new=yes; fi
    if [[ -n $is_new ]]; then changed units "installed and enabled $HUB_UNIT"; else say units "as they were"; fi
}

start_hub() {
    if ! is_booted; then say service "no systemd runs here: it starts with the machine"; return; fi
    systemctl daemon-reload
    # shellcheck disable=SC2154 # install.sh counts them
    if ((changes == 0)) && is_ready && systemctl --quiet is-active "$HUB_UNIT"; then
        say service "runs, as it did"
        return
    fi
    systemctl reset-failed "$HUB_UNIT" 2>/dev/null || true
    systemctl restart "$HUB_UNIT" || fail "the hub does not start; journalctl -u $HUB_UNIT -e says why"
    changed service "runs: http://$(uname -n).local:8700/; the code for the first account: journalctl -u $HUB_UNIT"
}

# Stops the hub and removes its program; its data is deleted only if that was asked for.
remove_hub() {
    # shellcheck disable=SC2154 # install.sh parses it
    [[ -z $purge ]] || may_purge
    if [[ -e $UNITS/$HUB_UNIT ]]; then remove_unit "$HUB_UNIT"; fi
    if is_booted; then systemctl daemon-reload; fi
    if [[ $(readlink "$COMMAND" || true) == "$PROGRAM/.venv/bin/strada" ]]; then
        rm -f "$COMMAND"
        changed command removed
    fi
    if [[ -e $PROGRAM ]]; then rm -rf "$PROGRAM"; changed program removed; fi
    if [[ -z $purge ]]; then
        say data "stays, in $DATA and the database $HUB_DATABASE; settings stay in $SETTINGS"
        return
    fi
    if [[ -e $DATA ]]; then rm -rf "$DATA"; changed data deleted; fi
    if [[ -e $SETTINGS ]]; then rm -f "$SETTINGS"; changed settings deleted; fi
    if [[ $(answer 'SELECT 1') == 1 ]]; then
        as_postgres dropdb --if-exists --force "$HUB_DATABASE"
        as_postgres dropuser --if-exists strada-hub
        changed database "$HUB_DATABASE was deleted"
    else
        say database "PostgreSQL does not answer; the database $HUB_DATABASE stays"
    fi
    if getent passwd strada-hub >/dev/null; then userdel strada-hub; changed users "removed strada-hub"; fi
}
