"""The port and who has it, and whether phones can reach it; the sockets are real."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.doctor import Machine
from companion.doctor.service import network, port
from companion.settings import WebSettings
from companion.words.doctor import DoctorVoice
from tests.doctor.machines import ADA, Fake
from tests.strangers import Stranger, said


@pytest.fixture
def taken() -> Iterator[int]:
    """A port at which somebody listens without ever saying anything."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        yield door.getsockname()[1]


def at(number: int, host: str = "127.0.0.1") -> WebSettings:
    return WebSettings(host=host, port=number)


def number_of(address: str) -> int:
    return int(address.rpartition(":")[2])


def test_a_free_port_is_good(fake: Fake, taken: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        number = door.getsockname()[1]
    assert port(fake.machine, at(number)).code == "port"
    assert port(fake.machine, at(0)).code == "port"


def test_a_companion_at_the_port_is_no_fault(fake: Fake, stranger: Stranger) -> None:
    number = number_of(stranger(said("200 OK", {})))
    assert port(fake.machine, at(number)).code == "port-ours"


def test_another_server_at_the_port_must_end(fake: Fake, stranger: Stranger) -> None:
    number = number_of(stranger(said("200 OK", {}, server="nginx")))
    found = port(fake.machine, at(number))
    assert (found.grade, found.code) == ("todo", "port-taken")
    # A user who may not look into other people's processes, like the service's, is told how to find out.
    assert "sudo ss -ltnp" in DoctorVoice().advice(found.code, found.facts)


def test_who_has_the_port_is_named(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.doctor.service.ANSWER_S", 0.05)
    found = port(Machine(), at(taken))
    assert found.code == "port-taken-by"
    assert str(found.facts["program"]).endswith(f"({os.getpid()})")


@pytest.mark.parametrize(("least", "code"), [("1024", "port-low"), ("80", "port")])
def test_a_low_port_is_for_root_unless_the_kernel_says_otherwise(fake: Fake, least: str, code: str) -> None:
    fake.caller = ADA
    fake.write("/proc/sys/net/ipv4/ip_unprivileged_port_start", least)
    assert port(fake.machine, at(80, "127.0.0.9")).code == code


def test_a_host_that_is_not_this_machine_is_no_place_to_serve(fake: Fake) -> None:
    assert port(fake.machine, at(8000, "192.0.2.1")).code == "port-host"


@pytest.mark.parametrize(("number", "address"), [(80, "http://192.168.1.5/"), (8000, "http://192.168.1.5:8000/")])
def test_phones_are_told_the_address_as_they_type_it(fake: Fake, number: int, address: str) -> None:
    found = network(fake.machine, at(number, "0.0.0.0"), lambda: ("192.168.1.5",))
    assert found.facts["address"] == address


def test_without_a_network_phones_see_nothing(fake: Fake) -> None:
    assert network(fake.machine, at(80, "0.0.0.0"), tuple).code == "network-none"
    assert network(fake.machine, at(80, "0.0.0.0"), tuple, own_wifi="Strada-4f2a").code == "network-own"
    hidden = Path("/run/strada-network")
    assert network(fake.machine, at(80, "0.0.0.0"), tuple, hidden=hidden).code == "hidden", "its Wi-Fi may be open"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_scoreboard_for_this_machine_alone_is_noted(fake: Fake, host: str) -> None:
    assert network(fake.machine, at(8000, host), tuple).code == "network-alone"


@pytest.mark.parametrize(
    ("address", "code"),
    [("192.168.1.5", "network"), ("131.152.7.5", "network-public"), ("2001:db8::5", "network-public")],
)
def test_a_network_that_the_service_does_not_talk_to_is_told(fake: Fake, address: str, code: str) -> None:
    """The answers are in the form in which systemctl 252 shows the unit's lines."""
    fake.root.joinpath("run/systemd/system").mkdir(parents=True)
    fake.says("systemctl --property=IPAddressAllow", "127.0.0.0/8 ::1/128 192.168.0.0/16 fc00::/7\n")
    fake.says("systemctl --property=IPAddressDeny", "::/0 0.0.0.0/0\n")
    assert network(fake.machine, at(80, "0.0.0.0"), lambda: (address,)).code == code
    fake.says("systemctl --property=IPAddressAllow", "::/0 0.0.0.0/0\n")  # as the doctor advises
    assert network(fake.machine, at(80, "0.0.0.0"), lambda: (address,)).code == "network"


def test_a_companion_that_is_no_service_talks_to_every_network(fake: Fake) -> None:
    fake.root.joinpath("run/systemd/system").mkdir(parents=True)
    fake.says("systemctl", "\n")
    assert network(fake.machine, at(80, "0.0.0.0"), lambda: ("131.152.7.5",)).code == "network"
    assert network(fake.machine, at(80, "strada.example"), tuple).code == "network"


@pytest.mark.parametrize(
    ("kind", "soft", "hard", "code"),
    [
        ("wlan", "1", "0", "network-off"),
        ("wlan", "0", "1", "network-off"),
        ("wlan", "0", "0", "network-none"),
        ("bluetooth", "1", "0", "network-none"),
    ],
)
def test_wifi_that_is_switched_off_is_told(fake: Fake, kind: str, soft: str, hard: str, code: str) -> None:
    for name, text in (("type", kind), ("soft", soft), ("hard", hard)):
        fake.write(f"/sys/class/rfkill/rfkill0/{name}", f"{text}\n")
    assert network(fake.machine, at(80, "0.0.0.0"), tuple).code == code
    assert network(fake.machine, at(80, "0.0.0.0"), lambda: ("10.0.0.7",)).code == "network"
