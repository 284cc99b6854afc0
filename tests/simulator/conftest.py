"""A small drawn table that all tests in this folder share: 656 x 492 pixels are drawn quickly."""

import pytest

from simulator import Setup, VirtualCamera, made_setup, virtual_camera

SEED, WIDTH, HEIGHT = 5, 656, 492


@pytest.fixture(scope="session")
def setup() -> Setup:
    return made_setup(virtual_camera(SEED, width=WIDTH, height=HEIGHT, fiducials=True), SEED)


@pytest.fixture
def camera(setup: Setup) -> VirtualCamera:
    return setup.camera
