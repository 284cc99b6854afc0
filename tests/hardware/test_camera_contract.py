"""Every name of picamera2's that hardware/camera/picamera.py uses is in picamera2's published source.

picamera2 cannot be imported off a Raspberry Pi, so its wheel is downloaded (the same files as in its source archive,
with nothing to build) and read as syntax trees. If no package registry can be reached, these tests are skipped.
"""

import ast
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.hardware import fake_picamera2

OURS = Path(__file__).parents[2] / "hardware" / "camera" / "picamera.py"

#: The oldest version seen to have captured_request(flush=...), and the newest when this was written: Raspberry Pi OS
#: ships some version between them.
VERSIONS = ("0.3.25", "0.3.38")

#: libcamera's controls that picamera2 only passes on and never names, so they cannot be checked here. They have been
#: in src/libcamera/control_ids_core.yaml since 0.1; hardware/camera/picamera.py leaves out what a sensor does not list.
NOT_NAMED_BY_PICAMERA2 = {"AeEnable", "AwbEnable", "ColourGains"}

#: What each of our names for one of picamera2's objects stands for: our expression -> its class.
OBJECTS = {"self._camera": "Picamera2", "Picamera2": "Picamera2", "request": "CompletedRequest"}


@dataclass(frozen=True)
class Source:
    """picamera2, as syntax trees by path in the wheel."""

    trees: dict[str, ast.Module]

    def methods(self, name: str) -> dict[str, ast.FunctionDef]:
        """A class's functions; of overloaded ones the last, which is the real one."""
        return {node.name: node for node in self._class(name).body if isinstance(node, ast.FunctionDef)}

    def attributes(self, name: str) -> set[str]:
        """What a class's methods assign to self."""
        return {
            node.attr
            for node in ast.walk(self._class(name))
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self"
        }

    def _class(self, name: str) -> ast.ClassDef:
        (found,) = (
            node
            for tree in self.trees.values()
            for node in tree.body
            if isinstance(node, ast.ClassDef) and node.name == name
        )
        return found

    def words(self) -> set[str]:
        """Every string, and every attribute of `controls`."""
        nodes = [node for tree in self.trees.values() for node in ast.walk(tree)]
        strings = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        return strings | {
            node.attr for node in nodes if isinstance(node, ast.Attribute) and "controls" in ast.unparse(node.value)
        }

    def text(self) -> str:
        """All of it, as Python would write it."""
        return "\n".join(ast.unparse(tree) for tree in self.trees.values())


@pytest.fixture(scope="module", params=VERSIONS)
def source(request: pytest.FixtureRequest) -> Source:
    folder = request.config.cache.mkdir(f"picamera2-{request.param}")
    if not list(folder.glob("*.whl")):
        download(request.param, folder)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        names = [name for name in files.namelist() if re.fullmatch(r"picamera2/\w+\.py", name)]
        return Source({name: ast.parse(files.read(name)) for name in names})


def download(version: str, folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--retries=1"]
    try:
        done = subprocess.run(
            [*command, "--timeout=10", f"picamera2=={version}", f"--dest={folder}"],
            capture_output=True, text=True, timeout=90, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        pytest.skip(f"picamera2 {version} could not be downloaded in 90 s: its contract is not checked")
    if done.returncode:
        pytest.skip(f"picamera2 {version} could not be downloaded: its contract is not checked ({done.stderr[-200:]})")


def ours() -> ast.Module:
    return ast.parse(OURS.read_text())


def uses() -> Iterator[tuple[str, ast.Attribute]]:
    """Yield each attribute that we use of one of picamera2's objects, with the object's class."""
    for node in ast.walk(ours()):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in OBJECTS:
            yield OBJECTS[ast.unparse(node.value)], node


def calls() -> Iterator[tuple[str, str, ast.Call]]:
    """Yield each call of one of picamera2's methods or classes, with class and method."""
    for node in ast.walk(ours()):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in OBJECTS:
            yield OBJECTS[ast.unparse(node.func.value)], node.func.attr, node
        elif isinstance(node.func, ast.Name) and node.func.id in OBJECTS:
            yield OBJECTS[node.func.id], "__init__", node


def our_words() -> set[str]:
    """Every string of ours that is not a sentence, not a docstring and not part of an f-string."""
    tree = ours()
    docs = {
        ast.get_docstring(node, clean=False)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module)
    }
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value
        and node.value not in docs and id(node) not in parts
    } - {"busy"}  # fmt: skip


def parameters(function: ast.FunctionDef) -> list[str]:
    names = [argument.arg for argument in function.args.args]
    is_static = any(ast.unparse(decorator) == "staticmethod" for decorator in function.decorator_list)
    return names if is_static else names[1:]


def test_the_uses_are_found() -> None:
    assert {node.attr for _, node in uses()} >= {"captured_request", "camera_controls", "get_metadata", "make_array"}
    assert {name for _, name, _ in calls()} >= {"__init__", "create_video_configuration", "set_controls"}
    assert our_words() >= {"RGB888", "YUV420", "main", "lores", "SensorTimestamp", "AfTrigger", "output_size"}


def test_every_method_and_property_is_there(source: Source) -> None:
    for owner, node in uses():
        known = set(source.methods(owner)) | source.attributes(owner)
        assert node.attr in known, f"{owner}.{node.attr}, line {node.lineno}"


def test_every_parameter_is_there(source: Source) -> None:
    for owner, name, call in calls():
        known = parameters(source.methods(owner)[name])
        assert len(call.args) <= len(known), f"{owner}.{name}, line {call.lineno}"
        assert {keyword.arg for keyword in call.keywords} <= set(known), f"{owner}.{name}, line {call.lineno}"


def test_properties_are_read_and_methods_called(source: Source) -> None:
    called = {(owner, name) for owner, name, _ in calls()}
    for owner, node in uses():
        function = source.methods(owner).get(node.attr)
        is_property = function is None or any(ast.unparse(each) == "property" for each in function.decorator_list)
        assert ((owner, node.attr) in called) is not is_property, f"{owner}.{node.attr}"


def test_every_control_key_and_format_is_named_there(source: Source) -> None:
    assert our_words() - source.words() == NOT_NAMED_BY_PICAMERA2


def test_every_enumeration_is_used_there_too(source: Source) -> None:
    chains = {ast.unparse(node) for node in ast.walk(ours()) if isinstance(node, ast.Attribute)}
    ours_used = {chain for chain in chains if re.fullmatch(r"controls\.\w+\.\w+", chain)}
    assert len(ours_used) == 5
    text = source.text()
    assert [chain for chain in sorted(ours_used) if chain not in text] == []
    assert "from libcamera import controls" in text


def test_picamera2_is_exported_and_raises_the_timeout_that_we_catch(source: Source) -> None:
    imported = {
        f"{node.module}.{alias.name}"
        for node in ast.walk(source.trees["picamera2/__init__.py"])
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert "picamera2.Picamera2" in imported
    # concurrent.futures' TimeoutError has been the built-in one since Python 3.11.
    assert "self._future.result(timeout=timeout)" in source.text()


def test_what_we_believe_of_bytes_and_stamps_is_so(source: Source) -> None:
    text = source.text()
    assert re.search(r"'RGB888': 'BGR'", text)  # in memory, as PIL names it
    assert "array.reshape((h * 3 // 2, stride))" in text  # YUV 4:2:0 keeps its padding
    assert "md['SensorTimestamp'] - 1000 * md['ExposureTime']" in text  # when the exposure began, monotonic
    assert "flush = time.monotonic_ns()" in text


def test_the_fake_has_no_parameter_that_picamera2_lacks(source: Source) -> None:
    fake = ast.parse(Path(fake_picamera2.__file__).read_text())
    for owner in ("Picamera2", "CompletedRequest"):
        (made_up,) = (node for node in fake.body if isinstance(node, ast.ClassDef) and node.name == owner)
        for function in made_up.body:
            if isinstance(function, ast.FunctionDef) and (owner, function.name) != ("CompletedRequest", "__init__"):
                assert set(parameters(function)) <= set(parameters(source.methods(owner)[function.name])), function.name
