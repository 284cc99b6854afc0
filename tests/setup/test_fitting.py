"""Whether yesterday's table still fits, which things look alike, and the sheet of markers."""

import re
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.board import Color
from companion.setup.components import Component, Kind
from companion.setup.draft import Draft
from companion.setup.finding import FIDUCIALS, Misfit, markers_in, still_fits
from companion.setup.lessons import Remedy, doubts
from companion.setup.sheet import CHECK_MM, MARKER_MM, Paper, sheet_pdf
from tests.setup.conftest import Drawn
from vision.tiles.teach import Taught


@pytest.fixture(scope="module")
def taught(taught_draft: Draft) -> Taught:
    return taught_draft.learnt()[1]


@pytest.mark.long
def test_the_table_that_was_set_up_fits_whatever_lies_on_it(drawn: Drawn) -> None:
    for picture in (drawn.empty, drawn.shown):
        fit = still_fits(drawn.folder, picture)
        assert fit.fits, fit.why
        assert fit.residual_px is not None
        assert fit.residual_px < 1.0
        assert fit.moved_cells == pytest.approx(0, abs=0.1)
        assert fit.stops == pytest.approx(0, abs=0.1)


def test_a_board_nudged_a_little_still_fits(drawn: Drawn) -> None:
    shift = np.array([[1.0, 0.0, 12.0], [0.0, 1.0, -7.0]])
    moved = cv2.warpAffine(drawn.empty, shift, drawn.empty.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    fit = still_fits(drawn.folder, np.asarray(moved, dtype=np.uint8))
    assert fit.fits, fit.why
    assert fit.moved_cells == pytest.approx(np.hypot(12, 7) / 36, abs=0.15)


@pytest.mark.parametrize("misfit", [Misfit.DARKER, Misfit.LOST, Misfit.SIZE])
def test_a_table_that_does_not_fit_says_why(drawn: Drawn, misfit: Misfit) -> None:
    pictures = {
        Misfit.DARKER: (drawn.empty * 0.4).astype(np.uint8),
        Misfit.LOST: np.full_like(drawn.empty, 128),
        Misfit.SIZE: drawn.empty[::2, ::2],
    }
    fit = still_fits(drawn.folder, pictures[misfit])
    assert (fit.fits, fit.misfit) == (False, misfit)
    assert (fit.residual_px is not None) is (misfit is Misfit.DARKER)
    assert (fit.stops or 0) < -1.5 or misfit is not Misfit.DARKER


def test_a_drawn_table_in_good_light_leaves_little_doubt(taught: Taught) -> None:
    found = doubts(taught)
    assert not [doubt for doubt in found if isinstance(doubt.other, Component) and doubt.other.kind is Kind.CUBE]
    assert list(found) == sorted(found, key=lambda doubt: -doubt.alike)


@pytest.mark.parametrize(
    ("one", "other", "remedy"),
    [(Color.GREY, Color.YELLOW, Remedy.WHITER_LAMP), (Color.BLACK, Color.RED, Remedy.MORE_LIGHT)],
)
def test_merchants_of_one_tone_are_told_with_what_would_help(
    taught: Taught, one: Color, other: Color, remedy: Remedy
) -> None:
    tones = {**taught.cubes, other: taught.cubes[one] * np.float32(1.01)}
    both = {Component(Kind.CUBE, str(color)) for color in (one, other)}
    (found,) = [doubt for doubt in doubts(replace(taught, cubes=tones)) if {doubt.one, doubt.other} == both]
    assert found.remedy is remedy
    assert found.alike > 1


@pytest.mark.parametrize("paper", list(Paper))
def test_the_sheets_markers_are_found_in_its_picture_and_measure_what_they_should(paper: Paper) -> None:
    pdf = sheet_pdf(paper, ("Markers (4)", "Größe"), "This line is 100 mm long.")
    assert pdf.startswith(b"%PDF-1.4")
    assert pdf.endswith(b"%%EOF\n")
    (width, height) = map(float, re.findall(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", pdf)[0])
    assert (width * 25.4 / 72, height * 25.4 / 72) == pytest.approx(paper.size_mm, abs=0.01)
    scale = 3
    page = np.full((round(height * scale), round(width * scale), 3), 255, np.uint8)
    squares = re.findall(rb"^([0-9.]+) ([0-9.]+) ([0-9.]+) ([0-9.]+) re f$", pdf, re.MULTILINE)
    for x, y, w, h in (map(float, square) for square in squares):
        corner = round(x * scale), round((height - y - h) * scale)
        cv2.rectangle(page, corner, (round((x + w) * scale) - 1, round((height - y) * scale) - 1), (0, 0, 0), -1)
    assert markers_in(page) == FIDUCIALS
    lines = [tuple(map(float, line)) for line in re.findall(rb"w ([0-9.]+) ([0-9.]+) m ([0-9.]+) ([0-9.]+) l S", pdf)]
    longest = max(np.hypot(x1 - x0, y1 - y0) for x0, y0, x1, y1 in lines)
    assert longest * 25.4 / 72 == pytest.approx(CHECK_MM, abs=0.01)
    assert MARKER_MM >= 30


def test_the_sheets_objects_lie_where_its_table_says() -> None:
    pdf = sheet_pdf(Paper.A4, ("a\\b(c)",), "line")
    start = int(pdf.rsplit(b"startxref\n", 1)[1].split(b"\n")[0])
    assert pdf[start:].startswith(b"xref\n0 6\n")
    for number, offset in enumerate(re.findall(rb"^([0-9]{10}) 00000 n $", pdf[start:], re.MULTILINE), 1):
        assert pdf[int(offset) :].startswith(b"%d 0 obj\n" % number)
    assert rb"(a\\b\(c\))" in pdf
