"""The whole hub as `strada hub` runs it: a table joins over HTTP and is seen in the room; TLS; a second worker."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bench.servers import free_port
from companion.board import BadInputError, NotNowError
from companion.certificates import FOLDER, OwnCertificate
from companion.certificates import TABLE as CERTIFICATE
from companion.outbox import Place, Post
from companion.outbox.membership import join, membership_from
from companion.scoreboard import Scoreboard
from companion.settings import HubSettings as TableHub
from companion.wiring.hub import HubLink
from hub.running import Hub, kept_access
from hub.settings import BrokerSection, HubSection, HubSettings, WebSection, hub_settings_from, load_hub_settings
from hub.store.people import TABLE
from hub.store.tables import enrolled, open_to_all
from tests.hub.telling import log_of, own_log, soon
from tests.logbook.playing import played

ROOT = Path(__file__).parents[2]


@pytest.fixture
def begin(mosquitto: str, tmp_path: Path) -> Iterator[Callable[..., Hub]]:
    begun: list[Hub] = []

    def start(**broker: str) -> Hub:
        section = HubSection("Café", str(tmp_path / "hub"))
        begun.append(Hub(HubSettings(section, WebSection(port=0), BrokerSection(free_port(), **broker))))
        return begun[-1]

    yield start
    for hub in begun:
        hub.close()


def address(hub: Hub) -> str:
    return f"http://127.0.0.1:{hub.port}"


def got(hub: Hub, path: str) -> str:
    with urllib.request.urlopen(address(hub) + path, timeout=10) as answer:
        return str(answer.read().decode())


@pytest.mark.long
def test_a_table_joins_and_everybody_sees_it_once_it_is_open(begin: Callable[..., Hub], tmp_path: Path) -> None:
    hub, folder = begin(), tmp_path / "table"
    played(folder, 20)
    membership = join(address(hub), hub.people.new_code(TABLE).lower(), "Upstairs")
    Place(folder).keep(membership)
    secret = [folder / "hub.json", *(tmp_path / "hub" / name for name in ("hub.sqlite", "who.json", "broker.json"))]
    assert all(path.stat().st_mode & 0o077 == 0 for path in secret)
    with closing(Post(Place(folder), lambda: b'{"name":"Upstairs","phase":"waiting","attention":[]}')):
        soon(lambda: log_of(hub.store, membership.table) == own_log(folder))
        soon(lambda: hub.room.standings(True)[0].is_here)
        assert json.loads(got(hub, "/cards?of=1"))["cards"] == {}
        open_to_all(hub.store, [1], is_open=True)
        hub.room.look_again()
        assert "Upstairs" in json.loads(got(hub, "/cards?of=1"))["cards"]["1"]
    soon(lambda: not hub.room.standings(True)[0].is_here)


@pytest.mark.long
def test_the_companions_link_joins_by_the_settings_and_stays_over_a_restart(
    begin: Callable[..., Hub], tmp_path: Path
) -> None:
    hub, folder, scoreboard = begin(), tmp_path / "table", Scoreboard()
    played(folder, 10)
    settings = TableHub(address(hub), hub.people.new_code(TABLE), "By the window")
    for _ in range(2):  # the second time the code is used up, and not needed
        link = HubLink(folder, settings, lambda: scoreboard.latest)
        soon(lambda now=link.now: now().is_connected)
        soon(lambda now=link.now: now().held == len(own_log(folder)))
        link.close()
    assert [each.name for each in enrolled(hub.store)] == ["By the window"]
    again = HubLink(folder, TableHub(), lambda: scoreboard.latest)
    soon(lambda: again.now().is_connected)
    assert again.now().called == "Café"
    again.leave()
    soon(lambda: not again.now().called)
    again.close()


@pytest.mark.long
def test_a_table_joins_another_time_from_the_page_and_is_the_same(begin: Callable[..., Hub], tmp_path: Path) -> None:
    hub, folder = begin(), tmp_path / "table"
    played(folder, 10)
    link = HubLink(folder, TableHub(name="Club"), lambda: Scoreboard().latest)
    assert link.now().called == ""
    for _ in range(2):
        assert link.join(address(hub), hub.people.new_code(TABLE)).called == "Café"
    soon(lambda: link.now().is_connected)
    link.close()
    assert len(enrolled(hub.store)) == 1


@pytest.mark.long
def test_wrong_addresses_and_codes_are_refused_in_a_sentence(begin: Callable[..., Hub]) -> None:
    hub = begin()
    for code, wrong in (("ABC", "hub-code"), ("AAAA-AAAA", "hub-refused"), ("K7RM-2XQO", "hub-code")):
        with pytest.raises(BadInputError) as refused:
            join(address(hub), code, "Club")
        assert refused.value.code == wrong
    with pytest.raises(NotNowError) as away:
        join(f"http://127.0.0.1:{free_port()}", "AAAA-AAAA", "Club")
    assert away.value.code == "hub-unreachable"
    for odd in ("file:///etc/passwd", "http://user@hub", "http://hub/path", "http://hub:99999", "gopher://hub", ""):
        with pytest.raises(BadInputError) as odder:
            join(odd, "AAAA-AAAA", "Club")
        assert odder.value.code == "hub-address"


MEMBERSHIP = {"hub": "abcdef01", "called": "x", "table": "abcdef01", "key": "k", "host": "h", "port": 1}


@pytest.mark.parametrize(
    "change",
    [{"hub": "../../x"}, {"port": 0}, {"port": "1"}, {"table": "a/b#"}, {"key": None}, {"tls": 1}, {"host": 7}],
    ids=str,
)
def test_an_odd_membership_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(BadInputError):
        membership_from({**MEMBERSHIP, **change})


def test_a_membership_that_others_could_read_is_not_believed(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.keep(membership_from(MEMBERSHIP))
    assert place.read() is not None
    (tmp_path / "hub.json").chmod(0o644)
    assert place.read() is None


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # paho leaves a failed socket to Python
def test_under_tls_a_table_trusts_the_hubs_own_authority_and_no_other(
    begin: Callable[..., Hub], tmp_path: Path
) -> None:
    own = OwnCertificate(tmp_path, lambda: ["localhost"], "hub")
    (authority := tmp_path / "authority.pem").write_bytes(own.authority)
    files = {"certificate": str(tmp_path / FOLDER / CERTIFICATE), "key": str(tmp_path / FOLDER / CERTIFICATE)}
    hub, folder = begin(**files, authority=str(authority)), tmp_path / "table"
    played(folder, 5)
    membership = join(f"http://localhost:{hub.port}", hub.people.new_code(TABLE), "Club")
    assert membership.tls
    Place(folder).keep(replace(membership, authority=""))
    with closing(Post(Place(folder), lambda: b"{}")) as post:
        hub.room.rest(1.5)
        assert not post.is_connected
        post.belong(membership)
        soon(lambda: log_of(hub.store, membership.table) == own_log(folder))


@pytest.mark.long
def test_one_more_worker_takes_in_what_the_hub_does_not(begin: Callable[..., Hub], tmp_path: Path) -> None:
    hub, folder = begin(), tmp_path / "table"
    hub.worker.close()
    played(folder, 10)
    membership = join(address(hub), hub.people.new_code(TABLE), "Club")
    Place(folder).keep(membership)
    words = [sys.executable, "-m", "companion", "hub", "--worker", "--data", str(tmp_path / "hub")]
    with closing(Post(Place(folder), lambda: b"{}")), subprocess.Popen(words, cwd=ROOT) as worker:
        soon(lambda: log_of(hub.store, membership.table) == own_log(folder))
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(10) == 0
    with pytest.raises(NotNowError, match="no hub has run"):
        kept_access(tmp_path)


@pytest.mark.long
def test_after_a_restart_the_hub_is_the_same_and_lets_in_who_was_let_in(
    begin: Callable[..., Hub], tmp_path: Path
) -> None:
    hub, folder = begin(), tmp_path / "table"
    played(folder, 10)
    membership = join(address(hub), hub.people.new_code(TABLE), "Club")
    password, port = hub.broker.access.password, hub.broker.access.port
    hub.close()
    again = Hub(replace(hub.settings, broker=BrokerSection(port)))
    try:
        assert (again.store.hub, again.broker.access.password) == (membership.hub, password)
        Place(folder).keep(membership)
        with closing(Post(Place(folder), lambda: b"{}")):
            soon(lambda: log_of(again.store, membership.table) == own_log(folder))
    finally:
        again.close()


@pytest.mark.long
def test_the_command_says_where_it_is_and_ends_with_everything(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "companion", "hub", "--port", "0", "--broker-port", str(free_port())]
    words += ["--data", str(tmp_path / "hub")]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        said = process.stdout.readline() + process.stdout.readline()
        assert re.search(r"The hub is at http://127\.0\.0\.1:\d+/ .*\n.* with the code \w{4}-\w{4}", said)
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 0


@pytest.mark.long
def test_an_account_is_made_on_the_terminal(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "companion", "hub", "--account", "Oda", "--data", str(tmp_path / "hub")]

    def made(password: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, cwd=ROOT, input=f"{password}\n", capture_output=True, text=True, timeout=60, check=False
        )

    assert made("correct horse").stdout == "Oda may organise now.\n"
    short = made("short")
    assert (short.returncode, "10 to 200 characters" in short.stderr) == (2, True)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"web": {"prot": 1}}, "did you mean 'port'"),
        ({"webb": {}}, "is no section"),
        ({"web": {"certificate": "/c"}}, "web.certificate and web.key belong together"),
        ({"broker": {"port": 0}}, "it should be from 1 to 65535"),
    ],
)
def test_the_hubs_settings_are_checked(values: dict[str, dict[str, object]], said: str) -> None:
    with pytest.raises(BadInputError, match=re.escape(said)):
        hub_settings_from(values)


def test_the_settings_shown_in_the_document_are_settings(tmp_path: Path) -> None:
    shown = re.findall(r"^```toml\n(.*?)^```", (ROOT / "docs" / "hub.md").read_text(), re.MULTILINE | re.DOTALL)
    path = tmp_path / "hub.toml"
    path.write_text(shown[-1])
    settings = load_hub_settings(path)
    assert (settings.hub.name, settings.web.host) == ("The games café", "0.0.0.0")
    assert load_hub_settings(None) == HubSettings()
