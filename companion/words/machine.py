"""What `strada doctor` and `strada network` say: what is so on this machine, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from babel.numbers import format_decimal
from babel.support import NullTranslations

from companion.board import Terrain, Tile
from companion.board.words import contents_from_words
from companion.words.catalogues import Message, catalogue, say
from companion.words.setting_up import TeachingVoice

# NOTE: strada network: {name} is the Wi-Fi's name.
OPENED = Message("The table's own Wi-Fi is open: {name}, password {password}")
JOIN = Message("First point a phone's camera at this code, and join the Wi-Fi.")
AT_WIFI = Message("This machine is in the network {name}.")
NO_NETWORK = Message("This machine is in no network.")
CLOSED = Message("The table's own Wi-Fi is closed.")
# NOTE: strada network: stands under a QR code with the scoreboard's address.
THEN = Message("The scoreboard is at {address}")
HERE_ALONE = Message("Only this machine sees the scoreboard: set host in the section web of the settings to 0.0.0.0.")

#: What a check is called, by its name: one or two words, at the beginning of a line.
CHECKS: Mapping[str, Message] = {
    "settings": Message("Settings"),
    "rights": Message("Permissions"),
    "service": Message("Service"),
    "room": Message("Free space"),
    "writing": Message("Writing"),
    # NOTE: strada doctor: whether what is written is still there after a power cut.
    "keeping": Message("Keeping"),
    # NOTE: strada doctor: the memory card or drive, and its health.
    "card": Message("Memory card"),
    "logbook": Message("Logbook"),
    # NOTE: strada doctor: the nightly copies of the logbook.
    "copies": Message("Copies"),
    "clock": Message("Clock"),
    "camera": Message("Camera"),
    # NOTE: strada doctor: the table that was set up, and how well it was taught.
    "table": Message("Table"),
    "pins": Message("Pins"),
    "heat": Message("Temperature"),
    "power": Message("Power supply"),
    "port": Message("Port"),
    "network": Message("Network"),
}

#: How grave a finding is: a word or two.
GRADES: Mapping[str, Message] = {
    # NOTE: strada doctor: in order, nothing is to be done.
    "ok": Message("good"),
    "note": Message("note"),
    "todo": Message("TO DO"),
    # NOTE: strada doctor: it cannot be told on this machine.
    "unknown": Message("unclear"),
}

#: What is so, by a finding's code.
FOUND: Mapping[str, Message] = {
    "failed": Message("This check could not be made: {why}"),
    "late": Message("This check did not end within {limit} seconds and was given up."),
    "hidden": Message("You may not look into {folder}."),
    "settings": Message("{file} can be used."),
    "settings-none": Message("There is no settings file: the defaults are in force."),
    # NOTE: {why} is what is wrong, and where, in English.
    "settings-bad": Message("The settings cannot be used: {why}"),
    "settings-last-good": Message("The settings cannot be used, and those that were good last are in force: {why}"),
    "rights": Message("{user}, whom the companion runs as, may do all that it must."),
    "rights-settings": Message("{user} may not read {file}."),
    "rights-folder": Message("{user} may not write to {folder}, where the games are to lie."),
    "rights-file": Message("{file} belongs to somebody else: {user} may not write it."),
    "rights-open": Message("Every user of this machine may write to {folder}."),
    "rights-home": Message("The service sees no home folders, and the games are to lie in {folder}."),
    "rights-device": Message("{user} may not use {device}: it is for the group {group}."),
    "service": Message("The service is running."),
    "service-restarted": Message(
        "The service is running; it was started again {count} time by itself.",
        "The service is running; it was started again {count} times by itself.",
    ),
    "service-restarting": Message(
        "The service ends again and again: {count} restart so far.",
        "The service ends again and again: {count} restarts.",
    ),
    # NOTE: {result} is systemd's own word, such as "watchdog" or "start-limit-hit".
    "service-failed": Message("The service has failed ({result}) and waits for you."),
    "service-bad-input": Message("The service does not start: it cannot use its settings."),
    "service-safe": Message("{failed} starts in a row have failed: Strada leaves out camera, lamps and button."),
    "service-stopped": Message("The service is stopped; it starts with the machine."),
    "service-disabled": Message("The service is installed, but does not start with the machine."),
    "service-none": Message("Strada is not installed as a service here."),
    "service-no-systemd": Message("No systemd runs here, so there are no services."),
    "service-unknown": Message("systemd does not say how the service is."),
    "room": Message("{free} GB are free for {folder}."),
    "room-little": Message("Only {free} MB are free for {folder}."),
    "room-none": Message("No more than {free} MB are free for {folder}: games may not be written down."),
    "room-files": Message("The disk of {folder} can take no more files."),
    "writing": Message("A small file was safe on the disk after {milliseconds} ms."),
    "writing-slow": Message("A small file was safe on the disk only after {milliseconds} ms."),
    "writing-late": Message("The disk of {folder} did not answer within ten seconds."),
    "writing-fails": Message("Nothing can be written to {folder}: {why}"),
    "writing-read-only": Message("{folder} is on a disk that can only be read."),
    "keeping": Message("What is written to {folder} is kept."),
    "keeping-read-only-root": Message("The system is read-only, and what is written to {folder} is kept."),
    "keeping-memory": Message("{folder} lies in memory: with the power all games are gone."),
    "keeping-read-only": Message("{folder} is on {point}, which is mounted read-only."),
    "keeping-unknown": Message("The machine does not say what is mounted where."),
    "card-sound": Message("The file system on {device} has noted no errors."),
    "card-life": Message("{device} has used up to {used} % of its life."),
    "card-worn": Message("{device} has used about {used} % of its life."),
    "card-worn-out": Message("{device} has used up its life."),
    "card-errors": Message(
        "The file system on {device} has noted {count} error.", "The file system on {device} has noted {count} errors."
    ),
    "card-unknown": Message("This card or drive does not say how it is."),
    "logbook": Message("It is sound and holds {count} game.", "It is sound and holds {count} games."),
    "logbook-none": Message("There is none yet: the first game begins it."),
    "logbook-drawn": Message("Games of the drawn table are not kept."),
    # NOTE: {process} is a process's number.
    "logbook-held": Message("A companion is running (process {process}) and looks after it itself."),
    "logbook-was-damaged": Message(
        "It is sound; of earlier damage {count} folder is left.",
        "It is sound; of earlier damage {count} folders are left.",
    ),
    "logbook-end-lost": Message("Its end is damaged; entries lost: {lost}."),
    "logbook-damaged": Message("The logbook in {folder} is damaged."),
    "logbook-gone": Message("The logbook in {folder} is gone, though games were written there."),
    # NOTE: {why} is technical, in English.
    "logbook-unfit": Message("It cannot be used: {why}"),
    "logbook-unread": Message("It cannot be read: {why}"),
    # NOTE: {made} is date and time.
    "copies": Message("The newest copy is of {made}."),
    "copies-early": Message("There is nothing to copy yet."),
    "copies-none": Message("There is no nightly copy of the logbook yet."),
    "copies-late": Message("The newest copy is of {made}, and the logbook has changed since."),
    "clock-kept": Message("It is {now}; the network sets the clock."),
    "clock-own": Message("It is {now}; the machine has a clock with a battery, and no network sets it."),
    "clock-alone": Message("It is {now}; nothing sets the clock."),
    "clock-unset": Message("The clock is not set: it says {now}."),
    "clock-behind": Message("It says {now}, but the newest entry of the logbook is of {newest}."),
    "clock-differs": Message("It is {now}, but the clock with the battery says {own}."),
    "camera": Message("It gives pictures of {width} x {height} pixels, the first after {seconds} s."),
    "camera-drawn": Message("The table is drawn: no camera is needed."),
    "camera-none": Message("The game is kept by hand: no camera is needed."),
    "camera-held": Message("The companion that is running (process {process}) has the camera."),
    "camera-missing": Message("There is no camera."),
    "camera-busy": Message("Another program has the camera."),
    "camera-silent": Message("The camera gives no picture."),
    "camera-frozen": Message("The camera shows the same picture over and over."),
    "camera-black": Message("The camera sees nothing but black."),
    # NOTE: {why} is what the system says, in English.
    "camera-fault": Message("The camera gives no picture: {why}"),
    "camera-library": Message("What cameras need is not installed: {why}"),
    "camera-files": Message("The camera of the settings cannot be used: {why}"),
    # NOTE: {folder} is the folder of a table that was set up.
    "table": Message("{folder}: each tile that was taught can be told from all others."),
    "table-drawn": Message("The table is drawn: there is nothing to teach."),
    "table-by-hand": Message("The game is kept by hand: no table is needed."),
    "table-none": Message("No table was set up yet."),
    "table-square": Message("{folder} can be opened."),
    # NOTE: {why} is what is wrong, and where, in English.
    "table-unfit": Message("The table cannot be learnt: {why}"),
    # NOTE: {pairs} are tiles that look alike, such as "town and city · hamlet and village".
    "table-alike": Message("{folder}: hard to tell apart: {pairs}."),
    # NOTE: {tiles} are tiles, with dots between them.
    "table-missing": Message("{folder}: not taught yet: {tiles}."),
    "table-under-cubes": Message("{folder}: taught only with merchants on top: {tiles}."),
    "pins": Message("The pins of this machine can be had ({machine})."),
    "pins-simulated": Message("Lamps, buzzer and button are simulated."),
    "pins-library": Message("This is a {machine}, but its pins cannot be had: they are simulated."),
    "pins-none": Message("The pins cannot be had: {why}"),
    "heat": Message("The processor has {degrees} °C."),
    "heat-warm": Message("The processor is warm: {degrees} °C."),
    "heat-hot": Message("The processor is too hot: {degrees} °C. It slows itself down."),
    "heat-unknown": Message("The machine does not say how warm it is."),
    "power": Message("The Pi has had enough power since it was started."),
    "power-low": Message("The Pi gets too little power at this moment."),
    "power-was-low": Message("The Pi has had too little power since it was started."),
    "power-slowed": Message("The Pi slows itself down because it is warm."),
    "power-was-slowed": Message("The Pi has slowed itself down for warmth since it was started."),
    "power-unknown": Message("This Pi does not say whether it gets enough power."),
    "power-no-pi": Message("This is no Raspberry Pi: nothing tells about its power."),
    "port": Message("Port {port} is free."),
    "port-ours": Message("A companion serves the scoreboard on port {port}."),
    "port-taken": Message("Another program has port {port}."),
    # NOTE: {program} is its name and its number.
    "port-taken-by": Message("Port {port} is taken by {program}."),
    "port-low": Message("{user} may not serve port {port}: on this machine ports below {least} are for root."),
    "port-host": Message("Nothing can be served at {host}: {why}"),
    "network": Message("Phones in the same network find the scoreboard at {address}"),
    "network-own": Message("The table has opened its own Wi-Fi, {name}."),
    "network-alone": Message("Only this machine sees the scoreboard."),
    "network-none": Message("This machine is in no network: no phone can see the scoreboard."),
    "network-public": Message("The service does not talk to the network of {address}, whose addresses are public."),
    "network-off": Message("This machine is in no network, and its Wi-Fi is switched off."),
}

_TRY_CAMERA = Message("Push its cable in again, at both ends, with the machine switched off.")
_POWER = Message("Use the Pi's own power supply and a short, thick cable; take off what it feeds by USB.")
_REPAIR = Message("Copy {folder} away. The next start saves what can be read, and says what is lost.")
_COOLING = Message("Give it air or a heat sink, and keep it out of the lamp's warmth.")
# NOTE: {pieces} are numbers of tiles, such as "2 × town · 1 × road of Red, forest →←".
_TEACH = Message("One photograph would help most, without merchants, on the page Set-up: {pieces}.")
_SERVICE_LOG = Message(
    "Read why: journalctl -u strada -e. Then: sudo systemctl reset-failed strada && sudo systemctl start strada"
)
_COPYING = Message(
    "The service makes one within 40 minutes of each start, and every night; by hand: strada backup --nightly"
)
_SET_CLOCK = Message("Connect it to the internet for a minute, or set it: sudo date MMDDhhmmYYYY")

#: What to do, by a finding's code; nothing for the codes that are missing.
ADVICE: Mapping[str, Message] = {
    "hidden": Message("Ask again with sudo."),
    "settings-bad": Message("Put that right in the file; a companion does not start with it."),
    "settings-last-good": Message("Put that right in the file, then: sudo systemctl restart strada"),
    "rights-settings": Message("sudo chmod a+r {file}"),
    "rights-folder": Message("sudo chown -R {user} {folder}"),
    "rights-file": Message("sudo chown -R {user} {folder}"),
    "rights-open": Message("sudo chmod o-w {folder}"),
    "rights-home": Message("Set folder in the section logbook of the settings to /var/lib/strada."),
    "rights-device": Message("sudo usermod -aG {group} {user}, then start the machine again."),
    "service-restarted": Message("Read why: journalctl -u strada -e"),
    "service-restarting": _SERVICE_LOG,
    "service-failed": _SERVICE_LOG,
    "service-bad-input": Message("Put the settings right, then: sudo systemctl start strada"),
    "service-safe": Message("Read why: journalctl -u strada -e. Then start everything again on the page Keeper."),
    "service-stopped": Message("To start it now: sudo systemctl start strada"),
    "service-disabled": Message("So that it does: sudo systemctl enable --now strada"),
    "room-little": Message("Take old backups and pictures away, or set pictures_mb lower in the settings."),
    "room-none": Message("Make room: take old backups and pictures away, or use a larger card."),
    "room-files": Message("Take away folders with very many files."),
    "writing-slow": Message("Such cards die soon: make a backup (strada backup), and use a new one."),
    "writing-late": Message("The card or drive may be dying: make a backup and use a new one."),
    "writing-fails": Message("Look at the disk; make a backup of what can still be read."),
    "writing-read-only": Message(
        "If that was not done on purpose, the card may be dying: make a backup and use a new one."
    ),
    "keeping-memory": Message(
        "Put the logbook's folder on a partition that can be written, and name it in the settings."
    ),
    "keeping-read-only": Message(
        "If that was not done on purpose, the card may be dying: make a backup and use a new one."
    ),
    "card-worn": Message("Make backups, and think of a new one."),
    "card-worn-out": Message("Make a backup and use a new one."),
    "card-errors": Message("Make a backup, then have the card checked on another machine (fsck), or use a new one."),
    "logbook-was-damaged": Message("A card that damages files should be replaced. Look into {folder}."),
    "logbook-end-lost": Message("The next start goes on where it ends, and keeps the damaged file beside it."),
    "logbook-damaged": _REPAIR,
    "logbook-gone": Message("If you have a backup, unpack it there; else the next start begins a new one."),
    "logbook-unfit": Message("Update Strada, or name another folder in the settings."),
    "copies-none": _COPYING,
    "copies-late": _COPYING,
    "clock-alone": Message("After a time without power it will be wrong, and so will the dates of games."),
    "clock-unset": _SET_CLOCK,
    "clock-behind": _SET_CLOCK,
    "clock-differs": Message("Set the one with the battery: sudo hwclock --systohc"),
    "camera-held": Message("The scoreboard says how it is. To try it here: sudo systemctl stop strada"),
    "camera-missing": _TRY_CAMERA,
    "camera-busy": Message("End that program; a companion that runs is one: sudo systemctl stop strada"),
    "camera-silent": _TRY_CAMERA,
    "camera-frozen": _TRY_CAMERA,
    "camera-black": Message("Take the cap off the lens, and switch the light on."),
    "camera-fault": _TRY_CAMERA,
    "camera-library": Message("Run the installer again."),
    "camera-files": Message("Put the section camera of the settings right."),
    "pins": Message("To try lamps, buzzer and button: strada panel test"),
    "pins-library": Message("Install what they need: sudo apt install python3-gpiozero python3-lgpio"),
    "pins-none": Message("On a Pi, sudo apt install python3-gpiozero python3-lgpio, elsewhere set pins to auto."),
    "table-none": Message("Set it up on the page Set-up."),
    "table-unfit": Message("Choose another table, or set this one up again, on the page Set-up."),
    "table-alike": _TEACH,
    "table-missing": _TEACH,
    "table-under-cubes": _TEACH,
    "heat-warm": _COOLING,
    "heat-hot": _COOLING,
    "power-low": _POWER,
    "power-was-low": _POWER,
    "power-slowed": _COOLING,
    "power-was-slowed": _COOLING,
    "port-taken": Message(
        "Which it is: sudo ss -ltnp. End it, or choose another port in the section web of the settings."
    ),
    "port-taken-by": Message("End it, or choose another port in the section web of the settings."),
    "port-low": Message("Choose port 8000, or: sudo sysctl net.ipv4.ip_unprivileged_port_start={port}"),
    "port-host": Message("Set host in the section web of the settings to 0.0.0.0."),
    "network-own": Message("How phones get into it: strada network"),
    "network-alone": Message("For phones: set host in the section web of the settings to 0.0.0.0."),
    # NOTE: [Service] and IPAddressAllow=any stay as they are: they are typed into a file.
    "network-public": Message(
        "Type into sudo systemctl edit strada: [Service] and, on a line of its own, IPAddressAllow=any; then: "
        "sudo systemctl restart strada"
    ),
    "network-off": Message("On a Pi set the Wi-Fi's country (sudo raspi-config); else: sudo rfkill unblock wifi"),
    "network-none": Message("Connect it by cable or Wi-Fi, or open a Wi-Fi of its own: strada network up"),
}

#: The last line.
ALL_WELL = Message("Nothing is to be done.")
SOMETHING = Message("To be done: {count}")

#: Facts that name tiles in the words of companion.board.words, each as it is said in a language.
TILES = ("tiles", "pairs", "pieces")
#: The fact that decides between one and several.
COUNTED = ("games", "aside", "restarts", "errors")


@dataclass(frozen=True, slots=True)
class DoctorVoice:
    """Says findings; raises BadInputError for a language that is not one of `LANGUAGES`."""

    language: str = "en"
    _catalogue: NullTranslations = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_catalogue", catalogue(self.language))

    def check(self, name: str) -> str:
        """Return what the check of that name is called."""
        return say(self._catalogue, CHECKS[name])

    def grade(self, grade: str) -> str:
        """Return the word for that grade."""
        return say(self._catalogue, GRADES[grade])

    def found(self, code: str, facts: Mapping[str, str | int | float]) -> str:
        """Return the sentence that says what is so."""
        return self._said(FOUND[code], facts)

    def advice(self, code: str, facts: Mapping[str, str | int | float]) -> str:
        """Return the sentence that says what to do; "" where there is nothing."""
        return self._said(ADVICE[code], facts) if code in ADVICE else ""

    def sum(self, to_do: int) -> str:
        """Return the last line: how much is to be done."""
        return say(self._catalogue, SOMETHING, to_do) if to_do else say(self._catalogue, ALL_WELL)

    def _said(self, message: Message, facts: Mapping[str, str | int | float]) -> str:
        count = next((int(facts[name]) for name in COUNTED if name in facts), 1)
        said = {name: self._fact(name, fact) for name, fact in facts.items()}
        return say(self._catalogue, message, count, **said)

    def _fact(self, name: str, fact: str | int | float) -> str:
        if not isinstance(fact, str):
            return self._number(fact)
        return self._tiles(name, fact) if name in TILES else fact

    def _tiles(self, name: str, words: str) -> str:
        """Return "town; city", "town / city" or "2 x town; 1 x city" in this language."""
        voice, parts = TeachingVoice(language=self.language), words.split("; ")
        if name == "pairs":
            pairs = [part.split(" / ") for part in parts]
            return " · ".join(voice.pair(_named(one), _named(other)) for one, other in pairs)
        if name == "pieces":
            pieces = [part.split(" x ") for part in parts]
            return voice.pieces((_tile(tile), int(number)) for number, tile in pieces)
        return voice.tiles([_tile(part) for part in parts])

    def _number(self, number: float) -> str:
        return format_decimal(number, "#,##0.#", locale=self.language)


def _named(words: str) -> Tile | Terrain:
    return Terrain(words) if words in set(Terrain) else _tile(words)


def _tile(words: str) -> Tile:
    tile = contents_from_words(words).tile
    assert tile is not None, words
    return tile
