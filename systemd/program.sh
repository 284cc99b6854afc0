# shellcheck shell=bash
# The program and its environment: how it is made from what is locked, kept when a newer one comes, and gone back to;
# install.sh reads this file. `.venv` is the one that runs and `.venv.former` the one that ran before. In each, `guides`
# has its units and documents, and `ready` says that it has started since it was chosen.

# What distinguishes one program from another: every source file, Python and the system's numpy.
fingerprint() {
    local checkout=$1
    (
        cd "$checkout" || exit
        find "${SOURCES[@]}" -type f ! -path '*/__pycache__/*' -print0 | sort -z |
            xargs -0 sha256sum
        python3 -I -c 'import numpy, sys; print(sys.version, numpy.__version__)'
    ) | sha256sum | cut -c 1-12
}

# If the power fails, the previous program is there: the link names a new one only once it is complete.
install_program() {
    local checkout=$1 venv
    python3 -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "python3 is older than 3.11; take Raspberry Pi OS or Debian of the name bookworm, or newer"
    venv=$PROGRAM/venv-$(fingerprint "$checkout")
    if [[ $(readlink "$PROGRAM/.venv" || true) == "$venv" ]]; then
        say program "as it was"
    else
        [[ -e $venv/ready ]] || make_environment "$checkout" "$venv" # one that was left is still there
        # shellcheck disable=SC2154 # install.sh makes it
        must_run "$venv" || fail "Strada does not start: $(tail -n 1 "$scratch/log")"
        if put_guides "$checkout" "$venv"; then sync -f "$venv"; fi # complete, whenever the power fails
        begin_trial "$venv"
        run_from "$venv"
        changed program "installed into $venv"
    fi
    install_guides "$checkout"
    if [[ $(readlink "$COMMAND" || true) == "$PROGRAM/.venv/bin/strada" ]]; then
        say command "as it was"
    elif [[ -e $COMMAND ]]; then
        say command "$COMMAND is not this one's and was left; it is $PROGRAM/.venv/bin/strada"
    else
        mkdir -p "$(dirname "$COMMAND")"
        ln -sfn "$PROGRAM/.venv/bin/strada" "$COMMAND"
        changed command "strada, in $(dirname "$COMMAND")"
    fi
}

make_environment() {
    local checkout=$1 venv=$2
    rm -rf "$venv"
    mkdir -p "$scratch/checkout"
    tar -C "$checkout" --exclude=__pycache__ -c "${SOURCES[@]}" | tar -C "$scratch/checkout" -x
    python3 -I -m venv --system-site-packages "$venv"
    if ! install_locked "$venv" "$scratch/checkout" "$checkout/wheels"; then
        rm -rf "$venv"
        fail "pip cannot install Strada: $(reason)"
    fi
    sync -f "$venv"
}

# Installs what is locked, as wheels, by their hashes; then Strada, built with that and nothing else. The system's numpy
# is not locked, so nothing that would bring another numpy is let in. A Debian package contains the wheels, and then
# nothing is downloaded.
install_locked() {
    local pip=("$1/bin/pip" install --quiet --no-input --disable-pip-version-check) wheels=()
    [[ ! -d ${3:-} ]] || wheels=(--no-index --find-links "$3")
    "${pip[@]}" "${wheels[@]}" --require-hashes --only-binary :all: --requirement "$2/systemd/$LOCK" >"$scratch/log" 2>&1 &&
        "${pip[@]}" --no-index --no-deps --no-build-isolation "$2" >"$scratch/log" 2>&1
}

must_run() { "$1/bin/strada" "$TRIED" --help >"$scratch/log" 2>&1; }

# Lets everything run from that environment. The one before is kept if it ever started: a broken one is not.
run_from() {
    local before
    before=$(readlink "$PROGRAM/.venv" || true)
    rm -f "$1/ready"
    [[ -L $PROGRAM/.venv ]] || rm -rf "$PROGRAM/.venv" # one that was installed by hand
    lead "$1" "$PROGRAM/.venv"
    [[ -z $before || ! -e $before/ready ]] || lead "$before" "$PROGRAM/.venv.former"
}

lead() {
    ln -sfn "$1" "$2.new"
    mv -fT "$2.new" "$2"
}

# Installs the documents that the units name, the units, and the scripts that go back and remove everything again;
# succeeds if any of these was missing or different.
put_guides() {
    local checkout=$1 venv=$2 file mode fresh=''
    while read -r file; do
        mode=644
        [[ $file != *.sh ]] || mode=755
        if put "$checkout/$file" "$venv/guides/$file" "$mode"; then fresh=yes; fi
    done < <(cd "$checkout" && find LICENSE docs/*.md systemd -type f)
    [[ -n $fresh ]]
}

install_guides() {
    local checkout=$1 file fresh=''
    if put_guides "$checkout" "$PROGRAM/.venv"; then fresh=yes; fi
    for file in LICENSE docs systemd; do
        [[ ! -L $PROGRAM/$file ]] || continue
        rm -rf "${PROGRAM:?}/$file" # installed like that before the former version was kept
        ln -s ".venv/guides/$file" "$PROGRAM/$file"
        fresh=yes
    done
    if [[ -n $fresh ]]; then changed guides "in $PROGRAM/docs and $PROGRAM/systemd"; else say guides "as they were"; fi
}

# Lets everything run from the version before. The one that ran until now is kept in its place, however it ran. Sets the
# caller's `former` and `now` to the two.
swap_program() {
    former=$(readlink "$PROGRAM/.venv.former" || true) now=$(readlink "$PROGRAM/.venv" || true)
    [[ -d $former && $former != "$now" ]] || fail "there is no former version in $PROGRAM; one is kept from the next update on"
    must_run "$former" || fail "the former version does not start on this system: $(tail -n 1 "$scratch/log")"
    run_from "$former"
    lead "$now" "$PROGRAM/.venv.former"
    changed program "goes back to $former; $now is kept"
}

# Runs the version before, with its units; games, tables and settings stay as they are.
go_back() {
    local former now
    swap_program
    units_of "$former" "$now"
    rm -f "$PROGRAM/trial" # a person has decided
    bring_up
}

# Installs the units and names of one version in place of another's.
units_of() {
    local to=$1 from=$2 unit
    for unit in "$from"/guides/systemd/*.{service,timer,path}; do
        [[ -e $to/guides/systemd/${unit##*/} || ! -e $UNITS/${unit##*/} ]] || remove_unit "${unit##*/}"
    done
    # shellcheck disable=SC2034 # install_units asks for it
    [[ ! -e $UNITS/strada-kiosk.service ]] || kiosk=yes
    install_names "$to/guides"
    install_units "$to/guides"
}
