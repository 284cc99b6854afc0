"""The table's own certificates, for HTTPS where nobody else vouches for it.

A small authority is made once, and phones that trust it trust the table. It may vouch only for names in local networks
(RFC 5280's name constraints), so it is worth little to a thief. The certificate that the table shows is renewed in good
time before it expires, and when the table gets a new name or address. Both are files that no other user may read.
"""

from __future__ import annotations

import logging
import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from secrets import token_hex
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from companion.board import BadInputError
from companion.system.durable import contents, private, write_whole

Name = str | IPv4Address | IPv6Address

#: The folder inside the data folder, and the files in it: the authority's key and certificate, and the table's.
FOLDER, AUTHORITY, TABLE = "https", "authority.pem", "table.pem"

#: How long phones may trust the authority, and how long a certificate of the table is good. Apple accepts at most 825
#: days, even from a private authority (https://support.apple.com/103769), and other browsers may accept no more than
#: the 200 days that public authorities have been limited to since March 2026.
AUTHORITY_LIFE, LIFE = timedelta(days=3650), timedelta(days=199)

#: A certificate with less time left than this is renewed, so that a table used twice a year always has a valid one.
LEFT = timedelta(days=100)

#: How far phones' clocks may be behind.
BACK = timedelta(days=1)

#: No table made certificates before this. While a Pi's clock is not set yet, it is taken to be at least this late.
FIRST = datetime(2026, 11, 1, tzinfo=UTC)

#: The networks whose addresses it vouches for: the private ones (RFC 1918, 6598, 3927, 4193), and the machine itself.
PRIVATE: tuple[IPv4Network | IPv6Network, ...] = tuple(
    ip_network(each)
    for each in (
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16", "127.0.0.0/8",
        "fc00::/7", "fe80::/10", "::1/128",
    )
)  # fmt: skip

#: The names it vouches for: those of mDNS, and the machine itself.
LOCAL = ("local", "localhost")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Issued:
    """A certificate and its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def pem(self) -> bytes:
        """Both, as they are kept."""
        key = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return key + self.certificate.public_bytes(Encoding.PEM)

    @classmethod
    def kept_in(cls, path: Path) -> Issued | None:
        """Return what is kept there; None if it is missing, spoilt, or readable by others."""
        pem = private(path)
        try:
            key = None if pem is None else load_pem_private_key(pem, None)
            if pem is None or not isinstance(key, ec.EllipticCurvePrivateKey):
                return None
            certificate = x509.load_pem_x509_certificate(pem)
            return cls(certificate, key) if certificate.public_key() == key.public_key() else None
        except Exception:  # cryptography reports spoilt parts in many ways, each when that part is first read
            return None


def _is_sound(authority: Issued) -> bool:
    """Whether it has signed itself, and says for whom it may vouch."""
    try:
        authority.certificate.verify_directly_issued_by(authority.certificate)
        authority.certificate.extensions.get_extension_for_class(x509.NameConstraints)
    except Exception:  # as in `kept_in`
        return False
    return True


class OwnCertificate:
    """The table's own certificate, made by its own authority, which is made in `folder` if there is none.

    `names` returns the names and addresses under which the table is reached, and is called anew each time; `called` is
    the machine's name. Raises OSError if nothing can be kept. `renew` belongs to one thread; the rest may be read by
    any.
    """

    def __init__(
        self,
        folder: Path,
        names: Callable[[], Iterable[str]],
        called: str,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._folder, self._names, self._now = folder / FOLDER, names, now
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._authority = self._kept_authority(called)
        self._table = Issued.kept_in(self._folder / TABLE)
        if not self._is_good(self._table, self._vouched_for()):
            self._issue()
        self.context = context_of(self._folder / TABLE)

    @property
    def authority(self) -> bytes:
        """The authority's certificate, which phones must trust, as PEM."""
        return self._authority.certificate.public_bytes(Encoding.PEM)

    @property
    def called(self) -> str:
        """What the authority is called."""
        (name,) = self._authority.certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
        return str(name.value)

    @property
    def fingerprint(self) -> str:
        """The authority's SHA-256 fingerprint: pairs of hexadecimal digits with colons between them, as phones show."""
        return self._authority.certificate.fingerprint(hashes.SHA256()).hex(":").upper()

    def renew(self) -> None:
        """Make a new certificate if one is needed; if it cannot be kept, the old one stays."""
        if self._is_good(self._table, self._vouched_for()):
            return
        try:
            self._issue()
            self.context = context_of(self._folder / TABLE)
        except OSError as error:
            _log.warning("the table's certificate cannot be renewed: %s", error.strerror or error)

    def _kept_authority(self, called: str) -> Issued:
        path = self._folder / AUTHORITY
        kept = Issued.kept_in(path)
        if kept is not None and _is_sound(kept) and self._now() + LIFE + BACK < kept.certificate.not_valid_after_utc:
            return kept
        if path.exists():
            _log.warning("%s could be read by others, is spoilt or ends: phones must trust a new authority", path)
        made = _authority(called, self._asked_for(), self._now())
        write_whole(path, made.pem, mode=0o600)
        return made

    def _asked_for(self) -> list[Name]:
        """Return the names and addresses under which the table is reached."""
        return [name for each in self._names() for name in _names_of(each)]

    def _vouched_for(self) -> list[Name]:
        """Return those that the authority may vouch for."""
        constraints = self._authority.certificate.extensions.get_extension_for_class(x509.NameConstraints).value
        within = [each.value for each in constraints.permitted_subtrees or ()]
        return [each for each in self._asked_for() if any(_is_within(each, it) for it in within)]

    def _is_good(self, issued: Issued | None, names: Iterable[Name]) -> bool:
        """Whether the authority issued it, it covers all these names, and it lasts long enough."""
        if issued is None:
            return False
        try:
            issued.certificate.verify_directly_issued_by(self._authority.certificate)
            named = issued.certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
            known = {*named.get_values_for_type(x509.DNSName), *named.get_values_for_type(x509.IPAddress)}
        except Exception:  # ValueError, TypeError, cryptography's InvalidSignature, and what it raises for spoilt ones
            return False
        now = self._now()
        if now < self._authority.certificate.not_valid_before_utc:
            return known.issuperset(names)  # the clock is not set yet
        begins, ends = issued.certificate.not_valid_before_utc, issued.certificate.not_valid_after_utc
        lasts = now < ends - LEFT or (now < ends and ends >= self._authority.certificate.not_valid_after_utc - 2 * BACK)
        return known.issuperset(names) and begins <= now and lasts

    def _issue(self) -> None:
        names = self._vouched_for()
        if others := [str(each) for each in self._asked_for() if each not in names]:
            _log.warning("the table's authority may not vouch for %s; delete %s for a new one, which phones must trust "
                         "anew", ", ".join(others), self._folder)  # fmt: skip
        made = _issued(self._authority, names, self._now())
        write_whole(self._folder / TABLE, made.pem, mode=0o600)
        self._table = made


class GivenCertificate:
    """A certificate that somebody else issued, in files that are read again when they change. Raises BadInputError."""

    authority = called = fingerprint = None

    def __init__(self, certificate: Path, key: Path) -> None:
        self._files = (certificate, key)
        self._read = self._stamps()
        self.context = context_of(certificate, key)

    def renew(self) -> None:
        """Read the files again if they changed; if they cannot be used, the old certificate stays."""
        try:
            if (stamps := self._stamps()) != self._read:
                self._read = stamps
                self.context = context_of(*self._files)
        except BadInputError as error:
            _log.warning("%s; the certificate from before stays in use", error)

    def _stamps(self) -> list[int]:
        try:
            return [each.stat().st_ctime_ns for each in self._files]  # changed permissions count, too
        except OSError as error:
            raise BadInputError(f"{error.filename} cannot be read ({error.strerror}); web.https needs it") from None


def context_of(certificate: Path, key: Path | None = None) -> ssl.SSLContext:
    """Return a server's context for TLS 1.2 or newer; raises BadInputError for files that cannot be used."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    try:
        for each in filter(None, (certificate, key)):
            contents(each, most_bytes=1024**2)  # a pipe is not waited for
        context.load_cert_chain(certificate, key, password=_no_password)
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        why = error.strerror if isinstance(error, OSError) and not isinstance(error, ssl.SSLError) else error
        raise BadInputError(
            f"{certificate} cannot be used for HTTPS ({why}); it should be a certificate in PEM, with its key "
            "beside it in web.key, not encrypted"
        ) from None
    return context


def _no_password() -> str:
    """Give OpenSSL no password; without this it would ask for one on the terminal."""
    raise ValueError("its key is encrypted")


def _authority(called: str, names: Iterable[Name], now: datetime) -> Issued:
    """Return a new authority for those names and addresses, and for all local ones."""
    key = ec.generate_private_key(ec.SECP256R1())
    title = f"Strada {called[:40]} {token_hex(2)}"
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, title)])
    others = [each for each in names if not any(_is_within(each, it) for it in (*LOCAL, *PRIVATE))]
    hosts = dict.fromkeys((*LOCAL, *(each.removeprefix("*.") for each in others if isinstance(each, str))))
    networks = (*PRIVATE, *(ip_network(each) for each in others if not isinstance(each, str)))
    known = [*map(x509.DNSName, hosts), *map(x509.IPAddress, networks)]
    usage = _usage(is_authority=True)
    builder = _builder(subject, subject, key, max(now, FIRST), AUTHORITY_LIFE)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    builder = builder.add_extension(usage, critical=True)
    builder = builder.add_extension(x509.NameConstraints(known, None), critical=True)
    return Issued(builder.sign(key, hashes.SHA256()), key)


def _issued(authority: Issued, names: Iterable[Name], now: datetime) -> Issued:
    """Return a new certificate for those names, with a new key."""
    key, by = ec.generate_private_key(ec.SECP256R1()), authority.certificate
    known = list(dict.fromkeys(names))
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, str(known[0])[:64])])
    begins = max(now, by.not_valid_before_utc + BACK)
    builder = _builder(subject, by.subject, key, begins, min(LIFE, by.not_valid_after_utc - begins))
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    builder = builder.add_extension(_usage(is_authority=False), critical=True)
    builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    alternatives = [x509.DNSName(each) if isinstance(each, str) else x509.IPAddress(each) for each in known]
    builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    return Issued(builder.add_extension(issuer, critical=False).sign(authority.key, hashes.SHA256()), key)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, begins: datetime, life: timedelta
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins - BACK)
        .not_valid_after(begins - BACK + life)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(is_authority: bool) -> x509.KeyUsage:
    never = dict.fromkeys(
        ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "encipher_only",
         "decipher_only"), False,
    )  # fmt: skip
    return x509.KeyUsage(digital_signature=not is_authority, key_cert_sign=is_authority, crl_sign=is_authority, **never)


def _names_of(host: str) -> list[Name]:
    """Return what a certificate calls a host: an address or a name; ".club.example" covers itself and all below.

    A name that no certificate may hold gives an empty list.
    """
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    try:
        return [ip_address(bare)]
    except ValueError:
        pass
    name = bare.lower().removeprefix(".")
    try:
        x509.DNSName(name)
    except ValueError:  # not ASCII
        return []
    if not name or any(character.isspace() for character in name):
        return []
    return [name, f"*.{name}"] if bare.startswith(".") else [name]


def _is_within(name: Name, permitted: Any) -> bool:
    """Whether a name constraint permits it (RFC 5280, 4.2.1.10)."""
    if isinstance(name, str):
        return isinstance(permitted, str) and f".{name.removeprefix('*.')}".endswith(f".{permitted}")
    return isinstance(permitted, IPv4Network | IPv6Network) and name in permitted
