"""Camera and pins: real cameras made of files, a camera that fails in each way, pins that are not there."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.board import BadInputError
from companion.cli.doctor import _opened_eye
from companion.doctor.devices import LOOK_S, camera, pins
from companion.settings import CameraSettings, PanelSettings, Settings
from hardware.camera import CameraLostError, Frame, Trouble
from tests.doctor.machines import PI, Fake

USB = CameraSettings(kind="usb")


class Eye:
    """A camera that gives pictures or fails as told; each takes a second."""

    def __init__(self, does: Iterator[Trouble | None]) -> None:
        self._does, self.now_s = does, 0.0

    def frame(self, timeout_s: float) -> Frame:
        self.now_s += timeout_s
        if (trouble := next(self._does)) is not None:
            raise CameraLostError(f"it is {trouble}", trouble)
        return Frame(np.zeros((1232, 1640, 3), np.uint8), self.now_s)


def looked_at(*does: Trouble | None, then: Trouble | None = None) -> tuple[str, dict[str, object]]:
    """Return what the doctor finds with a camera that does these things, and then always the last one."""

    def all_of_it() -> Iterator[Trouble | None]:
        yield from does
        while True:
            yield then

    eye = Eye(all_of_it())
    found = camera(USB, lambda stack: eye, clock=lambda: eye.now_s)
    assert eye.now_s < 60, "it waits no longer"
    return found.code, dict(found.facts)


def test_a_camera_that_gives_pictures_is_good() -> None:
    code, facts = looked_at(Trouble.STARTING, Trouble.STARTING)
    assert (code, facts) == ("camera", {"width": "1640", "height": "1232", "seconds": 3.0})


@pytest.mark.parametrize("trouble", list(Trouble))
def test_a_camera_that_fails_is_told_how(trouble: Trouble) -> None:
    code, facts = looked_at(then=trouble)
    named = {"starting": "silent", "silent": "silent", "size": "fault"}.get(trouble, trouble)
    assert code == f"camera-{named}"
    assert facts == ({"why": f"it is {trouble}"} if named == "fault" else {})


@pytest.mark.parametrize("trouble", [Trouble.BLACK, Trouble.FROZEN, Trouble.SILENT])
def test_a_camera_that_fails_after_its_first_pictures_is_found_out(trouble: Trouble) -> None:
    assert looked_at(*[None] * int(LOOK_S - 1), then=trouble)[0] == f"camera-{trouble}"


def test_a_companion_that_runs_keeps_its_camera() -> None:
    found = camera(USB, opened=lambda stack: pytest.fail("it was opened"), process=812)
    assert (found.grade, found.code) == ("unknown", "camera-held")


@pytest.mark.parametrize(("kind", "code"), [("virtual", "camera-drawn"), ("none", "camera-none")])
def test_a_drawn_table_and_a_game_that_is_kept_by_hand_need_no_camera(kind: str, code: str) -> None:
    found = camera(CameraSettings(kind), lambda stack: pytest.fail("it was opened"))
    assert (found.grade, found.code) == ("ok", code)


def test_where_there_is_no_camera_none_is_opened() -> None:
    settings = Settings(camera=CameraSettings(kind="none"))
    with ExitStack() as stack, pytest.raises(BadInputError, match=r"camera\.kind is 'none'"):
        _opened_eye(stack, settings)


def test_a_broken_installation_is_told() -> None:
    def opened(stack: ExitStack) -> Eye:
        raise ImportError("libGL.so.1: cannot open shared object file")

    assert camera(USB, opened).code == "camera-library"


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    noise = np.random.default_rng(3).integers(0, 255, (48, 64, 3), np.uint8)
    cv2.imwrite(str(tmp_path / "001.jpg"), noise)
    return tmp_path


def of(folder: Path) -> CameraSettings:
    return CameraSettings(kind="folder", folder=str(folder), frames_per_s=30)


def test_a_folder_of_photographs_is_looked_at_for_real(photos: Path) -> None:
    settings = Settings(camera=of(photos))
    ticks = map(float, range(1000))
    found = camera(settings.camera, lambda stack: _opened_eye(stack, settings), clock=lambda: next(ticks))
    assert (found.code, found.facts["width"]) == ("camera", "64")
    missing = Settings(camera=of(photos / "none"))
    found = camera(missing.camera, lambda stack: _opened_eye(stack, missing))
    assert found.code == "camera-files"


def test_pins_elsewhere_than_on_a_pi_are_simulated(fake: Fake) -> None:
    assert pins(fake.machine, PanelSettings(), lambda: pytest.fail("opened")).code == "pins-simulated"
    fake.be_pi()
    assert pins(fake.machine, PanelSettings(pins="mock"), lambda: pytest.fail("opened")).code == "pins-simulated"


def test_pins_of_a_pi_are_tried(fake: Fake) -> None:
    fake.be_pi()
    found = pins(fake.machine, PanelSettings(), lambda: True)
    assert (found.code, found.facts["machine"]) == ("pins", PI)
    assert pins(fake.machine, PanelSettings(), lambda: False).code == "pins-library"


def test_missing_pins_that_the_settings_want_are_something_to_do(fake: Fake) -> None:
    def opened() -> bool:
        raise BadInputError("panel.pins is 'lgpio', and there are none")

    found = pins(fake.machine, PanelSettings(pins="lgpio"), opened)
    assert (found.grade, found.code) == ("todo", "pins-none")
    fake.be_pi()
    found = pins(fake.machine, PanelSettings(pins="auto"), opened)
    assert (found.grade, found.code) == ("todo", "pins-library")
