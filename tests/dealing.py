"""A drawn board at the beginning of a game."""

import numpy as np

from simulator import Scene, VirtualCamera
from simulator.dealing import PLAYERS, acts, assembled, deal, random_layout


def dealt(camera: VirtualCamera, seed: int) -> Scene:
    """Return the board pieces in a random order and turn, the settlements on them, three players' markers on 0."""
    rng = np.random.default_rng(seed)
    scene = assembled(camera.art, random_layout(rng, camera.art.board.rings), PLAYERS, rng)
    for act in acts(scene, deal(camera.art, scene.layout, rng)):
        scene = act.done(scene, rng)
    return scene
