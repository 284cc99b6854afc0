"""What strangers did to a companion, done again as guest and as keeper: each attack and its outcome on one line.

python -m bench.attacks
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.attacked import GUEST, Somebody, Target, companion, wait_for
from bench.attacked_files import FILES, Outcome
from bench.bars import Bar, told
from bench.dripping import HALF, dripping

#: A page must be answered within this time while an attack goes on.
MOST_S = 1.0

#: How long an attack lasts, if it needs time.
HELD_S = 15.0

#: Half a request must be ended within this time, whatever the clock on the wall says.
ENDS_S = 15.0

#: The most that a minute of faults may write to the log.
MOST_LOG_BYTES = 100_000

DAY_S = 24 * 3600


def _status(said: bytes) -> str:
    return said[9:12].decode() if said else "no answer"


def numbers_without_end(target: Target, who: Somebody) -> Outcome:
    """Numbers of 5,000 digits in paths, a hundred times, with characters that steer a terminal."""
    before = len(target.logged())
    digits = "7" * 5000
    paths = (f"/games/{digits}", f"/setup/photo/{digits}/%1b%5b31m%0aNov%2025.jpg", f"/games/{digits}/steps/{digits}")
    found = {_status(target.said(f"GET {paths[number % 3]} HTTP/1.1", who=who)) for number in range(102)}
    log = target.logged()[before:]
    words = f"answered {', '.join(sorted(found))}; {len(log)} bytes in the log"
    return words, bool(found - {"404"}) or len(log) > MOST_LOG_BYTES or "\x1b" in log or "Traceback" in log


def a_page_of_nonsense(target: Target, who: Somebody) -> Outcome:
    """A Referer that is no address."""
    status = _status(target.said("GET /rulings/latest HTTP/1.1", "Referer: http://[::1", who=who))
    return f"answered {status}", status not in ("302", "404")


def a_length_without_end(target: Target, who: Somebody) -> Outcome:
    """A Content-Length of 5,000 digits; nobody's address may be in the log."""
    said = target.said("POST /keeper/undo HTTP/1.1", f"Content-Length: {'9' * 5000}", who=who, address="127.0.7.77")
    is_named = "127.0.7.77" in target.logged()
    words = f"answered {_status(said)}, the address is {'' if is_named else 'not '}in the log"
    return words, _status(said) != "400" or is_named


def half_requests(target: Target, who: Somebody) -> Outcome:
    """230 half requests from one address, a byte every 3 s each."""
    del who  # nobody knows who it is before the request is whole
    with dripping(target.port, 230, "127.0.6.", 1) as end:
        slowest = _slowest(target, {"this machine's TV": "127.0.0.1", "another phone": "127.0.7.2"})
        drips = end()
    words = ", ".join(f"{name} waits {1000 * seconds:.0f} ms at most" for name, seconds in slowest.items())
    return f"{words}; {drips['open']} were open at the end", max(slowest.values()) > MOST_S


def _slowest(target: Target, addresses: dict[str, str]) -> dict[str, float]:
    slowest, until_s = dict.fromkeys(addresses, 0.0), time.monotonic() + HELD_S
    while time.monotonic() < until_s:
        for name, address in addresses.items():
            slowest[name] = max(slowest[name], target.seconds(address))
        time.sleep(0.2)
    return slowest


def every_place_taken(target: Target, who: Somebody) -> Outcome:
    """Every stream and every connection taken, from many addresses."""
    own = "".join(f"{name}: {value}\r\n" for name, value in who.headers)
    asked = f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n"
    with ExitStack() as stack:
        for number in range(400):
            with suppress(OSError):
                wire = stack.enter_context(target.connected(f"127.0.8.{number % 200 + 1}"))
                wire.sendall(f"{asked}{own}\r\n".encode())
        time.sleep(1)
        seconds = target.seconds("127.0.0.1")
        tv = stack.enter_context(target.connected("127.0.0.1"))
        tv.sendall(f"{asked}\r\n".encode())
        status = _status(tv.recv(100))
    words = f"this machine's page takes {1000 * seconds:.0f} ms, its stream is answered {status}"
    return words, seconds > MOST_S or status != "200"


def many_on_a_game(target: Target, who: Somebody) -> Outcome:
    """40 clients on the games' pages, again and again."""
    ends, answered = threading.Event(), Counter[str]()

    def look(number: int) -> None:
        while not ends.is_set():
            said = target.said(f"GET /games/{number % 3 + 1} HTTP/1.1", who=who, address=f"127.0.9.{number + 1}")
            answered[_status(said)] += 1

    threads = [threading.Thread(target=look, args=(number,), daemon=True) for number in range(40)]
    for thread in threads:
        thread.start()
    slowest = _slowest(target, {"the scoreboard": "127.0.0.1"})["the scoreboard"]
    ends.set()
    for thread in threads:
        thread.join(timeout=30)
    statuses = ", ".join(f"{status} {count} times" for status, count in sorted(answered.items()))
    words = f"the scoreboard takes {1000 * slowest:.0f} ms at most; the pages answered {statuses}"
    return words, slowest > MOST_S or not answered["200"]


def old_and_wrong_pins(target: Target, who: Somebody) -> Outcome:
    """The previous PIN, the right PIN after wrong ones, the cookie of somebody who has signed out."""
    old = target.pin()
    new = target.pin()
    wrong = [target.signs_in(pin)[0] for pin in (old, f"{(int(new) + 1) % 10**6:06}", f"{(int(new) + 2) % 10**6:06}")]
    locked = target.signs_in(new)[0]
    fresh, keeper = target.signs_in(target.pin())
    may = target.may_decide(keeper)
    target.asked("DELETE", "/keeper/session", {}, keeper)
    still = target.may_decide(keeper)
    words = (
        f"the old one and two wrong ones answered {', '.join(map(str, wrong))}, the right one then {locked}, the next "
        f"after the button was held {fresh}; whoever has it {'may' if may else 'may not'} decide, and "
        f"{'still may' if still else 'no longer'} once signed out"
    )
    return words, (wrong, locked, fresh, may, still) != ([403] * 3, 429, 201, True, False) or target.may_decide(who)


def decisions_of_a_guest(target: Target, who: Somebody) -> Outcome:
    """Every decision, the backup and another site's page, without a PIN."""
    before = target.moves
    asked = [target.asked("POST", f"/keeper/{name}", {}, who)[0] for name in ("undo", "accept", "end", "start", "yes")]
    asked += [target.asked("GET", path, who=who)[0] for path in ("/games/backup.zip",)]
    foreign = target.asked("POST", "/keeper/undo", {}, who, Origin="http://evil.example")[0]
    words = f"answered {', '.join(map(str, sorted({*asked, foreign})))}; the record has as many moves as before"
    return words, {*asked, foreign} != {403} or target.moves != before


def undo_twice(target: Target, who: Somebody) -> Outcome:
    """Two keepers tap Undo for the same books at the same moment."""
    status, second = target.signs_in(target.pin(), "Bo")
    before, books = target.moves, target.books(who)
    with ThreadPoolExecutor(2) as pool:
        answers = sorted(
            pool.map(
                lambda keeper: target.asked("POST", "/keeper/undo", {}, keeper, **{"X-Books": books})[0], (who, second)
            )
        )
    wait_for(lambda: target.books(who) != books, "an undone move")
    time.sleep(1)
    words = f"answered {' and '.join(map(str, answers))}; {before - target.moves} of {before} moves was taken back"
    return words, status != 201 or answers != [202, 409] or target.moves != before - 1


def the_clock_set_back(target: Target, who: Somebody) -> Outcome:
    """The clock set back a day in the middle of a game, and forward again."""
    before, was_keeper = target.moves, target.may_decide(who)
    took_s = []
    for ahead_s in (-DAY_S, 0):
        with target.connected("127.0.7.3", ENDS_S + 5) as half:
            half.sendall(HALF[0])
            began_s = time.monotonic()
            target.set_clock(ahead_s)
            with suppress(TimeoutError, ConnectionError):
                while half.recv(65536):
                    pass
            took_s.append(time.monotonic() - began_s)
        seconds = max(target.seconds("127.0.0.1"), target.seconds("127.0.7.2"))
        if ahead_s:
            is_told = "clock was changed" in target.asked("GET", "/")[1]
            again = target.signs_in(target.pin())
            may = target.may_decide(again[1])
    is_keeper = target.may_decide(who)
    words = (
        f"half a request ends after {max(took_s):.0f} s, the scoreboard takes {1000 * seconds:.0f} ms and "
        f"{'says' if is_told else 'does not say'} so; a new PIN is answered {again[0]}; afterwards {who.name} is "
        f"{'' if is_keeper else 'not '}a keeper, as before"
    )
    is_harm = max(took_s) > ENDS_S or seconds > MOST_S or not is_told or not may or is_keeper != was_keeper
    return words, is_harm or target.moves != before


Attack = Callable[[Target, Somebody], Outcome]

#: Tried as guest and as keeper.
BY_BOTH: tuple[Attack, ...] = (
    numbers_without_end, a_page_of_nonsense, a_length_without_end, every_place_taken, many_on_a_game,
    the_clock_set_back,
)  # fmt: skip
BY_GUESTS: tuple[Attack, ...] = (half_requests, decisions_of_a_guest, old_and_wrong_pins)
BY_KEEPERS: tuple[Attack, ...] = (undo_twice,)


def _in_folder(folder: Path) -> Callable[[Callable[[Path], Outcome]], Outcome]:
    return lambda trial: trial(folder)


def main() -> None:
    """Print a line for each attack, the bar, and the figures as JSON; status 1 if one did harm."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="not needed here: the table is drawn")
    parser.parse_args()
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="strada-attacks-") as place:
        with companion(Path(place) / "companion") as target:
            target.play(4)
            _try(found, "guest", (*BY_BOTH, *BY_GUESTS), lambda attack: attack(target, GUEST))
            _, keeper = target.signs_in(target.pin())
            _try(found, "keeper", (*BY_BOTH, *BY_KEEPERS), lambda attack: attack(target, replace(keeper, name="Ada")))
            alive = target.process.poll() is None
            _tell(found, "afterwards", "The companion after all that.", ("runs" if alive else "has ended", not alive))
        for trial in FILES:
            folder = Path(place) / trial.__name__
            folder.mkdir()
            _try(found, "file", (trial,), _in_folder(folder))
    harmful = sum(each["harm"] for each in found.values())
    bar = Bar("attacks that did harm", harmful, 0, "attacks")
    print(json.dumps({"attacks": found, "bars": told([bar])}))
    sys.exit(0 if bar.holds else 1)


def _try(found: dict[str, Any], who: str, attacks: Sequence[Any], do: Callable[[Any], Outcome]) -> None:
    for attack in attacks:
        try:
            outcome = do(attack)
        except Exception as error:  # the others are tried all the same
            outcome = f"it could not be tried: {error!r}", True
        _tell(found, f"{attack.__name__}, {who}", f"{who.capitalize()}: {attack.__doc__}", outcome)


def _tell(found: dict[str, Any], name: str, what: str, outcome: Outcome) -> None:
    words, is_harm = outcome
    print(f"{'HARM' if is_harm else 'fine'}: {what.splitlines()[0]} {words[:1].upper()}{words[1:]}.", flush=True)
    found[name] = {"came": words, "harm": is_harm}


if __name__ == "__main__":
    main()
