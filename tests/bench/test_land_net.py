"""The net that recognises terrain and sites on bare boards: what it learns from, and that it learns."""

from pathlib import Path

import numpy as np
import pytest

from bench.training.album import GROUNDS, LEFT_OUT
from bench.training.composed import bare_board
from bench.training.printing import Printing
from companion.board import BadInputError
from companion.setup.nets import LAND_NET, SEEN
from tests.bench.plain_printing import DRAWINGS

torch = pytest.importorskip("torch", reason="PyTorch, which makes the nets, is not here: pip install -e '.[train]'")
pytest.importorskip("onnx", reason="onnx, which holds the nets, is not here: pip install -e '.[train]'")

from bench.training.export import written  # noqa: E402
from bench.training.land import Boards, asked, learn  # noqa: E402
from bench.training.nets import LandNet  # noqa: E402

pytestmark = pytest.mark.long


def test_the_shipped_net_is_small() -> None:
    assert LAND_NET.stat().st_size < 500_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bare boards of two printings, one of them under the name of a table that is left out."""
    folder = tmp_path_factory.mktemp("patches")
    for seed, name in ((1, "composed-00001"), (3, LEFT_OUT[0])):
        bare_board(Printing(seed, DRAWINGS)).write(folder / GROUNDS / f"{name}.npz")
    return folder


def test_a_board_is_learnt_from_in_several_lights_and_asked_about_as_it_is(folder: Path) -> None:
    boards = Boards.read(folder)
    (learnt,), (left_out,) = boards.learnt, boards.left_out
    assert learnt.cells.shape == (4, 6 * 21, SEEN)
    assert not np.allclose(learnt.cells[0], learnt.cells[1])
    assert left_out.name == LEFT_OUT[0]
    assert left_out.cells.shape == (1, 6 * 21, SEEN)


def test_what_is_learnt_is_known_and_written_as_opencv_runs_it(folder: Path, tmp_path: Path) -> None:
    torch.manual_seed(1)
    boards, net = Boards.read(folder), LandNet()
    learn(net, boards, 60, 1)
    words = asked(net, boards.learnt)
    wrong = int(words.split(" terrains wrong")[0].split()[-1])
    assert wrong < 6 * 21 / 2, words
    assert written("land", net, tmp_path) < 500_000


def test_tables_kept_to_measure_with_and_empty_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no bare board to learn from"):
        Boards.read(tmp_path)
    (tmp_path / GROUNDS).mkdir()
    (tmp_path / GROUNDS / "t01000.npz").touch()
    with pytest.raises(BadInputError, match="t01000 is kept to measure with"):
        Boards.read(tmp_path)
    (tmp_path / GROUNDS / "t01000.npz").rename(tmp_path / GROUNDS / "t00001.npz")
    with pytest.raises(BadInputError, match="is no bare board"):
        Boards.read(tmp_path)
