"""A table is taken up: what lies on it is learnt, and whether the camera still sees it as it was set up."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

import cv2

from calibration import TableFolder
from companion.board import BadInputError
from companion.setup.finding import StillFits, still_fits
from companion.wiring.examples import take_up
from companion.wiring.unusable import UnusableTableError
from vision.hands.steady import Steadier
from vision.light.flatten import Image
from vision.reader import Reader
from vision.readers import reader_of
from vision.square.reader import SquareReader

#: How often it is looked for a still picture, and, while the table does not fit, whether it was put right.
STILL_S, MISFIT_S = 1.0, 60.0

#: What is said where a table does not fit: a code of TROUBLES.
MOVED = "moved"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LearntTable:
    """A table's folder and the reader that learnt from it; the reader is one game's at a time."""

    folder: TableFolder
    reader: Reader | SquareReader


def learnt(folder: TableFolder) -> LearntTable:
    """Return the table learnt, which takes seconds; raises UnusableTableError for one that cannot be."""
    try:
        reader = reader_of(folder)
        if isinstance(reader, Reader):
            take_up(reader, folder.path)
        return LearntTable(folder, reader)
    except BadInputError as error:
        raise UnusableTableError(str(error)) from None
    except (cv2.error, ArithmeticError, LookupError, ValueError) as error:
        raise UnusableTableError(f"{folder.path} cannot be learnt from ({error}); set the table up anew") from error


class FitCheck:
    """Warns, by the code MOVED, while the still picture is not of the table as it was set up; a thread of its own.

    `picture` gives the camera's newest picture, or None. A board that is not found is the loop's to say: it looks for
    it at every picture.
    """

    def __init__(
        self,
        table: TableFolder,
        picture: Callable[[], Image | None],
        warn: Callable[[str], object],
        fit: Callable[[TableFolder, Image], StillFits] = still_fits,
        still_s: float = STILL_S,
        misfit_s: float = MISFIT_S,
    ) -> None:
        self._table, self._picture, self._warn, self._fit = table, picture, warn, fit
        self._still_s, self._misfit_s = still_s, misfit_s
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fit", daemon=True)

    def __enter__(self) -> FitCheck:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._ending.set()
        self._thread.join(timeout=1.0)

    def _run(self) -> None:
        while (image := self._still()) is not None:
            try:
                fit = self._fit(self._table, image)
            except BadInputError as error:
                _log.warning("whether the table still fits is not known: %s", error)
                return
            if fit.fits:
                self._warn("")
                return
            _log.warning("the table does not fit: %s", fit.why)
            self._warn("" if fit.moved_cells is None else MOVED)
            if self._ending.wait(self._misfit_s):
                return

    def _still(self) -> Image | None:
        """Return the next still picture; None where the check is over before there is one."""
        steadier = Steadier()
        while not self._ending.wait(self._still_s):
            if (image := self._picture()) is None:
                steadier = Steadier()
            elif steadier.look(image).is_still:
                return image
        return None
