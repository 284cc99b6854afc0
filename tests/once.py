"""What many tests work out from the same arguments is worked out once: where a board is, what its pieces look like.

Answers are kept in memory for one process, and on a shelf for all workers and for the next run of the same sources.
"""

import fcntl
import hashlib
import io
import pickle
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import _lru_cache_wrapper, lru_cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def _remembering(function: Callable[..., Any], most: int | None) -> Callable[..., Any]:
    return lru_cache(maxsize=most)(function)


class _Pickler(pickle.Pickler):
    """Also pickles methods that remember their answers, as methods that remember none yet."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, _lru_cache_wrapper) and hasattr(value.__wrapped__, "__self__"):
            return _remembering, (value.__wrapped__, value.cache_parameters()["maxsize"])
        return NotImplemented


def pickled(value: object) -> bytes:
    into = io.BytesIO()
    _Pickler(into, protocol=5).dump(value)
    return into.getvalue()


def key_of(value: object) -> bytes:
    """Return a short key for a value: the same in every process, however its parts share objects."""
    into = io.BytesIO()
    pickler = pickle.Pickler(into, protocol=5)
    pickler.fast = True  # remembers no object, so that each is written out
    pickler.dump(value)
    return hashlib.blake2b(into.getbuffer(), digest_size=16).digest()


def sum_of(folders: Iterable[Path], *more: str) -> str:
    """Return a name that changes with any source under these folders."""
    found = hashlib.blake2b("\n".join(more).encode(), digest_size=12)
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in {".py", ".json", ".onnx"}:
                found.update(f"\n{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return found.hexdigest()


class Shelf:
    """Answers as files in a folder; whoever asks for one that another process is working out waits for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def answer(self, key: str, reckon: Callable[[], Answer]) -> Answer:
        """Return a private copy of the answer under that key; work it out if nobody has."""
        path = self.folder / f"{key}.pickle"
        with self._locked(path.with_suffix(".lock")):
            try:
                found: Answer = pickle.loads(path.read_bytes())
            except FileNotFoundError:
                found = reckon()
                part = path.with_suffix(".part")
                part.write_bytes(pickled(found))
                part.replace(path)
        return found

    def written(self, key: str, folder: Path, write: Callable[[], Answer]) -> Answer:
        """Fill the folder with what `write` writes there; return a private copy of what it returns."""

        def reckon() -> tuple[Answer, dict[Path, bytes]]:
            return write(), _files(folder)

        said, files = self.answer(key, reckon)
        _write(folder, files)
        return said

    @contextmanager
    def _locked(self, path: Path) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True)
        with path.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _files(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _write(folder: Path, files: dict[Path, bytes]) -> None:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


_filled: dict[object, tuple[Any, dict[Path, bytes]]] = {}


def filled(folder: Path, key: object, fill: Callable[[Path], Answer]) -> Answer:
    """Fill an empty folder with what `fill` writes into it, worked out once per key; return what `fill` returns.

    Into a folder that is not empty, it writes each time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        return fill(folder)
    if key not in _filled:
        said = fill(folder)
        _filled[key] = said, _files(folder)
    else:
        said, files = _filled[key]
        _write(folder, files)
    return said


def once(function: Callable[Given, Answer], most: int, shelf: Shelf | None = None) -> Callable[Given, Answer]:
    """Return a pure function that remembers its last `most` answers; arguments are the same if their pickles are.

    Answers that it does not remember it looks for on the shelf.
    """
    known: dict[bytes, Answer] = {}
    lock = threading.Lock()

    @wraps(function)
    def answered(*args: Given.args, **options: Given.kwargs) -> Answer:
        key = key_of((args, options))
        with lock:
            found = known.pop(key) if key in known else None
        if found is not None:
            answer = found
        elif shelf is not None:
            answer = shelf.answer(f"{function.__name__}-{key.hex()}", lambda: function(*args, **options))
        else:
            answer = function(*args, **options)
        with lock:
            known[key] = answer
            for oldest in list(known)[:-most]:
                del known[oldest]
        return answer

    return answered
