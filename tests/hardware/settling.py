"""A camera that meters, until it has settled."""

from typing import TypeVar

from hardware.camera import Device

Settling = TypeVar("Settling", bound=Device)


def settled(device: Settling) -> Settling:
    """Take its pictures until it holds exposure and white balance."""
    for _ in range(60):
        device.frame(1.0)
        if device.is_settled:
            return device
    raise AssertionError("it did not settle")
