import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import numpy as np
import pytest

from hardware.camera import Camera, Factory, ProcessCamera, Trouble
from tests.hardware import fake_picamera2
from tests.hardware.camera_devices import first_frame, settled
from tests.hardware.conftest import lost_with
from tests.hardware.fake_picamera2 import AfModeEnum, AfTriggerEnum, Sensor

Opener = Callable[..., Any]


@pytest.fixture
def sensor(monkeypatch: pytest.MonkeyPatch) -> Sensor:
    made = Sensor()
    monkeypatch.setattr(fake_picamera2, "SENSOR", made)
    return made


@pytest.fixture
def opened(sensor: Sensor, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opener]:
    for name, module in fake_picamera2.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "hardware.camera.picamera", raising=False)
    from hardware.camera.picamera import PicameraDevice  # noqa: PLC0415

    yield lambda **options: PicameraDevice(**({"size_px": (320, 240), "frames_per_s": 1000.0} | options))
    sys.modules.pop("hardware.camera.picamera")


@pytest.mark.parametrize(
    ("sensor_px", "picture_px"),
    [((4608, 2592), (2304, 1296)), ((3280, 2464), (1640, 1232)), ((4056, 3040), (2028, 1520)), ((1456, 1088),) * 2],
    ids=["Module 3", "Module 2", "HQ", "Global Shutter"],
)
def test_whole_sensor_is_seen(
    opened: Opener, sensor: Sensor, sensor_px: tuple[int, int], picture_px: tuple[int, int]
) -> None:
    sensor.resolution = sensor_px
    frame = opened(size_px=None).frame(1.0)
    assert frame.image.shape == (picture_px[1], picture_px[0], 3)
    assert sensor.configuration["sensor"] == {"output_size": picture_px}
    assert sensor.configuration["raw"] is None


def test_size_asked_for_is_made_from_the_whole_sensor(opened: Opener, sensor: Sensor) -> None:
    frame = opened(size_px=(1920, 1080)).frame(1.0)
    assert frame.image.shape == (1080, 1920, 3)
    assert sensor.configuration["sensor"] == {"output_size": (2304, 1296)}


@pytest.mark.parametrize("size_px", [(2304, 1296), (1640, 1232)])
def test_both_pictures_are_blue_green_red_and_the_small_one_has_no_padding(
    opened: Opener, sensor: Sensor, size_px: tuple[int, int]
) -> None:
    frame = opened(size_px=size_px).frame(1.0)
    assert tuple(frame.image[0, 0]) == sensor.color
    assert frame.small.shape == (size_px[1] // 4, size_px[0] // 4, 3)
    assert np.abs(frame.small.astype(int) - sensor.color).max() <= 3


def test_picture_was_begun_after_it_was_asked_for_and_before_it_came(opened: Opener) -> None:
    device = opened()
    asked_s = time.monotonic()
    taken_s = device.frame(1.0).taken_s
    assert asked_s <= taken_s <= time.monotonic()


def test_pictures_come_no_faster_than_asked_for(opened: Opener) -> None:
    began_s = time.monotonic()
    device = opened(frames_per_s=20.0)
    for number in range(4):
        assert device.frame(1.0).taken_s > began_s + number / 20.0 - 1e-3


def test_what_metering_found_is_held(opened: Opener, sensor: Sensor) -> None:
    device = settled(opened())
    held = sensor.told[-1]
    assert held["AeEnable"] is held["AwbEnable"] is False
    assert held["ExposureTime"] == pytest.approx(8000, rel=0.03)
    assert held["ColourGains"] == pytest.approx((1.8, 1.5), rel=0.03)
    sensor.light = 30_000
    device.frame(1.0)
    assert sensor.exposure == pytest.approx(8000, rel=0.03)


def test_lens_is_focused_once_and_then_left_alone(opened: Opener, sensor: Sensor) -> None:
    device = settled(opened())
    triggers = [told for told in sensor.told if "AfTrigger" in told]
    assert [(told["AfMode"], told["AfTrigger"]) for told in triggers] == [(AfModeEnum.Auto, AfTriggerEnum.Start)]
    device.frame(1.0)
    assert "AfTrigger" not in sensor.told[-1]


def test_lens_that_finds_no_focus_is_held_too(opened: Opener, sensor: Sensor) -> None:
    sensor.finds_focus = False
    settled(opened())


def test_sensor_without_focus_is_not_asked_to(opened: Opener, sensor: Sensor) -> None:
    sensor.focuses = False
    settled(opened())
    assert not any("AfMode" in told for told in sensor.told)


def test_metering_anew_finds_the_new_light_and_holds_it(opened: Opener, sensor: Sensor) -> None:
    device = settled(opened())
    sensor.light = 20_000
    device.meter()
    assert device.is_settled
    for _ in range(30):
        device.frame(1.0)
    assert sensor.told[-1]["AeEnable"] is False
    assert sensor.told[-1]["ExposureTime"] == pytest.approx(20_000, rel=0.03)


def test_cable_that_came_loose_is_reported_in_time(opened: Opener, sensor: Sensor) -> None:
    device = opened()
    device.frame(1.0)
    sensor.is_silent = True
    assert "ribbon cable" in lost_with(Trouble.SILENT, device.frame, 0.05)


def test_module_that_is_missing_or_taken_is_reported(opened: Opener, sensor: Sensor) -> None:
    sensor.is_busy = True
    assert "another program" in lost_with(Trouble.BUSY, opened)
    sensor.is_there = False
    assert "no such camera module" in lost_with(Trouble.MISSING, opened)


def test_usb_camera_is_no_module(opened: Opener, sensor: Sensor) -> None:
    sensor.usb_cameras = 1
    opened()
    assert "no such camera module" in lost_with(Trouble.MISSING, lambda: opened(index=1))


def test_device_keeps_the_protocol_and_is_closed(opened: Opener, sensor: Sensor) -> None:
    device = opened()
    assert isinstance(device, Camera)
    device.close()
    assert not sensor.is_open


@pytest.mark.long
def test_module_serves_from_a_process_of_its_own() -> None:
    fake = Factory("tests.hardware.fake_picamera2:in_the_child", {"frames_per_s": 50.0})
    with closing(ProcessCamera(fake)) as camera:
        frame = first_frame(camera)
    assert frame.image.shape == (1296, 2304, 3)
    assert frame.small is not None
    assert frame.small.shape == (324, 576, 3)
