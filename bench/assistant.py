"""Home Assistant and a house's Mosquitto, for the bench that connects a hub to them.

Home Assistant is installed from its package into an environment of its own, and set up as people do it, with the
requests that its own pages send.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from bench.servers import free_port
from hub.broker import found_program

ROOT = Path(__file__).resolve().parents[1]

#: Where the environment is kept, so that a second run need not install it again.
ENVIRONMENT = ROOT / "build" / "home-assistant"

#: The parts of Home Assistant that run; their manifests say what they need.
INTEGRATIONS = ("api", "automation", "config", "frontend", "homeassistant", "mqtt", "onboarding", "scene")

#: Home Assistant wants a newer Python than the hub: the first of these that is installed.
PYTHONS = ("python3.14", "python3.13", "python3.12")

#: How long installing, a start, and anything else may take.
INSTALL_S, START_S, SOON_S = 1200.0, 180.0, 180.0

#: Stands in for a speaker and a phone: what is sent to them becomes a state. The strip is a light over MQTT.
COMPONENT = """
def setup(hass, config):
    for domain, service in (("tts", "speak"), ("notify", "mobile_app_referee")):
        def note(call, name=f"heard.{domain}"):
            hass.states.set(name, str(call.data.get("message"))[:200], {"title": call.data.get("title")})
        hass.services.register(domain, service, note)
    return True
"""
STRIP = "bench/strip"


class Assistant:
    """Home Assistant in that folder, from `start` to `stop`."""

    def __init__(self, program: Path, folder: Path) -> None:
        self._program, self._folder, self.port = program, folder, free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._token = ""

    def configure(self) -> None:
        """Write its settings: only what the document's automations need."""
        own = self._folder / "custom_components" / "heard"
        own.mkdir(parents=True)
        (own / "__init__.py").write_text(COMPONENT)
        (own / "manifest.json").write_text(json.dumps({"domain": "heard", "name": "Heard", "version": "1.0"}))
        light = {"name": "wled", "schema": "json", "command_topic": STRIP, "supported_color_modes": ["rgb"],
                 "brightness": True, "default_entity_id": "light.wled", "object_id": "wled"}  # fmt: skip
        if "default_entity_id" not in _source(self._program, "mqtt"):
            del light["default_entity_id"]
        settings: Mapping[str, Any] = {
            "homeassistant": {"name": "bench"},
            "http": {"server_host": "127.0.0.1", "server_port": self.port},
            "api": {}, "config": {}, "onboarding": {}, "scene": [], "heard": {},
            "mqtt": [{"light": light}],
        }  # fmt: skip
        # JSON is YAML. The automations stay as they are written.
        lines = [f"{name}: {json.dumps(value)}" for name, value in settings.items()]
        lines.append("automation:")
        for text in automations():
            lines += [f"  {'-' if not at else ' '} {line}" for at, line in enumerate(text.splitlines())]
        (self._folder / "configuration.yaml").write_text("\n".join(lines) + "\n")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        words = [str(self._program), "--config", str(self._folder), "--skip-pip"]
        with (self._folder / "said.txt").open("ab") as said:
            self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        until(self._answers, START_S, "Home Assistant does not answer")

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def let_in(self) -> None:
        """Make the first account, as people do when they open its page for the first time."""
        who = f"http://127.0.0.1:{self.port}/"
        own = {"client_id": who, "name": "Bench", "username": "bench", "password": "bench bench", "language": "en"}
        code = self.ask("/api/onboarding/users", own)["auth_code"]
        form = {"grant_type": "authorization_code", "code": code, "client_id": who}
        self._token = self.ask("/auth/token", form, is_form=True)["access_token"]

    def add_broker(self, port: int, user: str, password: str) -> None:
        """Add the MQTT integration, as people do on its page *Devices & services*."""
        flow = self.ask("/api/config/config_entries/flow", {"handler": "mqtt"})
        given = {"broker": "127.0.0.1", "port": port, "username": user, "password": password}
        done = self.ask(f"/api/config/config_entries/flow/{flow['flow_id']}", given)
        assert done.get("type") == "create_entry", f"the broker was not added: {done}"

    def state(self, entity: str) -> Mapping[str, Any]:
        """Return an entity's state and attributes; nothing if there is no such entity."""
        try:
            found: Mapping[str, Any] = self.ask(f"/api/states/{entity}")
        except urllib.error.HTTPError:
            return {}
        return found

    def ask(self, path: str, body: Mapping[str, Any] | None = None, *, is_form: bool = False) -> Any:
        """Return its answer, by POST if something is sent; raises OSError."""
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        content = None
        if body is not None:
            content = (urllib.parse.urlencode(body) if is_form else json.dumps(body)).encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded" if is_form else "application/json"
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", content, headers)
        with urllib.request.urlopen(asked, timeout=20) as answer:
            return json.loads(answer.read())

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, f"Home Assistant ended: {self._folder / 'said.txt'}"
        with suppress(OSError, ValueError):
            self.ask("/manifest.json")
            return True
        return False


class House:
    """The house's Mosquitto, with a user and a password, and what is sent to the strip."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.port, self.user, self.password = free_port(), "strada", "a house's own"
        keys, conf = folder / "keys", folder / "house.conf"
        subprocess.run(["mosquitto_passwd", "-b", "-c", keys, self.user, self.password], check=True, timeout=20)
        own = f"allow_anonymous false\npassword_file {keys}\npersistence false\nuser root\n"
        conf.write_text(f"listener {self.port} 127.0.0.1\n{own}")
        process = subprocess.Popen([found_program(), "-c", str(conf)], stderr=subprocess.DEVNULL)
        stack.callback(process.wait, 10)
        stack.callback(process.terminate)
        self.strip: list[Mapping[str, Any]] = []
        self.verdicts: list[str] = []
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self._client.username_pw_set(self.user, self.password)
        self._client.on_connect = lambda client, *_: client.subscribe([(STRIP, 1), ("strada/+/+/home/verdict", 1)])
        self._client.on_message = lambda _client, _data, heard: self._hear(heard.topic, json.loads(heard.payload))
        until(self._is_in, START_S, "the house's Mosquitto does not listen")
        self._client.loop_start()
        stack.callback(self._client.loop_stop)
        stack.callback(self._client.disconnect)

    def _hear(self, topic: str, said: Mapping[str, Any]) -> None:
        if topic == STRIP:
            self.strip.append(said)
        else:
            self.verdicts.append(str(said["event_type"]))

    def _is_in(self) -> bool:
        with suppress(OSError):
            self._client.connect("127.0.0.1", self.port)
            return True
        return False


def automations() -> list[str]:
    """Return the automations of docs/home-assistant.md, as they are written there."""
    return re.findall(r"```yaml\n(alias: .*?)\n```", (ROOT / "docs" / "home-assistant.md").read_text(), re.DOTALL)


def until(holds: Callable[[], object], within_s: float, wrong: str) -> float:
    """Wait until the condition holds; return how long that took. Raises AssertionError with the sentence."""
    began_s = time.monotonic()
    while not holds():
        assert time.monotonic() - began_s < within_s, wrong
        time.sleep(0.1)
    return time.monotonic() - began_s


def found_python() -> str | None:
    """Return a Python that Home Assistant can use; None if this machine has none."""
    for name in PYTHONS:
        known = Path.home() / ".pyenv" / "versions"
        others = sorted(known.glob(f"{name.removeprefix('python')}*/bin/python"))
        places = [found for found in (shutil.which(name), *map(str, others)) if found]
        for place in places:
            if subprocess.run([place, "-c", ""], check=False, capture_output=True, timeout=20).returncode == 0:
                return place
    return None


def installed(python: str, environment: Path = ENVIRONMENT) -> Path:
    """Install the newest Home Assistant for that Python, unless it is there; return its program."""
    program = environment / "bin" / "hass"
    if not program.exists():
        subprocess.run([python, "-m", "venv", str(environment)], check=True, timeout=INSTALL_S)
        _install(environment, "homeassistant")
    needed = sorted({each for name in INTEGRATIONS for each in _needs(program, name, set())})
    _install(environment, *needed)
    return program


def _install(environment: Path, *packages: str) -> None:
    words = [str(environment / "bin" / "pip"), "install", "--quiet", "--no-input", *packages]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=INSTALL_S)


def _components(program: Path) -> Path:
    return next((program.parents[1] / "lib").glob("python*/site-packages/homeassistant/components"))


def _needs(program: Path, integration: str, known: set[str]) -> list[str]:
    """Return what an integration and those it depends on need, according to their manifests."""
    known.add(integration)
    manifest = json.loads((_components(program) / integration / "manifest.json").read_text())
    further = [each for each in manifest.get("dependencies", []) if each not in known]
    return [*manifest.get("requirements", []), *(need for each in further for need in _needs(program, each, known))]


def _source(program: Path, integration: str) -> str:
    return "".join(path.read_text() for path in (_components(program) / integration).glob("*.py"))


def version_of(program: Path) -> str:
    """Return which version is installed."""
    done = subprocess.run([str(program), "--version"], check=True, capture_output=True, text=True, timeout=60)
    return done.stdout.strip()
