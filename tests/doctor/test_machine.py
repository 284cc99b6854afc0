"""Clock, warmth, power and service, as far as a machine reports them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from companion.doctor import service as service_module
from companion.doctor.health import clock, power, temperature
from companion.doctor.machine import run
from companion.doctor.service import running, service
from companion.wiring import machine
from tests.doctor.machines import NOW, Fake


@pytest.mark.parametrize(
    ("is_set", "newest", "grade", "code"),
    [
        ("yes", NOW - timedelta(days=3), "ok", "clock-kept"),
        ("yes", NOW + timedelta(minutes=4), "ok", "clock-kept"),
        ("yes", NOW + timedelta(days=365), "todo", "clock-behind"),
        ("no", None, "note", "clock-alone"),
    ],
)
def test_a_clock_is_good_if_the_network_sets_it_and_nothing_was_written_later(
    fake: Fake, is_set: str, newest: datetime | None, grade: str, code: str
) -> None:
    fake.says("timedatectl", f"{is_set}\n")
    found = clock(fake.machine, newest)
    assert (found.grade, found.code) == (grade, code)


def test_timesyncd_is_believed_where_timedatectl_is_not_there(fake: Fake) -> None:
    fake.write("/run/systemd/timesync/synchronized")
    assert clock(fake.machine, None).code == "clock-kept"


@pytest.mark.parametrize(
    ("says", "code"),
    [
        (NOW + timedelta(seconds=2), "clock-own"),
        (NOW + timedelta(days=400), "clock-differs"),
        (datetime(1970, 1, 1, 0, 0, 17, tzinfo=UTC), "clock-alone"),
    ],
    ids=["the same", "another time", "no battery"],
)
def test_a_clock_is_compared_with_the_one_that_has_a_battery(fake: Fake, says: datetime, code: str) -> None:
    fake.write("/sys/class/rtc/rtc0/since_epoch", str(int(says.timestamp())))
    assert clock(fake.machine, None).code == code


def test_a_clock_in_1970_must_be_set(fake: Fake) -> None:
    fake.now = datetime(1970, 1, 1, 0, 3, tzinfo=UTC)
    found = clock(fake.machine, None)
    assert (found.grade, found.code) == ("todo", "clock-unset")


@pytest.mark.parametrize(
    ("thousandths", "grade"),
    [("41868", "ok"), ("69499", "ok"), ("71000", "note"), ("80000", "todo"), ("85123", "todo")],
)
def test_the_processors_warmth_is_graded(fake: Fake, thousandths: str, grade: str) -> None:
    fake.write("/sys/class/thermal/thermal_zone0/type", "cpu-thermal\n")
    fake.write("/sys/class/thermal/thermal_zone0/temp", thousandths)
    fake.write("/sys/class/thermal/thermal_zone1/type", "acpitz\n")
    fake.write("/sys/class/thermal/thermal_zone1/temp", "99000")
    assert temperature(fake.machine).grade == grade


@pytest.mark.parametrize("text", ["", "-274000", "warm"])
def test_a_sensor_that_says_nothing_tells_nothing(fake: Fake, text: str) -> None:
    fake.write("/sys/class/thermal/thermal_zone0/type", "cpu-thermal")
    fake.write("/sys/class/thermal/thermal_zone0/temp", text)
    assert temperature(fake.machine).code == "heat-unknown"


@pytest.mark.parametrize(
    ("bits", "code"),
    [
        ("0x0", "power"),
        ("0x50005", "power-low"),
        ("0x50000", "power-was-low"),
        ("0x8", "power-slowed"),
        ("0xe0000", "power-was-slowed"),
    ],
)
def test_the_firmware_tells_of_too_little_power(fake: Fake, bits: str, code: str) -> None:
    fake.be_pi()
    fake.says("vcgencmd", f"throttled={bits}\n")
    assert power(fake.machine).code == code
    assert ["vcgencmd", "get_throttled"] in fake.asked


def test_the_kernel_tells_of_power_where_there_is_no_vcgencmd(fake: Fake) -> None:
    fake.write("/sys/devices/platform/soc/soc:firmware/get_throttled", "50000\n")
    assert power(fake.machine).code == "power-was-low"


@pytest.mark.parametrize(("alarm", "code"), [("1", "power-low"), ("0", "power")])
def test_the_alarm_of_the_pis_voltage_is_heard(fake: Fake, alarm: str, code: str) -> None:
    fake.write("/sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
    fake.write("/sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    fake.write("/sys/class/hwmon/hwmon1/in0_lcrit_alarm", alarm)
    assert power(fake.machine).code == code


def test_another_machine_than_a_pi_does_not_tell_of_its_power(fake: Fake) -> None:
    assert power(fake.machine).code == "power-no-pi"
    fake.be_pi()
    assert power(fake.machine).code == "power-unknown"


def shown(**values: str) -> str:
    usual = {"LoadState": "loaded", "ActiveState": "active", "SubState": "running", "NRestarts": "0"}
    return "\n".join(f"{name}={value}" for name, value in {**usual, **values}.items())


@pytest.mark.parametrize(
    ("said", "grade", "code"),
    [
        (shown(), "ok", "service"),
        (shown(NRestarts="3"), "note", "service-restarted"),
        (shown(ActiveState="activating", SubState="auto-restart", NRestarts="4"), "todo", "service-restarting"),
        (shown(ActiveState="failed", Result="watchdog"), "todo", "service-failed"),
        (shown(ActiveState="failed", Result="exit-code", ExecMainStatus="2"), "todo", "service-bad-input"),
        (shown(ActiveState="inactive", UnitFileState="enabled"), "note", "service-stopped"),
        (shown(ActiveState="inactive", UnitFileState="disabled"), "note", "service-disabled"),
        (shown(LoadState="not-found", ActiveState="inactive"), "note", "service-none"),
    ],
)
def test_systemd_tells_how_the_service_is(fake: Fake, said: str, grade: str, code: str) -> None:
    fake.root.joinpath("run/systemd/system").mkdir(parents=True)
    fake.says("systemctl", said)
    found = service(fake.machine)
    assert (found.grade, found.code) == (grade, code)


@pytest.mark.parametrize(("said", "process"), [("812\n", 812), ("0\n", None), ("", None)])
def test_the_services_process_is_known_to_everybody(fake: Fake, said: str, process: int | None) -> None:
    fake.root.joinpath("run/systemd/system").mkdir(parents=True)
    fake.says("systemctl", said)
    assert running(fake.machine) == process


def test_starts_that_failed_are_told_before_all_else(fake: Fake, tmp_path: Path) -> None:
    assert (service_module.STARTS, service_module.MOST_FAILED) == (machine.STARTS_FILE, machine.MOST_FAILED)
    for noted, code in (("2\n", "service-no-systemd"), ("3\n", "service-safe"), ("x", "service-no-systemd")):
        (tmp_path / machine.STARTS_FILE).write_text(noted)
        assert service(fake.machine, tmp_path).code == code


def test_without_systemd_nothing_is_asked_of_it(fake: Fake) -> None:
    fake.says("systemctl", "Running in chroot, ignoring command 'show'")
    assert service(fake.machine).code == "service-no-systemd"
    assert not fake.asked


def test_a_command_that_is_missing_or_does_not_end_says_nothing() -> None:
    assert run(["strada-has-no-such-command"]) is None
    assert run(["sleep", "60"], timeout_s=0.05) is None
    ran = run(["sh", "-c", "echo $LC_ALL; exit 3"])
    assert ran is not None
    assert (ran.status, ran.output) == (3, "C\n")
