"""The hub's settings: a TOML file with only known keys and checked values; without a file, the defaults apply.

```toml
[hub]
name = "The games café"
folder = "/var/lib/strada-hub"
[web]
host = "0.0.0.0"
[database]
url = "postgresql://strada@localhost/strada"
```
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.board import BadInputError
from companion.settings import sections_from
from companion.settings.section import loaded
from companion.words import LANGUAGES


@dataclass(frozen=True, slots=True)
class HubSection:
    """The hub's name on its pages, and its folder; if empty, `strada-hub` among the user's data."""

    name: str = "Strada"
    folder: str = field(default="", metadata={"is_path": True})


@dataclass(frozen=True, slots=True)
class WebSection:
    """The pages' address. With `certificate` and `key`, in PEM, they are also served under TLS, at `https_port`."""

    host: str = "127.0.0.1"
    port: int = field(default=8700, metadata={"least": 0, "most": 65535})
    streams: int = field(default=200, metadata={"least": 1, "most": 1000})
    trusted_hosts: tuple[str, ...] = ()
    https_port: int = field(default=8743, metadata={"least": 0, "most": 65535})
    certificate: str = field(default="", metadata={"is_path": True})
    key: str = field(default="", metadata={"is_path": True})


@dataclass(frozen=True, slots=True)
class BrokerSection:
    """Where Mosquitto listens: on `web.host`, at that port; with a certificate and its key, in PEM, under TLS.

    `authority` is the certificate that signed them, if the tables' machines do not trust it already.
    """

    port: int = field(default=8701, metadata={"least": 1, "most": 65535})
    certificate: str = field(default="", metadata={"is_path": True})
    key: str = field(default="", metadata={"is_path": True})
    authority: str = field(default="", metadata={"is_path": True})


@dataclass(frozen=True, slots=True)
class DatabaseSection:
    """Where the data is stored: empty for SQLite in the hub's folder, or the URL of a PostgreSQL database."""

    url: str = ""


@dataclass(frozen=True, slots=True)
class HomeSection:
    """Home Assistant's broker: if `host` is set, every table appears there (docs/home-assistant.md); empty for none.

    `authority` is the certificate, in PEM, that signed its own, if this machine does not trust it already. `prefix` is
    that of MQTT discovery, `language` is the language of the entities' names.
    """

    host: str = ""
    port: int = field(default=1883, metadata={"least": 1, "most": 65535})
    user: str = ""
    password: str = field(default="", repr=False)
    tls: bool = False
    authority: str = field(default="", metadata={"is_path": True})
    prefix: str = "homeassistant"
    language: str = "en"


@dataclass(frozen=True, slots=True)
class HubSettings:
    """All settings of a hub."""

    hub: HubSection = field(default_factory=HubSection)
    web: WebSection = field(default_factory=WebSection)
    broker: BrokerSection = field(default_factory=BrokerSection)
    database: DatabaseSection = field(default_factory=DatabaseSection)
    home_assistant: HomeSection = field(default_factory=HomeSection)

    @property
    def folder(self) -> Path:
        """Where the hub's files are."""
        if self.hub.folder:
            return Path(self.hub.folder)
        return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "strada-hub"


_SECTIONS: Mapping[str, type[Any]] = {
    "hub": HubSection, "web": WebSection, "broker": BrokerSection, "database": DatabaseSection,
    "home_assistant": HomeSection,
}  # fmt: skip


def hub_settings_from(values: Mapping[str, Any]) -> HubSettings:
    """Return the settings in such a mapping. Raises BadInputError."""
    settings = HubSettings(**sections_from(values, _SECTIONS))
    for name, section in (("web", settings.web), ("broker", settings.broker)):
        if bool(section.certificate) != bool(section.key):
            raise BadInputError(f"{name}.certificate and {name}.key belong together; name both, or none")
    if settings.home_assistant.language not in LANGUAGES:
        right = ", ".join(LANGUAGES)
        raise BadInputError(
            f"home_assistant.language is {settings.home_assistant.language!r}; it should be one of {right}"
        )
    return settings


def load_hub_settings(path: Path | None) -> HubSettings:
    """Return the file's settings, or the defaults for None. Raises BadInputError naming the key and the remedy."""
    return HubSettings() if path is None else loaded(path, hub_settings_from)
