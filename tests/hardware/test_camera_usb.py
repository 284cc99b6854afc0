import cv2
import numpy as np
import pytest

from hardware.camera import Camera, Trouble
from hardware.camera.usb import UsbDevice, video4linux
from tests.hardware.camera_devices import settled
from tests.hardware.conftest import lost_with


class Webcam:
    """A USB camera as OpenCV shows it: thirty pictures a second on its own clock, and controls by OpenCV's names."""

    def __init__(self, *, tells_exposure: bool = True, has_controls: bool = True, stamps: bool = True) -> None:
        self.now_s = 100.0
        self.tells_exposure, self.stamps = tells_exposure, stamps
        self.light, self.exposure, self.told_exposure = 100.0, 20.0, 500.0
        self.is_opened = self.is_plugged = True
        self.broken = 0
        self.grabbed = self.retrieved = 0
        self.controls = (
            {cv2.CAP_PROP_AUTO_EXPOSURE: 3.0, cv2.CAP_PROP_AUTO_WB: 1.0, cv2.CAP_PROP_WB_TEMPERATURE: 4600.0}
            if has_controls
            else {}
        )
        self.was_set: dict[int, float] = {}

    def clock(self) -> float:
        return self.now_s

    def isOpened(self) -> bool:  # noqa: N802 (OpenCV's name)
        return self.is_opened

    def set(self, what: int, value: float) -> bool:
        self.was_set[what] = value
        if what == cv2.CAP_PROP_EXPOSURE and self.controls:
            self.exposure = value
        if what in self.controls:
            self.controls[what] = value
        return True

    def get(self, what: int) -> float:
        if what == cv2.CAP_PROP_POS_MSEC:
            return 1000 * (self.now_s - 0.001) if self.stamps else 0.0
        if what == cv2.CAP_PROP_EXPOSURE and self.controls:
            return self.exposure if self.tells_exposure else self.told_exposure
        return self.controls.get(what, -1.0)

    def grab(self) -> bool:
        if not self.is_plugged:
            self.now_s += 10.0  # OpenCV's own limit
            return False
        self.now_s += 1 / 30
        self.grabbed += 1
        if self.controls.get(cv2.CAP_PROP_AUTO_EXPOSURE, 3.0) == 3.0:
            self.exposure += (self.light - self.exposure) / 2
        return True

    def retrieve(self) -> tuple[bool, np.ndarray | None]:
        if self.broken:
            self.broken -= 1
            return False, None
        self.retrieved += 1
        return True, np.full((96, 128, 3), min(255.0, self.exposure), np.uint8)

    def release(self) -> None:
        self.is_opened = False


def device(webcam: Webcam, **options: float) -> UsbDevice:
    return UsbDevice(open_capture=lambda index: webcam, clock=webcam.clock, **options)  # type: ignore[arg-type]


@pytest.fixture
def webcam() -> Webcam:
    return Webcam()


@pytest.fixture
def usb(webcam: Webcam) -> UsbDevice:
    return device(webcam)


def looked_at(usb: UsbDevice, pictures: int) -> list[float]:
    return [float(usb.frame(2.0).image.mean()) for _ in range(pictures)]


def test_every_picture_is_taken_from_the_driver_but_only_those_due_are_decoded(webcam: Webcam) -> None:
    usb = device(webcam, frames_per_s=10.0)
    started_s = webcam.now_s
    looked_at(usb, 20)
    assert webcam.now_s - started_s == pytest.approx(2.0, abs=0.15)
    assert webcam.retrieved == 20
    assert webcam.grabbed >= 55


def test_picture_has_a_small_one_of_the_same_moment() -> None:
    frame = device(Webcam()).frame(1.0)
    assert frame.small is not None
    assert frame.small.shape == (24, 32, 3)
    assert frame.small[0, 0, 0] == frame.image[0, 0, 0]


@pytest.mark.parametrize("stamps", [True, False])
def test_picture_is_never_said_to_be_newer_than_its_exposure(stamps: bool) -> None:
    webcam = Webcam(stamps=stamps)
    usb = device(webcam)
    for _ in range(5):
        before_s = webcam.now_s
        taken_s = usb.frame(1.0).taken_s
        assert before_s - 0.1 <= taken_s <= webcam.now_s - 1 / 30


def test_size_and_format_are_asked_for(webcam: Webcam) -> None:
    UsbDevice(size_px=(1280, 720), open_capture=lambda index: webcam, clock=webcam.clock)
    assert webcam.was_set[cv2.CAP_PROP_FOURCC] == cv2.VideoWriter.fourcc(*"MJPG")
    assert (webcam.was_set[cv2.CAP_PROP_FRAME_WIDTH], webcam.was_set[cv2.CAP_PROP_FRAME_HEIGHT]) == (1280, 720)


def test_broken_picture_is_passed_over(webcam: Webcam, usb: UsbDevice) -> None:
    webcam.broken = 3
    assert usb.frame(1.0).image.shape == (96, 128, 3)


def test_camera_whose_pictures_are_all_broken_is_lost_in_time(webcam: Webcam, usb: UsbDevice) -> None:
    webcam.broken = 10_000
    assert lost_with(Trouble.SILENT, usb.frame, 1.0)
    assert webcam.now_s < 102.0


def test_cable_that_is_pulled_is_reported(webcam: Webcam, usb: UsbDevice) -> None:
    webcam.is_plugged = False
    assert "check its cable" in lost_with(Trouble.SILENT, usb.frame, 1.0)


def test_camera_that_is_not_there_is_reported() -> None:
    assert "plugged in" in lost_with(Trouble.MISSING, video4linux, 63)


def test_camera_that_another_program_has_is_reported(webcam: Webcam) -> None:
    webcam.is_opened = False
    assert "another program" in lost_with(Trouble.BUSY, device, webcam)


def test_exposure_and_white_balance_are_held_once_settled(webcam: Webcam, usb: UsbDevice) -> None:
    settled(usb)
    assert webcam.get(cv2.CAP_PROP_AUTO_EXPOSURE) == 1.0
    assert webcam.get(cv2.CAP_PROP_AUTO_WB) == 0.0
    webcam.light = 30.0
    assert looked_at(usb, 20)[-1] == pytest.approx(100, abs=5)


def test_metering_anew_finds_the_new_light_and_holds_it(webcam: Webcam, usb: UsbDevice) -> None:
    settled(usb)
    webcam.light = 60.0
    usb.meter()
    assert looked_at(usb, 30)[-1] == pytest.approx(60, abs=3)
    assert webcam.get(cv2.CAP_PROP_AUTO_EXPOSURE) == 1.0


def test_camera_that_does_not_tell_its_exposure_is_let_go_again() -> None:
    webcam = Webcam(tells_exposure=False)
    usb = settled(device(webcam))
    assert looked_at(usb, 20)[-1] == pytest.approx(100, abs=5)
    assert webcam.get(cv2.CAP_PROP_AUTO_EXPOSURE) == 3.0
    usb.meter()
    looked_at(usb, 40)
    assert webcam.get(cv2.CAP_PROP_AUTO_EXPOSURE) == 3.0


def test_camera_without_controls_serves_as_it_is() -> None:
    webcam = Webcam(has_controls=False)
    usb = settled(device(webcam))
    assert not webcam.was_set.keys() & {cv2.CAP_PROP_AUTO_EXPOSURE, cv2.CAP_PROP_AUTO_WB, cv2.CAP_PROP_EXPOSURE}
    assert isinstance(usb, Camera)
    usb.close()
    assert not webcam.is_opened


def test_light_that_never_settles_is_held_after_a_while(webcam: Webcam, usb: UsbDevice) -> None:
    started_s = webcam.now_s
    for k in range(60):
        webcam.light = 60.0 if k % 2 else 120.0
        usb.frame(1.0)
        if usb.is_settled:
            break
    assert 3.5 < webcam.now_s - started_s < 5.0
