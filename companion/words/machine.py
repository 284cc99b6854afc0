"""What `strada doctor` and `strada network` say: how things are on this machine, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping

from companion.words.catalogues import Message

# NOTE: strada network: {name} is the Wi-Fi's name.
OPENED = Message("The table’s own Wi-Fi is on: {name}, password {password}")
JOIN = Message("First point a phone’s camera at this code to connect to the Wi-Fi.")
AT_WIFI = Message("This machine is on the network {name}.")
NO_NETWORK = Message("This machine is not on any network.")
CLOSED = Message("The table’s own Wi-Fi is off.")
# NOTE: strada network: stands under a QR code with the scoreboard's address.
THEN = Message("The scoreboard is at {address}")
HERE_ALONE = Message(
    "Only this machine can see the scoreboard. In the settings, in the section web, set host to 0.0.0.0."
)

#: The name of each check: one or two words, at the beginning of a line.
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
    # NOTE: strada doctor, and the Keeper page: the copies away from this machine.
    "away": Message("Copies elsewhere"),
    # NOTE: strada doctor, and the Keeper page: whether a newer version of Strada is out.
    "news": Message("Updates"),
    # NOTE: strada doctor, and the Keeper page: how the last update of Strada ended.
    "update": Message("Last update"),
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

#: How serious a finding is: a word or two.
GRADES: Mapping[str, Message] = {
    # NOTE: strada doctor: in order, nothing is to be done.
    "ok": Message("good"),
    "note": Message("note"),
    "todo": Message("TO DO"),
    # NOTE: strada doctor: it cannot be told on this machine.
    "unknown": Message("unknown"),
}

#: How things are, by a finding's code.
FOUND: Mapping[str, Message] = {
    "failed": Message("This check did not work: {why}"),
    "late": Message("This check took more than {limit} seconds and was stopped."),
    "hidden": Message("You are not allowed to look into {folder}."),
    "settings": Message("{file} can be used."),
    "settings-none": Message("There is no settings file, so the defaults are in use."),
    # NOTE: {why} is what is wrong, and where, in English.
    "settings-bad": Message("The settings cannot be used: {why}"),
    "settings-last-good": Message("The settings cannot be used, so the last good ones are in use: {why}"),
    "rights": Message("Strada runs as {user}, who has all the permissions it needs."),
    "rights-settings": Message("{user} is not allowed to read {file}."),
    "rights-folder": Message("{user} is not allowed to write to {folder}, where the games are kept."),
    "rights-file": Message("{file} belongs to somebody else, so {user} is not allowed to write to it."),
    "rights-open": Message("Every user of this machine may write to {folder}."),
    "rights-home": Message("The service cannot see home folders, but the games are kept in {folder}."),
    "rights-device": Message("{user} is not allowed to use {device}: it is only for the group {group}."),
    "service": Message("The service is running."),
    "service-restarted": Message(
        "The service is running. It has restarted itself {count} time.",
        "The service is running. It has restarted itself {count} times.",
    ),
    "service-restarting": Message(
        "The service keeps stopping: {count} restart so far.",
        "The service keeps stopping: {count} restarts so far.",
    ),
    # NOTE: {result} is systemd's own word, such as "watchdog" or "start-limit-hit".
    "service-failed": Message("The service has failed ({result}) and will not restart by itself."),
    "service-bad-input": Message("The service does not start, because it cannot use its settings."),
    "service-safe": Message("{failed} starts in a row have failed, so Strada runs without camera, lamps and button."),
    "service-stopped": Message("The service is stopped. It starts when the machine starts."),
    "service-disabled": Message("The service is installed, but it does not start when the machine starts."),
    "service-none": Message("Strada is not installed as a service here."),
    "service-no-systemd": Message("This machine does not run systemd, so there are no services."),
    "service-unknown": Message("systemd does not say whether the service is running."),
    "room": Message("{free} GB are free for {folder}."),
    "room-little": Message("Only {free} MB are free for {folder}."),
    "room-none": Message("Only {free} MB are free for {folder}. Games may not be saved."),
    "room-files": Message("The disk that holds {folder} cannot take any more files."),
    "writing": Message("It took {milliseconds} ms to write a small file safely to the disk."),
    "writing-slow": Message("The disk is slow: it took {milliseconds} ms to write a small file safely."),
    "writing-late": Message("The disk that holds {folder} did not answer within ten seconds."),
    "writing-fails": Message("Nothing can be written to {folder}: {why}"),
    "writing-read-only": Message("{folder} is on a read-only disk."),
    "keeping": Message("Files in {folder} survive a power cut."),
    "keeping-read-only-root": Message("The system is read-only, and files in {folder} survive a power cut."),
    "keeping-memory": Message("{folder} is in memory: all games are lost when the power goes."),
    "keeping-read-only": Message("{folder} is on {point}, which is mounted read-only."),
    "keeping-unknown": Message("The machine does not say what is mounted where."),
    "card-sound": Message("The file system on {device} has recorded no errors."),
    "card-life": Message("{device} has used up to {used} % of its life."),
    "card-worn": Message("{device} has used about {used} % of its life."),
    "card-worn-out": Message("{device} has used up its life."),
    "card-errors": Message(
        "The file system on {device} has recorded {count} error.",
        "The file system on {device} has recorded {count} errors.",
    ),
    "card-unknown": Message("This card or drive does not report its health."),
    "logbook": Message("It is undamaged and holds {count} game.", "It is undamaged and holds {count} games."),
    "logbook-none": Message("There is none yet. It begins with the first game."),
    "logbook-drawn": Message("The drawn table’s games are not kept."),
    # NOTE: {process} is a process's number.
    "logbook-held": Message("Strada is running (process {process}) and looks after the logbook itself."),
    "logbook-was-damaged": Message(
        "It is undamaged. {count} folder is left from earlier damage.",
        "It is undamaged. {count} folders are left from earlier damage.",
    ),
    "logbook-copy": Message(
        "The last copy from before a loss has {count} game, or moves of it, that the logbook lacks.",
        "The last copy from before a loss has {count} games, or moves of them, that the logbook lacks.",
    ),
    "logbook-end-lost": Message("Its end is damaged. Entries lost: {lost}."),
    "logbook-damaged": Message("The logbook in {folder} is damaged."),
    "logbook-gone": Message("The logbook in {folder} is gone, although games were saved there."),
    # NOTE: {why} is technical, in English.
    "logbook-unfit": Message("It cannot be used: {why}"),
    "logbook-unread": Message("It cannot be read: {why}"),
    # NOTE: {made} is date and time.
    "copies": Message("The newest copy is from {made}."),
    "copies-early": Message("There is nothing to copy yet."),
    "copies-none": Message("There is no nightly copy of the logbook yet."),
    "copies-late": Message("The newest copy is from {made}, and the logbook has changed since then."),
    # NOTE: {made} is date and time, or a dash where there is no copy yet.
    "away": Message("The newest copy away from this machine is from {made}."),
    "away-off": Message("Every copy is on this machine. If its card dies, all games are lost."),
    "away-none": Message("No copy away from this machine has been made yet."),
    "away-late": Message("The newest copy away from this machine is from {made}, and games have been played since."),
    # NOTE: {place} is a folder, or what a USB stick is called.
    "away-absent": Message("The games could not be copied: {place} is not there. Newest copy there: {made}."),
    "away-unmounted": Message("The games could not be copied: {place} is not mounted. Newest copy there: {made}."),
    "away-program": Message("The games could not be copied: {program} is not installed. Newest copy there: {made}."),
    "away-full": Message("The games could not be copied: there is no room. Newest copy there: {made}."),
    "away-unfinished": Message("The copy that began at {at} has not been finished. Newest copy there: {made}."),
    # NOTE: {why} is technical, in English.
    "away-failed": Message("The games could not be copied: {why}. Newest copy there: {made}."),
    "news": Message("Version {version} is the newest."),
    "news-off": Message("You have version {version}. Strada does not look for newer ones."),
    "news-early": Message("You have version {version}. Strada has not looked for a newer one yet."),
    "news-out": Message("Version {newest} is out; you have {version}."),
    # NOTE: {why} is technical, in English.
    "news-failed": Message("Strada could not find out whether there is a newer version: {why}"),
    "update-none": Message("You have version {version}. No update has been tried out yet."),
    "update-stays": Message("Version {version} was tried out ({at}) and stays."),
    "update-begun": Message("Version {version} is being installed and tried out (since {at})."),
    # NOTE: in these five {why} is technical, in English; {own} is the version that goes on, {at} a date and time.
    "update-taken-back": Message("Version {version} was taken back ({at}): {why}. Version {own} goes on."),
    "update-restored": Message(
        "Version {version} was taken back ({at}): {why}. Version {own} goes on, with the logbook from before it."
    ),
    "update-logbook": Message(
        "Version {version} was taken back ({at}): {why}. The logbook from before the update could not be brought back."
    ),
    "update-unsought": Message("Updates could not be looked for or fetched: {why}"),
    "update-refused": Message("An update was refused ({at}): {why}. Version {own} goes on."),
    "update-failed": Message("Version {version} could not be installed ({at}): {why}. Version {own} goes on."),
    "clock-kept": Message("It is {now}. The network sets the clock."),
    "clock-own": Message("It is {now}. The machine has its own battery clock, and no network sets it."),
    "clock-alone": Message("It is {now}. Nothing sets the clock."),
    "clock-unset": Message("The clock is not set: it says {now}."),
    "clock-behind": Message("It says {now}, but the newest entry in the logbook is from {newest}."),
    "clock-differs": Message("It is {now}, but the battery clock says {own}."),
    "camera": Message("It takes pictures of {width} x {height} pixels, the first after {seconds} s."),
    "camera-drawn": Message("The table is drawn, so no camera is needed."),
    "camera-none": Message("The game is kept by hand, so no camera is needed."),
    "camera-held": Message("Strada is running (process {process}) and is using the camera."),
    "camera-missing": Message("There is no camera."),
    "camera-busy": Message("Another program is using the camera."),
    "camera-silent": Message("There is no picture from the camera."),
    "camera-frozen": Message("The camera keeps sending the same picture."),
    "camera-black": Message("The camera sees only black."),
    # NOTE: {why} is what the system says, in English.
    "camera-fault": Message("There is no picture from the camera: {why}"),
    "camera-library": Message("The software for cameras is not installed: {why}"),
    "camera-files": Message("The camera named in the settings cannot be used: {why}"),
    # NOTE: {folder} is the folder of a table that was set up.
    "table": Message("{folder}: every tile can be told apart from all others."),
    "table-drawn": Message("The table is drawn, so there is nothing to teach."),
    "table-by-hand": Message("The game is kept by hand, so no table is needed."),
    "table-none": Message("No table has been set up yet."),
    "table-square": Message("{folder} can be opened."),
    # NOTE: {why} is what is wrong, and where, in English.
    "table-unfit": Message("The table’s folder cannot be used: {why}"),
    # NOTE: {cells} are names of cells, such as "G7, G8".
    "table-veiled": Message("{folder}: a lamp or a window was reflected in the board at the set-up: {cells}."),
    # NOTE: {pairs} are tiles that look alike, such as "town and city · hamlet and village".
    "table-alike": Message("{folder}: hard to tell apart: {pairs}."),
    # NOTE: {tiles} are tiles, with dots between them.
    "table-missing": Message("{folder}: not taught yet: {tiles}."),
    "table-under-cubes": Message("{folder}: taught only with merchants on top: {tiles}."),
    "pins": Message("This machine’s pins can be used ({machine})."),
    "pins-simulated": Message("Lamps, buzzer and button are simulated."),
    "pins-library": Message("This is a {machine}, but its pins cannot be used, so they are simulated."),
    "pins-none": Message("The pins cannot be used: {why}"),
    "heat": Message("The processor is at {degrees} °C."),
    "heat-warm": Message("The processor is warm: {degrees} °C."),
    "heat-hot": Message("The processor is too hot: {degrees} °C. It is slowing itself down."),
    "heat-unknown": Message("The machine does not report its temperature."),
    "power": Message("The Pi has had enough power since it was started."),
    "power-low": Message("The Pi is getting too little power at the moment."),
    "power-was-low": Message("The Pi has had too little power since it was started."),
    "power-slowed": Message("The Pi is slowing itself down because it is hot."),
    "power-was-slowed": Message("The Pi has slowed itself down because of heat since it was started."),
    "power-unknown": Message("This Pi does not report whether it gets enough power."),
    "power-no-pi": Message("This is not a Raspberry Pi, so its power cannot be checked."),
    "port": Message("Port {port} is free."),
    "port-ours": Message("Strada is running, and the scoreboard is on port {port}."),
    "port-taken": Message("Another program is using port {port}."),
    # NOTE: {program} is its name and its number.
    "port-taken-by": Message("{program} is using port {port}."),
    "port-low": Message(
        "{user} is not allowed to use port {port}: on this machine, ports below {least} are only for root."
    ),
    "port-host": Message("The scoreboard cannot be shown at {host}: {why}"),
    "network": Message("Phones on the same network can open the scoreboard at {address}"),
    "network-own": Message("The table’s own Wi-Fi is on: {name}."),
    "network-alone": Message("Only this machine can see the scoreboard."),
    "network-none": Message("This machine is not on any network, so no phone can see the scoreboard."),
    "network-public": Message(
        "The service does not talk to the network of {address}, because its addresses are public."
    ),
    "network-off": Message("This machine is not on any network, and its Wi-Fi is off."),
}

_TRY_CAMERA = Message("Switch the machine off, then plug the camera’s cable in again at both ends.")
_POWER = Message("Use the Pi’s own power supply and a short, thick cable. Unplug anything that it powers by USB.")
_REPAIR = Message("Copy {folder} to a safe place. The next start saves what can be read and says what is lost.")
_COOLING = Message("Give it air or a heat sink, and keep it away from the lamp’s heat.")
# NOTE: {pieces} are numbers of tiles, such as "2 × town · 1 × road of Red, forest →←".
_TEACH = Message(
    "One more photograph would help most. On the Set-up page, photograph these without merchants: {pieces}."
)
_SERVICE_LOG = Message(
    "Find out why: journalctl -u strada -e. Then: sudo systemctl reset-failed strada && sudo systemctl start strada"
)
_COPYING = Message(
    "The service makes one within 40 minutes of each start, and every night. To make one now: strada backup --nightly"
)
_COPYING_AWAY = Message(
    "The service tries again after each start and every night. To try now: sudo systemctl start strada-outside"
)
_REPORT_UPDATE = Message("A later version may work. For a bug report, run: sudo strada diagnose")
_SET_CLOCK = Message("Connect it to the internet for a minute, or set it: sudo date MMDDhhmmYYYY")

#: What to do, by a finding's code; codes that are missing need nothing.
ADVICE: Mapping[str, Message] = {
    "hidden": Message("Try again with sudo."),
    "settings-bad": Message("Correct this in the file. Strada does not start with it."),
    "settings-last-good": Message("Correct this in the file, then: sudo systemctl restart strada"),
    "rights-settings": Message("sudo chmod a+r {file}"),
    "rights-folder": Message("sudo chown -R {user} {folder}"),
    "rights-file": Message("sudo chown -R {user} {folder}"),
    "rights-open": Message("sudo chmod o-w {folder}"),
    "rights-home": Message("In the settings, in the section logbook, set folder to /var/lib/strada."),
    "rights-device": Message("sudo usermod -aG {group} {user}, then restart the machine."),
    "service-restarted": Message("Find out why: journalctl -u strada -e"),
    "service-restarting": _SERVICE_LOG,
    "service-failed": _SERVICE_LOG,
    "service-bad-input": Message("Correct the settings, then: sudo systemctl start strada"),
    "service-safe": Message("Find out why: journalctl -u strada -e. Then start everything again on the Keeper page."),
    "service-stopped": Message("To start it now: sudo systemctl start strada"),
    "service-disabled": Message("To change that: sudo systemctl enable --now strada"),
    "room-little": Message("Delete old backups and pictures, or lower pictures_mb in the settings."),
    "room-none": Message("Make room: delete old backups and pictures, or use a larger card."),
    "room-files": Message("Delete folders that hold a great many files."),
    "writing-slow": Message("Cards like this die soon. Make a backup (strada backup) and use a new one."),
    "writing-late": Message("The card or drive may be dying. Make a backup and use a new one."),
    "writing-fails": Message("Check the disk. Make a backup of what can still be read."),
    "writing-read-only": Message(
        "Unless you did this on purpose, the card may be dying. Make a backup and use a new one."
    ),
    "keeping-memory": Message("Put the logbook’s folder on a writable partition, and name it in the settings."),
    "keeping-read-only": Message(
        "Unless you did this on purpose, the card may be dying. Make a backup and use a new one."
    ),
    "card-worn": Message("Make backups, and think about a new one."),
    "card-worn-out": Message("Make a backup and use a new one."),
    "card-errors": Message("Make a backup, then have the card checked on another machine (fsck), or use a new one."),
    "logbook-was-damaged": Message("Replace a card that damages files. Look in {folder}."),
    "logbook-copy": Message(
        "Bring it back on the page Keeper, or end Strada and run: strada restore {file} --data {folder}"
    ),
    "logbook-end-lost": Message("The next start goes on from there, and keeps the damaged file beside the new one."),
    "logbook-damaged": _REPAIR,
    "logbook-gone": Message("If you have a backup, unpack it there. Otherwise the next start begins a new logbook."),
    "logbook-unfit": Message("Update Strada, or name another folder in the settings."),
    "copies-none": _COPYING,
    "copies-late": _COPYING,
    # NOTE: backup and to are typed into a file and stay as they are.
    "away-off": Message("To have copies elsewhere too, name a place in the section backup of the settings (to)."),
    "away-none": _COPYING_AWAY,
    "away-late": _COPYING_AWAY,
    "away-absent": Message("Plug it in, or connect it. To try again at once: sudo systemctl start strada-outside"),
    "away-unmounted": Message(
        "Plug it in, and have it mounted by a line in /etc/fstab. To try again at once: "
        "sudo systemctl start strada-outside"
    ),
    "away-program": Message("sudo apt install {program}, then: sudo systemctl start strada-outside"),
    # NOTE: keep and backup are typed into a file and stay as they are.
    "away-full": Message("Delete other files there, or lower keep in the section backup of the settings."),
    "away-unfinished": _COPYING_AWAY,
    "away-failed": _COPYING_AWAY,
    "news-out": Message("In the folder that you installed it from: git pull, then sudo systemd/install.sh"),
    # NOTE: feed and updates are typed into a file and stay as they are.
    "news-failed": Message(
        "Connect the machine to the internet, or correct feed in the section updates of the settings."
    ),
    "update-taken-back": _REPORT_UPDATE,
    "update-restored": _REPORT_UPDATE,
    "update-logbook": Message(
        "Run: sudo systemctl stop strada, then: sudo -u strada strada restore "
        "/var/lib/strada/logbook.former.sqlite --data /var/lib/strada, then: sudo systemctl start strada"
    ),
    "update-failed": Message("More about it: journalctl -u strada-update -e"),
    "clock-alone": Message("It will be wrong after a power cut, and so will the dates of games."),
    "clock-unset": _SET_CLOCK,
    "clock-behind": _SET_CLOCK,
    "clock-differs": Message("Set the battery clock: sudo hwclock --systohc"),
    "camera-held": Message(
        "The scoreboard shows how the camera is doing. To test it here, first: sudo systemctl stop strada"
    ),
    "camera-missing": _TRY_CAMERA,
    "camera-busy": Message("Close that program. If it is Strada itself: sudo systemctl stop strada"),
    "camera-silent": _TRY_CAMERA,
    "camera-frozen": _TRY_CAMERA,
    "camera-black": Message("Take the cap off the lens and switch on the light."),
    "camera-fault": _TRY_CAMERA,
    "camera-library": Message("Run the installer again."),
    "camera-files": Message("Correct the section camera of the settings."),
    "pins": Message("To try the lamps, the buzzer and the button: strada panel test"),
    "pins-library": Message("Install what they need: sudo apt install python3-gpiozero python3-lgpio"),
    "pins-none": Message(
        "On a Pi: sudo apt install python3-gpiozero python3-lgpio. On other machines, set pins to auto."
    ),
    "table-none": Message("Set one up on the Set-up page."),
    "table-unfit": Message("On the Set-up page, choose another table or set this one up again."),
    "table-veiled": Message("Move the lamp or shade the window, then set the table up again."),
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
        "To see which one: sudo ss -ltnp. Close it, or choose another port in the section web of the settings."
    ),
    "port-taken-by": Message("Close it, or choose another port in the section web of the settings."),
    "port-low": Message("Choose port 8000, or: sudo sysctl net.ipv4.ip_unprivileged_port_start={port}"),
    "port-host": Message("In the settings, in the section web, set host to 0.0.0.0."),
    "network-own": Message("To connect phones to it: strada network"),
    "network-alone": Message("To let phones see it: in the settings, in the section web, set host to 0.0.0.0."),
    # NOTE: [Service] and IPAddressAllow=any stay as they are: they are typed into a file.
    "network-public": Message(
        "Run sudo systemctl edit strada. Type [Service] and, on a line of its own, "
        "IPAddressAllow=any. Then: sudo systemctl restart strada"
    ),
    "network-off": Message("On a Pi, set the Wi-Fi’s country (sudo raspi-config). Otherwise: sudo rfkill unblock wifi"),
    "network-none": Message("Connect it by cable or Wi-Fi, or turn on its own Wi-Fi: strada network up"),
}

#: The last line.
ALL_WELL = Message("There is nothing to do.")
SOMETHING = Message("To do: {count}")
