"""The net that counts on: it learns, never takes away more cubes than there were, and is exported faithfully."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.training.moves import Moves
from companion.board import BadInputError
from tests.bench.conftest import Complaint
from vision.cubes.counting_on import MOST_CHANGED, MOST_HELD, NET
from vision.tiles.patches import loaded

torch = pytest.importorskip("torch", reason="PyTorch, which makes the nets, is not here: pip install -e '.[train]'")
pytest.importorskip("onnx", reason="onnx, which holds the nets, is not here: pip install -e '.[train]'")

from bench.training.counting_on import Course, Learner, Pool, allowed, learn, main, planes, told  # noqa: E402
from bench.training.export import FARTHEST, apart, export  # noqa: E402
from bench.training.nets import FEATURES, FEATURES_PX, CountingOn  # noqa: E402

pytestmark = pytest.mark.long

CPU = torch.device("cpu")
TWO_STEPS = Course(steps=2, minutes=None, many=16, rate=2e-3, photographed=0.2, goes_on=False)


@pytest.fixture
def folder(moves: Moves, tmp_path: Path) -> Path:
    moves.write(tmp_path / "moves" / "moves-00043.npz")
    moves.write(tmp_path / "moves" / "left-out" / "t00003.npz")
    return tmp_path / "moves"


def learner(begin: bool = False) -> Learner:
    torch.manual_seed(1)
    return Learner(Path("vision"), CPU, 1, begin)


def test_a_few_steps_make_it_less_wrong(moves: Moves) -> None:
    one, pool = learner(), Pool(CPU)
    pool.add(moves, np.random.default_rng(1))
    assert len(pool) == len(moves.before)
    optimizer = torch.optim.Adam(one.net.parameters(), 2e-3)
    losses = []
    for _ in range(12):
        wrong, right = one.step(pool, 48)
        optimizer.zero_grad()
        wrong.backward()
        optimizer.step()
        losses.append(wrong.item())
        assert 0 <= float(right) <= 1
    assert sum(losses[-3:]) < 0.7 * sum(losses[:3])


def test_no_more_cubes_go_than_there_were() -> None:
    held = torch.tensor([[0, 2, MOST_CHANGED, MOST_HELD + 2]])
    shares = torch.softmax(allowed(torch.zeros(1, 4, 2 * MOST_CHANGED + 1), held), 2)[0]
    assert (shares > 1e-9).sum(1).tolist() == [MOST_CHANGED + 1, MOST_CHANGED + 3] + [2 * MOST_CHANGED + 1] * 2
    assert planes(held, 2)[0, :, 0, 0].tolist() == [0, 2 / MOST_HELD, MOST_CHANGED / MOST_HELD, 1]


def test_it_is_written_and_asked_about_what_it_did_not_learn_from(
    moves: Moves, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = learner()
    learn(one, folder, tmp_path / "out.pt", TWO_STEPS, wait=False, seed=1)
    assert "at the end, left out: changed: " in capsys.readouterr().out
    again = CountingOn()
    again.load_state_dict(torch.load(tmp_path / "out.pt", weights_only=True))
    changed = int((moves.held != moves.holds).any(axis=1).sum())
    assert f"of {changed} wrong" in told(one, sorted((folder / "left-out").glob("*.npz")))
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(BadInputError, match="has no composed moves"):
        learn(one, empty, tmp_path / "out.pt", TWO_STEPS, wait=False, seed=1)


def test_it_goes_on_from_the_net_in_the_repository_and_from_photographed_moves_alone(
    moves: Moves, tmp_path: Path
) -> None:
    moves.write(tmp_path / "crowded-t00600.npz")
    one = learner(begin=True)
    taken = torch.rand((2, 3 * FEATURES + 4, FEATURES_PX, FEATURES_PX), generator=torch.manual_seed(3))
    (told_by_opencv,) = loaded(NET)(taken.numpy())
    with torch.no_grad():
        assert torch.allclose(one.net.eval()(taken), torch.from_numpy(told_by_opencv), atol=1e-3)
    before = {name: value.clone() for name, value in one.net.state_dict().items()}
    with pytest.raises(BadInputError, match="has no composed moves"):
        learn(one, tmp_path, tmp_path / "out.pt", TWO_STEPS, wait=False, seed=1)
    learn(one, tmp_path, tmp_path / "out.pt", replace(TWO_STEPS, photographed=1.0, goes_on=True), wait=False, seed=1)
    after = one.net.state_dict()
    assert any(not torch.equal(after[name], before[name]) for name in before), "it learns"
    means = [name for name in before if name.endswith("running_mean")]
    assert all(torch.equal(after[name], before[name]) for name in means), "layers are normalised as before"


def test_a_share_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, complaint: Complaint) -> None:
    monkeypatch.setattr("sys.argv", ["counting_on", "moves", "--out", "out.pt", "--photographed", "7"])
    assert "--photographed is 7.0; it is a share, from 0 to 1" in complaint(main)


def test_opencv_says_what_pytorch_says(tmp_path: Path) -> None:
    torch.manual_seed(2)
    net = CountingOn().eval()
    export("counting-on", net, tmp_path / "counting-on.onnx")
    assert apart("counting-on", net, tmp_path / "counting-on.onnx") < FARTHEST
