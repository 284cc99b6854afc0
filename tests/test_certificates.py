"""The table's own certificates: what they vouch for, how long, who may read them, and when they are renewed."""

import logging
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat

from companion.board import BadInputError
from companion.certificates import (
    AUTHORITY,
    FOLDER,
    LEFT,
    LIFE,
    TABLE,
    GivenCertificate,
    Issued,
    OwnCertificate,
    _authority,
    _issued,
)
from companion.settings import WebSettings
from companion.wiring.machine import certificate_of

NOW = datetime(2027, 3, 1, 20, 0, tzinfo=UTC)
NAMES = ["localhost", "127.0.0.1", "[::1]", "strada", "strada.local", "192.168.1.5"]


@dataclass
class House:
    """The data folder, what the table is called in the house, and what time it is there."""

    folder: Path
    names: list[str] = field(default_factory=lambda: list(NAMES))
    now: datetime = NOW

    def start(self) -> OwnCertificate:
        return OwnCertificate(self.folder, lambda: self.names, "strada", lambda: self.now)

    @property
    def table(self) -> Issued:
        return self._kept(TABLE)

    @property
    def authority(self) -> Issued:
        return self._kept(AUTHORITY)

    def _kept(self, name: str) -> Issued:
        kept = Issued.kept_in(self.folder / FOLDER / name)
        assert kept is not None
        return kept


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path / "data")


def named(issued: Issued) -> set[str]:
    names = issued.certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return {*names.get_values_for_type(x509.DNSName), *map(str, names.get_values_for_type(x509.IPAddress))}


def shaken(shown: ssl.SSLContext, authority: bytes, host: str) -> None:
    """Let a client that trusts only the authority shake hands with a server that shows this; raise if it refuses."""
    trusting = ssl.create_default_context(cadata=authority.decode())
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusting.wrap_bio(to_client, to_server, server_hostname=host)
    server = shown.wrap_bio(to_server, to_client, server_side=True)
    for _ in range(3):
        for each in (client, server):
            try:
                each.do_handshake()
            except ssl.SSLWantReadError:
                continue


@pytest.mark.parametrize("host", [name.strip("[]") for name in NAMES])
def test_whoever_trusts_only_the_authority_trusts_the_table_under_each_of_its_names(house: House, host: str) -> None:
    house.now = datetime.now(UTC)
    own = house.start()
    shaken(own.context, own.authority, host)


def test_it_is_refused_under_another_name_and_by_whoever_trusts_another_table(house: House, tmp_path: Path) -> None:
    house.now = datetime.now(UTC)
    own, other = house.start(), House(tmp_path / "other", now=house.now).start()
    with pytest.raises(ssl.SSLCertVerificationError, match=r"doesn't match|mismatch"):
        shaken(own.context, own.authority, "printer.local")
    with pytest.raises(ssl.SSLCertVerificationError):
        shaken(own.context, other.authority, "strada.local")


@pytest.mark.parametrize("host", ["bank.example", "8.8.8.8"])
def test_whoever_steals_the_authority_can_pass_for_nobody_outside_the_house(house: House, host: str) -> None:
    house.now = datetime.now(UTC)
    own = house.start()
    name = ip_address(host) if host[0].isdigit() else host
    stolen = _issued(house.authority, [name], datetime.now(UTC))
    file = house.folder / "stolen.pem"
    file.write_bytes(stolen.pem)
    shown = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    shown.load_cert_chain(file)
    with pytest.raises(ssl.SSLCertVerificationError, match="permitted subtree violation"):
        shaken(shown, own.authority, host)


def test_a_name_of_the_settings_is_vouched_for_and_whatever_is_below_it_where_they_say_so(house: House) -> None:
    house.names += ["Strada.Club.example", ".games.example", "with space", "naïve.example"]
    house.start()
    assert named(house.table) - set(NAMES) == {
        "::1", "strada.club.example", "games.example", "*.games.example",
    }  # fmt: skip


def test_nobody_else_may_read_the_keys(house: House) -> None:
    house.start()
    folder = house.folder / FOLDER
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {each.name: each.stat().st_mode & 0o777 for each in folder.iterdir()} == {AUTHORITY: 0o600, TABLE: 0o600}


def test_a_certificate_is_good_for_less_than_apple_and_others_allow_and_only_to_serve(house: House) -> None:
    house.start()
    table = house.table.certificate
    assert table.not_valid_after_utc - table.not_valid_before_utc == LIFE < timedelta(days=200)
    assert table.not_valid_before_utc <= NOW - timedelta(days=1), "clocks of phones may be behind"
    usage = table.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert [each._name for each in usage] == ["serverAuth"]
    assert not table.extensions.get_extension_for_class(x509.BasicConstraints).value.ca


def test_the_next_start_shows_the_same_of_the_same_authority(house: House) -> None:
    first = house.start()
    shown = house.table.certificate
    again = house.start()
    assert (again.fingerprint, house.table.certificate) == (first.fingerprint, shown)
    assert len(again.fingerprint) == 95
    assert again.called.startswith("Strada strada ")


@pytest.mark.parametrize(
    ("change", "is_new"),
    [
        (lambda house: None, False),
        (lambda house: house.names.append("10.42.0.1"), True),
        (lambda house: house.names.remove("192.168.1.5"), False),
        (lambda house: house.names.append("8.8.8.8"), False),
        (lambda house: setattr(house, "now", NOW + LIFE - LEFT - timedelta(days=1, seconds=1)), False),
        (lambda house: setattr(house, "now", NOW + LIFE - LEFT), True),
        (lambda house: setattr(house, "now", NOW - timedelta(days=400)), False),
    ],
    ids=[
        "nothing", "a new address", "an address gone", "an address outside", "time before its end", "near its end",
        "the clock not set",
    ],
)  # fmt: skip
def test_it_is_renewed_in_time_or_for_a_new_name_and_never_otherwise(
    house: House, change: Callable[[House], object], is_new: bool
) -> None:
    own = house.start()
    shown, context = house.table.certificate, own.context
    change(house)
    own.renew()
    assert (house.table.certificate != shown) is is_new
    assert (own.context is not context) is is_new
    assert house.start().fingerprint == own.fingerprint, "phones need not trust anew"


def test_after_a_year_in_the_cupboard_the_authority_is_still_the_same(house: House) -> None:
    before = house.start().fingerprint
    house.now += timedelta(days=1000)
    assert house.start().fingerprint == before
    assert house.table.certificate.not_valid_after_utc > house.now + LEFT


def test_in_an_authoritys_last_days_one_certificate_lasts_as_long_as_it_does(house: House) -> None:
    own = house.start()
    house.now = house.authority.certificate.not_valid_after_utc - LEFT + timedelta(days=1)
    own.renew()
    shown = house.table.certificate
    house.now += timedelta(days=1)
    own.renew()
    assert house.table.certificate == shown, "it cannot last longer, so it is not made anew each time"
    house.start()
    assert house.table.certificate != shown, "the next start has an authority that lasts"


def test_an_authority_that_ends_is_followed_by_another(house: House, caplog: pytest.LogCaptureFixture) -> None:
    before = house.start().fingerprint
    house.now += timedelta(days=3600)
    assert house.start().fingerprint != before
    assert "phones must trust a new authority" in caplog.text


def test_where_the_clock_is_not_set_a_certificate_begins_when_the_authority_does(house: House) -> None:
    house.now = datetime(1970, 1, 1, tzinfo=UTC)
    house.start()
    assert house.authority.certificate.not_valid_before_utc > datetime(2026, 10, 1, tzinfo=UTC)
    assert house.table.certificate.not_valid_before_utc >= house.authority.certificate.not_valid_before_utc


@pytest.mark.parametrize("name", [AUTHORITY, TABLE])
@pytest.mark.parametrize("spoil", [lambda file: file.chmod(0o644), lambda file: file.write_text("spoilt")])
def test_what_is_spoilt_or_readable_for_others_is_replaced(
    house: House, name: str, spoil: Callable[[Path], object]
) -> None:
    house.start()
    file = house.folder / FOLDER / name
    before = file.read_bytes()
    spoil(file)
    house.start()
    assert file.read_bytes() not in (before, b"spoilt")
    assert file.stat().st_mode & 0o777 == 0o600


def test_what_another_authority_issued_is_not_shown(house: House) -> None:
    house.start()
    other = _authority("strada", [], NOW)
    (house.folder / FOLDER / TABLE).write_bytes(_issued(other, ["localhost"], NOW).pem)
    house.start()
    assert house.table.certificate.issuer == house.authority.certificate.subject


def test_where_it_cannot_be_renewed_the_old_one_stays(house: House, caplog: pytest.LogCaptureFixture) -> None:
    own = house.start()
    context = own.context
    file = house.folder / FOLDER / TABLE
    file.unlink()
    file.mkdir()
    house.names.append("10.42.0.1")
    own.renew()
    assert own.context is context
    assert "cannot be renewed" in caplog.text


# What the settings ask for.


def test_where_nothing_can_be_kept_there_is_no_https_and_it_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FOLDER).write_text("in the way")
    assert certificate_of(WebSettings(https="own"), tmp_path, lambda: NAMES) is None
    assert "there is no HTTPS" in caplog.text


def test_a_drawn_table_cannot_keep_a_certificate() -> None:
    with pytest.raises(BadInputError, match=r"name logbook\.folder too"):
        certificate_of(WebSettings(https="own"), None, lambda: NAMES)


def test_by_default_there_is_no_https() -> None:
    assert certificate_of(WebSettings(), None, lambda: NAMES) is None


@dataclass
class Given:
    """A certificate and its key in two files, as certbot writes them."""

    certificate: Path
    key: Path

    def write(self, issued: Issued) -> None:
        self.certificate.write_bytes(issued.certificate.public_bytes(Encoding.PEM))
        self.key.write_bytes(issued.pem.partition(b"-----BEGIN CERTIFICATE")[0])


@pytest.fixture
def given(tmp_path: Path) -> Given:
    made = Given(tmp_path / "fullchain.pem", tmp_path / "privkey.pem")
    made.write(_issued(_authority("club", [], NOW), ["localhost"], NOW))
    return made


def test_given_files_are_shown_and_read_again_when_they_change(given: Given) -> None:
    shown = GivenCertificate(given.certificate, given.key)
    first = shown.context
    shown.renew()
    assert shown.context is first
    authority = _authority("club", [], datetime.now(UTC))
    given.write(_issued(authority, ["localhost"], datetime.now(UTC)))
    shown.renew()
    shaken(shown.context, authority.certificate.public_bytes(Encoding.PEM), "localhost")


def test_given_files_are_read_again_once_they_may_be_read(given: Given) -> None:
    shown = GivenCertificate(given.certificate, given.key)
    first = shown.context
    given.key.chmod(0o640)  # only the rights change, as when somebody lets the service read it
    shown.renew()
    assert shown.context is not first


def test_given_files_that_are_spoilt_later_leave_what_is_shown(given: Given, caplog: pytest.LogCaptureFixture) -> None:
    shown = GivenCertificate(given.certificate, given.key)
    first = shown.context
    given.key.write_text("spoilt")
    shown.renew()
    given.certificate.unlink()
    shown.renew()
    assert shown.context is first
    assert caplog.text.count("the certificate from before stays in use") == 2


def _encrypted(given: Given) -> None:
    key = _authority("club", [], NOW).key
    given.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda given: given.certificate.write_text("no certificate"),
        lambda given: given.key.write_text("no key"),
        lambda given: given.key.unlink(),
        lambda given: given.key.write_bytes(_authority("other", [], NOW).pem),
        _encrypted,
    ],
    ids=["no certificate", "no key", "missing", "of another", "encrypted"],
)
def test_given_files_that_cannot_be_used_are_refused(given: Given, spoil: Callable[[Given], object]) -> None:
    spoil(given)
    with pytest.raises(BadInputError, match=r"(fullchain|privkey)\.pem cannot be"):
        GivenCertificate(given.certificate, given.key)


def test_nothing_is_said_of_keys_in_the_log(house: House, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        house.start()
    assert "PRIVATE" not in caplog.text


@pytest.mark.parametrize("name", [AUTHORITY, TABLE])
def test_no_flipped_bit_keeps_the_table_from_starting(tmp_path: Path, name: str) -> None:
    OwnCertificate(tmp_path, lambda: ("localhost",), "strada")
    path = tmp_path / FOLDER / name
    whole = path.read_bytes()
    for at in range(0, len(whole), 23):
        path.write_bytes(bytes([*whole[:at], whole[at] ^ 1 << at % 7, *whole[at + 1 :]]))
        OwnCertificate(tmp_path, lambda: ("localhost",), "strada")
