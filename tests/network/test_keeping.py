"""When the table opens a Wi-Fi of its own, and when that gives way to another; the clock is made up."""

import json
import logging
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from companion.network import (
    EVERY_S,
    LOOK_S,
    LOST_S,
    PROFILE,
    START_S,
    UNUSED_S,
    AccessPoint,
    Manager,
    keep,
    publish,
    published,
)
from tests.network.nmcli import FakeManager


@dataclass
class Evening:
    """An evening on a made-up clock: `events` happen at their seconds, and what is opened, closed or shown is noted."""

    fake: FakeManager
    ends_s: float
    events: dict[float, dict[str, object]] = field(default_factory=dict)
    now_s: float = 0.0
    opened_s: list[float] = field(default_factory=list)
    closed_s: list[float] = field(default_factory=list)
    shown: list[AccessPoint | None] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    goes_back_to: str = ""

    def pass_by(self) -> "Evening":
        keep(Manager(self.fake.run), self.shown.append, self._wait, lambda: self.now_s, self.states.append)
        return self

    def _wait(self, seconds: float) -> bool:
        self.now_s += seconds
        for at_s in [each for each in self.events if each <= self.now_s]:
            for name, value in self.events.pop(at_s).items():
                setattr(self.fake, name, value)
        for words in self.fake.told:
            if words == ["connection", "up", PROFILE]:
                self.opened_s.append(self.now_s - seconds)
            if words == ["connection", "down", PROFILE]:
                self.closed_s.append(self.now_s - seconds)
                self.fake.known = self.goes_back_to
        self.fake.asked.clear()
        return self.now_s >= self.ends_s


def test_where_a_known_network_answers_nothing_is_opened() -> None:
    evening = Evening(FakeManager(), 4000, {START_S - 10: {"known": "Home"}}).pass_by()
    assert (evening.opened_s, evening.shown) == ([], [])
    assert evening.states[-1] == "in the network Home"


def test_where_none_answers_for_a_minute_the_tables_own_wifi_is_opened_and_told() -> None:
    evening = Evening(FakeManager(guests=2), 300).pass_by()
    assert evening.opened_s == [START_S]
    first, last = evening.shown
    assert first is not None
    assert first.name == evening.fake.profile["802-11-wireless.ssid"]
    assert last is None, "it closes with its keeper"
    assert not evening.fake.is_open


def test_a_cable_is_network_enough() -> None:
    assert Evening(FakeManager(cable="Wired connection 1"), 300).pass_by().opened_s == []


def test_without_wifi_there_is_nothing_to_open_until_it_is_plugged_in() -> None:
    evening = Evening(FakeManager(has_wifi=False), 300).pass_by()
    assert (evening.opened_s, evening.states[-1].endswith("it is switched off")) == ([], True)
    evening = Evening(FakeManager(has_wifi=False, guests=1), 400, {200: {"has_wifi": True}}).pass_by()
    assert evening.opened_s == [200]


@pytest.mark.parametrize("guests", [1, None])
def test_it_stays_open_while_phones_are_in_it_or_nobody_can_tell_who_is(guests: int | None) -> None:
    evening = Evening(FakeManager(guests=guests), 5 * UNUSED_S).pass_by()
    assert (len(evening.opened_s), evening.closed_s) == (1, [])


def test_a_cable_that_is_plugged_in_ends_nobodys_evening_and_what_it_leads_to_is_said() -> None:
    evening = Evening(FakeManager(guests=1), 5 * UNUSED_S, {START_S + 60: {"cable": "Wired connection 1"}}).pass_by()
    assert (len(evening.opened_s), evening.closed_s) == (1, [])
    assert "while a cable is in the Pi" in (Path(__file__).parents[2] / "docs" / "threats.md").read_text()


def test_a_cable_that_is_plugged_in_closes_it_once_nobody_is_in_it_and_it_stays_closed() -> None:
    cable = {START_S + 60: {"cable": "Wired connection 1"}}
    evening = Evening(FakeManager(), 5 * UNUSED_S, cable).pass_by()
    assert (len(evening.opened_s), evening.closed_s) == (1, [START_S + UNUSED_S + EVERY_S])


def test_unused_it_makes_way_for_a_known_network() -> None:
    evening = Evening(FakeManager(), 3000, goes_back_to="Home").pass_by()
    assert (evening.opened_s, evening.closed_s) == ([START_S], [START_S + UNUSED_S + EVERY_S])
    assert evening.shown[1] is None
    assert evening.states[-1] == "in the network Home"


def test_unused_it_comes_back_where_no_known_network_does() -> None:
    evening = Evening(FakeManager(), START_S + UNUSED_S + EVERY_S + LOOK_S + 60).pass_by()
    assert evening.opened_s == [START_S, START_S + UNUSED_S + EVERY_S + LOOK_S]


def test_a_phone_that_leaves_last_begins_the_time_anew() -> None:
    evening = Evening(FakeManager(guests=1), 1400, {700: {"guests": 0}}, goes_back_to="Home").pass_by()
    assert evening.closed_s == [700 + UNUSED_S]


def test_a_network_that_is_lost_has_time_to_come_back() -> None:
    there_again = {100.0: {"known": ""}, 100 + LOST_S - 10: {"known": "Home"}}
    assert Evening(FakeManager(known="Home"), 1000, there_again).pass_by().opened_s == []
    evening = Evening(FakeManager(known="Home", guests=1), 1000, {100: {"known": ""}}).pass_by()
    assert evening.opened_s == [100 + LOST_S]


def test_one_that_was_opened_by_hand_is_told_and_makes_way_too() -> None:
    fake = FakeManager(known="Home")
    Manager(fake.run).open()
    evening = Evening(fake, 2000, goes_back_to="Home").pass_by()
    assert evening.shown[0] is not None
    assert evening.closed_s[0] == UNUSED_S


def test_what_is_refused_is_logged_once_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    fake = FakeManager(refuses="802.1X supplicant took too long", guests=1)
    evening = Evening(fake, 400, {START_S + 130: {"refuses": ""}}).pass_by()
    assert evening.opened_s == [60, 120, 180, 240]
    assert [each.message for each in caplog.records if each.levelno == logging.WARNING] == [
        "Connection activation failed: 802.1X supplicant took too long"
    ]
    assert evening.shown[0] is not None


def test_a_manager_that_comes_late_is_waited_for() -> None:
    evening = Evening(FakeManager(is_running=False, guests=1), 400, {100: {"is_running": True}}).pass_by()
    assert evening.states[0] == "NetworkManager does not answer"
    assert evening.opened_s == [100 + START_S]


def test_the_log_holds_no_password(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    evening = Evening(FakeManager(guests=1), 300).pass_by()
    assert evening.fake.profile["802-11-wireless-security.psk"] not in caplog.text
    assert evening.fake.profile["802-11-wireless-security.psk"] not in " ".join(evening.states)


POINT = AccessPoint("Strada-4f2a", "kdm7-2xqa-9dhe")


def test_what_is_told_is_read_again_by_the_group_alone(tmp_path: Path) -> None:
    place = tmp_path / "access-point.json"
    publish(POINT, place)
    assert published(place) == POINT
    assert place.stat().st_mode & 0o777 == 0o640 & ~umask()
    publish(None, place)
    publish(None, place)
    assert published(place) is None
    assert list(tmp_path.iterdir()) == []


def umask() -> int:
    (octal,) = re.findall(r"^Umask:\s*(\d+)$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(octal, 8)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "7", '{"name": "x"}', '{"name": 1, "password": "y"}', json.dumps({"nome": "x", "password": "y"})],
)
def test_a_note_that_makes_no_sense_is_no_access_point(tmp_path: Path, text: str) -> None:
    place = tmp_path / "access-point.json"
    place.write_text(text)
    assert published(place) is None
