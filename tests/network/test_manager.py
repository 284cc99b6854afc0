"""What NetworkManager is asked, word for word, and how its answers are understood."""

import subprocess
from collections.abc import Sequence

import pytest

from companion.network import PLAIN, PROFILE, AccessPoint, Done, Manager, NetworkError, NetworkState, run
from tests.network.nmcli import FakeManager


def test_a_known_wifi_is_a_network_whatever_its_name() -> None:
    fake = FakeManager(known="Club: red\\blue".replace("\\", "\\\\"))
    assert Manager(fake.run).look() == NetworkState("Club: red\\blue", has_wifi=True)


def test_a_cable_is_a_network_and_containers_are_not() -> None:
    assert Manager(FakeManager(cable="Wired connection 1").run).look().link == "Wired connection 1"
    assert Manager(FakeManager().run).look() == NetworkState("", has_wifi=True)


def test_wifi_that_is_switched_off_does_not_count() -> None:
    assert not Manager(FakeManager(has_wifi=False).run).look().has_wifi


@pytest.mark.parametrize("guests", [0, 3, None])
def test_who_is_in_the_access_point_is_counted(guests: int | None) -> None:
    fake = FakeManager(is_open=True, guests=guests)
    assert Manager(fake.run).look() == NetworkState("", has_wifi=True, device="wlan0", guests=guests)


def test_the_access_point_is_opened_by_these_commands() -> None:
    fake = FakeManager()
    Manager(fake.run).open()
    point = Manager(fake.run).point()
    assert fake.told == [
        [
            *("connection", "add", "type", "wifi", "con-name", PROFILE, "ifname", "*", "autoconnect", "no"),
            *("ssid", point.name, "mode", "ap", "802-11-wireless.band", "bg"),
            *("802-11-wireless-security.key-mgmt", "wpa-psk", "802-11-wireless-security.proto", "rsn"),
            *("802-11-wireless-security.pairwise", "ccmp", "802-11-wireless-security.group", "ccmp"),
            *("802-11-wireless-security.pmf", "disable", "802-11-wireless-security.psk", point.password),
            *("ipv4.method", "shared", "ipv4.addresses", "10.42.0.1/24", "ipv6.method", "disabled"),
        ],
        ["connection", "up", PROFILE],
    ]
    assert fake.is_open


def test_name_and_password_are_made_once_and_differ_from_table_to_table() -> None:
    fake, other = FakeManager(), FakeManager()
    point = Manager(fake.run).point()
    assert Manager(fake.run).point() == point
    assert Manager(other.run).point() != point
    assert point.name.startswith("Strada-")
    assert 8 <= len(point.password) <= 63, "what WPA2 allows"
    assert set(point.password) <= {*PLAIN, "-"}
    assert point.address == "10.42.0.1"


def test_whoever_changes_the_profile_is_obeyed() -> None:
    profile = {
        "802-11-wireless.ssid": "La Strada\\: club",
        "802-11-wireless-security.psk": "long enough",
        "ipv4.addresses": "192.168.4.1/24",
    }
    point = Manager(FakeManager(profile=profile).run).point()
    assert point == AccessPoint("La Strada: club", "long enough", "192.168.4.1")


def test_a_read_only_system_has_its_access_point_until_it_is_switched_off() -> None:
    fake = FakeManager(is_read_only=True)
    Manager(fake.run).open()
    assert fake.told[1][:4] == ["connection", "add", "save", "no"]
    assert fake.is_open


def test_the_access_point_is_closed_by_this_command() -> None:
    fake = FakeManager(is_open=True)
    Manager(fake.run).close()
    assert fake.told == [["connection", "down", PROFILE]]


def test_whoever_may_not_read_the_password_is_told_to_use_sudo() -> None:
    profile = {"802-11-wireless.ssid": "Strada-4f2a", "802-11-wireless-security.psk": "", "ipv4.addresses": ""}
    with pytest.raises(NetworkError, match="sudo"):
        Manager(FakeManager(profile=profile).run).point()


@pytest.mark.parametrize(
    ("fake", "complaint"),
    [
        (FakeManager(is_running=False), "NetworkManager is not running"),
        (FakeManager(refuses="IP configuration could not be reserved"), "could not be reserved"),
        (FakeManager(refuses="Not authorized to control networking."), "control networking; ask again with sudo$"),
    ],
)
def test_what_networkmanager_refuses_is_said_in_its_own_words(fake: FakeManager, complaint: str) -> None:
    with pytest.raises(NetworkError, match=complaint) as caught:
        Manager(fake.run).open()
    assert "\n" not in str(caught.value)
    assert not str(caught.value).startswith("Error")


def test_a_machine_without_networkmanager_is_told_what_to_install() -> None:
    def missing(command: Sequence[str], timeout_s: float) -> Done:
        raise FileNotFoundError(command[0])

    with pytest.raises(NetworkError, match="apt install network-manager"):
        Manager(missing).look()


def test_a_manager_that_hangs_is_given_up() -> None:
    def hangs(command: Sequence[str], timeout_s: float) -> Done:
        raise subprocess.TimeoutExpired(command, timeout_s)

    with pytest.raises(NetworkError, match="did not end within 15 s"):
        Manager(hangs).look()


def test_commands_are_run_for_real_and_answer_in_english() -> None:
    done = run(["sh", "-c", "echo $LC_ALL; echo no >&2; exit 4"], 5)
    assert done == Done(4, "C\n", "no\n")
    with pytest.raises(subprocess.TimeoutExpired):
        run(["sleep", "60"], 0.05)
