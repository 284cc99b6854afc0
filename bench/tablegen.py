"""Tables of printings that nobody has looked at, rendered on demand by ../shared/tablegen and kept beside the checkout.

    python -m bench.tablegen 2000-2049 [--tables ../tables-unseen] [--photos 6] [--evening] [--hand other]
        [--renderer PYTHON]

Each seed is a table, such as `TABLES/t02000`. A finished table is kept, and an interrupted one continues. Seeds 1 to
999 are for learning, 1000 to 1999 for choosing between versions, and 2000 to 2999 for reporting: these are rendered and
scored, but never looked at. `--evening` renders the evening that `bench.planned` makes of each seed instead of the
seed's own game. With `--hand other` board and tiles are drawn by `bench.other_hand` instead of tablegen, and the tables
are kept in a folder of their own. The renderer needs Blender as a Python module. It gets an environment of its own,
`TABLES/.renderer`, as tablegen's README says, unless `--renderer` or STRADA_RENDERER names a Python that has it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.board import BadInputError

#: The first seed of each group, and the one after the last: for learning, for choosing between versions, for reporting.
LEARN, CHOOSE, REPORT, END = 1, 1000, 2000, 3000
LOOKED_AT = "looked-at.txt"
#: Seeds for reporting that were looked at while the reader was built, so that no report anywhere counts them.
BUILT_WITH = frozenset({2006, 2021})
TABLES = Path("../tables-unseen")
#: Who draws board and tiles, and where tables are kept whose printing that hand drew.
HANDS = {"tablegen": TABLES, "other": Path("../tables-other-hand")}
#: Photographs of a table's own game, as many as the bars ask for.
PHOTOS = 6
#: How long making an environment may take, a table's printing, each photograph, and a sketch.
_INSTALL_S, _PRINTING_S, _PHOTO_S, _SKETCH_S = 3600.0, 900.0, 240.0, 300.0
#: The folder of the generator must hold these.
_NEEDED = ("make.py", "plan.py", "README.md")

#: Run with the generator's Python, in its folder: prints what a seed lays where, and on which side each colour's track
#: is.
_SKETCH = """
import json, sys
import game, make
from hexes import COLORS, name
seed, pieces = json.loads(sys.argv[1])
s = make.Shoot.sketch(seed)
laid = game.Layout(s.art, "plan", sorted(map(tuple, pieces), key=lambda p: p[1])) if pieces else s.dealt
print(json.dumps({
    "seed": seed,
    "layout": [dict(zip(("piece", "slot", "turn"), p)) for p in laid.pieces],
    "terrain": {name(c): t for c, t in laid.terrain.items()},
    "sites": sorted(name(c) for c in laid.sites),
    "sides": {k: int(s.art.track_line(k)[1]) for k in COLORS},
}))
"""


@dataclass(frozen=True, slots=True)
class Generator:
    """The generator's folder, and a Python that has what it imports."""

    folder: Path
    python: Path
    hand: str = "tablegen"

    @classmethod
    def of(cls, shared: Path, tables: Path, renderer: str | None = None, hand: str = "tablegen") -> Generator:
        """Return the generator; make its environment if neither `renderer` nor STRADA_RENDERER names one.

        `hand` is one of HANDS. Raises BadInputError if the generator, its Python or anything it needs is missing.
        """
        folder = shared / "tablegen"
        lacking = [name for name in _NEEDED if not (folder / name).is_file()]
        if lacking:
            raise BadInputError(
                f"{folder} has no {', '.join(lacking)}; SHARED should name the folder with tablegen/,"
                " or give --no-render to score what is rendered already"
            )
        named = renderer or os.environ.get("STRADA_RENDERER")
        if named is None:
            return cls(folder.resolve(), _environment(folder, tables / ".renderer"), hand)
        if not Path(named).is_file():
            raise BadInputError(f"the renderer is {named}, which is not a file; name the python of its environment")
        return cls(folder.resolve(), Path(named).absolute(), hand)

    def sketch(self, seed: int, pieces: Sequence[tuple[int, int, int]] | None = None) -> dict[str, Any]:
        """Return what the seed lays where: layout, terrain by cell, sites, and the side of each colour's day track.

        `pieces` are (piece, slot, turn) for another layout; None: the layout of the seed's own game.
        """
        asked = json.dumps([seed, pieces and list(pieces)])
        found: dict[str, Any] = json.loads(self._run(["-c", _SKETCH, asked], _SKETCH_S, f"seed {seed}"))
        return found

    def judge(self, seed: int, plan: Path) -> str:
        """Return what the generator says of a plan; raises BadInputError with that if the plan is impossible."""
        return self._run(["plan.py", str(seed), str(plan.resolve())], _SKETCH_S, f"the plan of seed {seed}").strip()

    def render(self, seed: int, tables: Path, photos: int = PHOTOS, plan: Mapping[str, Any] | None = None) -> None:
        """Render the seed's whole table, with that many photographs of its game or with the planned evening.

        Raises BadInputError if that fails or takes too long.
        """
        tables.mkdir(parents=True, exist_ok=True)
        words = ["make.py", str(seed), str(tables.resolve()), "--fast", "--photos", str(photos)]
        words += ["--work", str((tables / ".work").resolve())]
        if plan is not None:
            photos = len(plan["photos"])
            path = plan_path(tables, seed)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(plan, separators=(",", ":")) + "\n", encoding="utf-8")
            words += ["--plan", str(path.resolve()), "--game", "evening"]
        self._run(words, _PRINTING_S + _PHOTO_S * (photos + 2), f"seed {seed}")

    def _run(self, words: list[str], limit_s: float, what: str) -> str:
        told = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        if self.hand == "other":
            told["PYTHONPATH"] = str(Path(__file__).resolve().parent.parent)
            words = ["-m", "bench.other_hand.art", str(self.folder), *words]
        try:
            done = subprocess.run(
                [str(self.python), *words],
                cwd=self.folder,
                env=told,
                timeout=limit_s,
                capture_output=True,
                text=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise BadInputError(f"{what}: the renderer was not done within {limit_s:.0f} s") from None
        except OSError as error:
            raise BadInputError(f"the renderer {self.python} cannot be run ({error.strerror})") from None
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip()).splitlines() or ["no word"]
            raise BadInputError(f"{what}: the renderer failed, {said[-1]:.300}")
        return done.stdout


def folder_of(tables: Path, seed: int) -> Path:
    """Return where a seed's table is.

    >>> folder_of(Path("tables"), 2000).name
    't02000'
    """
    return tables / f"t{seed:05d}"


def plan_path(tables: Path, seed: int) -> Path:
    """Return where the plan of a seed's evening is kept."""
    return tables / "plans" / f"{seed:05d}.json"


def seeds_of(told: str) -> list[int]:
    """Return the seeds of a list such as 2000-2049,2060; raises BadInputError for anything else.

    >>> seeds_of("7,2000-2002")
    [7, 2000, 2001, 2002]
    """
    seeds: list[int] = []
    for part in told.split(","):
        found = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", part.strip())
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not LEARN <= first <= last < END:
            raise BadInputError(
                f"seeds are {told!r:.60}; they should be like 2000-2049,2060, from {LEARN} to {END - 1}"
            )
        seeds += range(first, last + 1)
    return list(dict.fromkeys(seeds))


def is_reported(seed: int) -> bool:
    """Whether nobody may look at that seed's table."""
    return REPORT <= seed < END


def is_whole(table: Path, photos: int = PHOTOS) -> bool:
    """Whether a table's own game was rendered, with that many photographs."""
    return _has(table, [f"games/first/{number:03d}" for number in range(photos)])


def has_evening(table: Path, plan: Mapping[str, Any] | None = None) -> bool:
    """Whether a table's evening was rendered; if a `plan` is given, by that plan."""
    try:
        photos = json.loads((table / "games/evening/game.json").read_text(encoding="utf-8"))["photos"]
    except (OSError, ValueError, KeyError):
        return False
    names = [f"games/evening/{number:03d}" for number in range(len(photos))]
    if not _has(table, names):
        return False
    if plan is None:
        return True
    told = [json.loads((table / f"{name}.json").read_text(encoding="utf-8")) for name in names]
    wanted = [(photo["button"], photo["expected"], photo["tracks"]) for photo in plan["photos"]]
    return [(truth.get("button"), truth.get("expected"), truth.get("tracks")) for truth in told] == wanted


def _has(table: Path, names: Sequence[str]) -> bool:
    photos = [table / name for name in ("setup/empty", "setup/teach", *names)]
    wanted = [path.with_suffix(suffix) for path in photos for suffix in (".jpg", ".json")]
    return all(path.is_file() for path in (table / "table.json", table / "setup/centres.json", *wanted))


def _environment(folder: Path, place: Path) -> Path:
    """Return the Python of the renderer's own environment, which is made if it is not there yet."""
    wanted, stamp, python = _packages(folder), place / ".installed", place / "bin" / "python"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == "\n".join(wanted):
        return python.absolute()
    made_with = shutil.which("python3.11") or (sys.executable if sys.version_info[:2] == (3, 11) else None)
    if made_with is None:
        raise BadInputError(
            "no python3.11, which Blender as a module needs; install it, or name an environment with --renderer"
        )
    print(f"making the renderer's environment in {place}: {' '.join(wanted)}", file=sys.stderr, flush=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    for words in ([made_with, "-m", "venv", str(place)], [str(python), "-m", "pip", "install", "--quiet", *wanted]):
        try:
            subprocess.run(words, check=True, timeout=_INSTALL_S, stdout=sys.stderr)
        except (OSError, subprocess.SubprocessError) as error:
            raise BadInputError(f"the renderer's environment {place} could not be made ({error})") from None
    stamp.write_text("\n".join(wanted), encoding="utf-8")
    return python.absolute()


def _packages(folder: Path) -> list[str]:
    """Return what the generator's README has pip install."""
    found = re.search(r"pip install (.+)$", (folder / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise BadInputError(f"{folder / 'README.md'} has no line with pip install; name an environment with --renderer")
    return shlex.split(found[1])


def looked_at(tables: Path) -> set[int]:
    """Return the seeds that somebody has looked at."""
    try:
        return {int(line) for line in (tables / LOOKED_AT).read_text(encoding="utf-8").split()}
    except FileNotFoundError:
        return set()
    except ValueError:
        raise BadInputError(f"{tables / LOOKED_AT} should hold a seed a line, and nothing else") from None


def not_looked_at(seeds: Sequence[int], tables: Path) -> list[int]:
    """Return the seeds without those for reporting that somebody has looked at; print which these are."""
    seen = looked_at(tables) | BUILT_WITH
    if left := [seed for seed in seeds if is_reported(seed) and seed in seen]:
        print(f"left out, as somebody looked at them: {', '.join(map(str, left))}")
    return [seed for seed in seeds if seed not in left]


def rendered(
    seeds: Sequence[int],
    tables: Path,
    generator: Generator | None,
    photos: int = PHOTOS,
    plan_of: Callable[[Generator, int], Mapping[str, Any]] | None = None,
) -> list[int]:
    """Return the seeds whose tables are whole, after rendering the others; one line to stderr for each.

    Without a generator nothing is rendered. `plan_of` gives the plan of an evening; None: the seeds' own games.
    """
    there = []
    for seed in seeds:
        table = folder_of(tables, seed)
        if generator is None:
            is_there = is_whole(table, photos) if plan_of is None else has_evening(table)
        elif plan_of is None:
            if not (is_there := is_whole(table, photos)):
                print(f"rendering seed {seed}", file=sys.stderr, flush=True)
                generator.render(seed, tables, photos)
                is_there = is_whole(table, photos)
        else:
            plan = plan_of(generator, seed)
            if not (is_there := has_evening(table, plan)):
                print(f"rendering the evening of seed {seed}", file=sys.stderr, flush=True)
                generator.render(seed, tables, photos, plan)
                is_there = has_evening(table, plan)
        if is_there:
            there.append(seed)
        else:
            print(f"seed {seed} is not rendered in {tables}", file=sys.stderr, flush=True)
    return there


def main() -> None:
    """Render tables, and say how many are whole."""
    from bench.planned import plan_of  # noqa: PLC0415 - evenings alone need the game

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", help="such as 2000-2049")
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--hand", choices=HANDS, default="tablegen", help="who draws board and tiles")
    parser.add_argument("--tables", type=Path, help="by default a folder for each hand's tables")
    parser.add_argument("--photos", type=int, default=PHOTOS)
    parser.add_argument("--evening", action="store_true", help="the planned evening in place of the seed's own game")
    parser.add_argument("--renderer", help="the python of an environment that has what tablegen needs")
    options = parser.parse_args()
    try:
        seeds = seeds_of(options.seeds)
        tables = options.tables or HANDS[options.hand]
        generator = Generator.of(options.shared, tables, options.renderer, options.hand)
        whole = rendered(seeds, tables, generator, options.photos, plan_of if options.evening else None)
    except BadInputError as error:
        print(f"bench: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    print(f"{len(whole)} of {len(seeds)} tables are whole in {tables}")


if __name__ == "__main__":
    main()
