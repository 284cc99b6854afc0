"""A sheet to print: four markers for the frame's corners, as a PDF of one page, drawn only in lines and squares."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import cv2

from companion.setup.finding import FIDUCIALS

#: Points (1/72 inch) in a millimetre.
_POINTS = 72 / 25.4
#: A marker's side, the white round it that has to stay, and the line to be measured, in millimetres.
MARKER_MM, _WHITE_MM, CHECK_MM = 40.0, 6.0, 100.0
_BETWEEN_MM = 28.0
#: A DICT_4X4 marker has four bits a side and one of black round them.
_BITS = 6


class Paper(StrEnum):
    """What it is printed on."""

    A4 = "a4"
    LETTER = "letter"

    @property
    def size_mm(self) -> tuple[float, float]:
        """Return its width and height."""
        return (210.0, 297.0) if self is Paper.A4 else (215.9, 279.4)


def sheet_pdf(paper: Paper, lines: Sequence[str], check: str) -> bytes:
    """Return the sheet as a PDF: `lines` are at its head, `check` is beside the line that is 100 mm long.

    The words are written in Windows-1252, which PDF's own fonts have; characters that it lacks become question marks.
    """
    width, height = paper.size_mm
    drawn = [_text(line, 20, height - 20 - 7 * k, 15 if k == 0 else 10.5) for k, line in enumerate(lines)]
    left = (width - 2 * MARKER_MM - _BETWEEN_MM) / 2
    top = height - 40 - 7 * len(lines)
    for k, number in enumerate(FIDUCIALS.ids):
        x = left + (k % 2) * (MARKER_MM + _BETWEEN_MM)
        y = top - MARKER_MM - (k // 2) * (MARKER_MM + _BETWEEN_MM)
        drawn += [_marker(number, x, y), _text(str(number), x - _WHITE_MM - 6, y + MARKER_MM / 2, 10.5)]
    foot, start = 30.0, (width - CHECK_MM) / 2
    drawn.append(_line(start, foot, start + CHECK_MM, foot))
    drawn += [_line(x, foot - 3, x, foot + 3) for x in (start, start + CHECK_MM)]
    drawn.append(_text(check, start, foot - 9, 10.5))
    return _document(width, height, "\n".join(drawn))


def _marker(number: int, x_mm: float, y_mm: float) -> str:
    """Return a marker whose lower left corner is there, and the line to cut along."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, FIDUCIALS.dictionary))
    bits = cv2.aruco.generateImageMarker(dictionary, number, _BITS)
    side = MARKER_MM / _BITS
    parts = ["0 g"]
    for row in range(_BITS):
        for column in range(_BITS):
            if not bits[row, column]:
                square = x_mm + column * side, y_mm + (_BITS - 1 - row) * side, side, side
                parts.append(" ".join(_points(value) for value in square) + " re f")
    cut = x_mm - _WHITE_MM, y_mm - _WHITE_MM, MARKER_MM + 2 * _WHITE_MM, MARKER_MM + 2 * _WHITE_MM
    parts.append("[2 3] 0 d 0.4 w 0.6 G " + " ".join(_points(value) for value in cut) + " re S [] 0 d 0 G")
    return "\n".join(parts)


def _line(x0: float, y0: float, x1: float, y1: float) -> str:
    return f"0.8 w {_points(x0)} {_points(y0)} m {_points(x1)} {_points(y1)} l S"


def _text(words: str, x_mm: float, y_mm: float, size: float) -> str:
    plain = words.encode("cp1252", "replace").decode("cp1252")
    escaped = plain.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /F1 {size} Tf {_points(x_mm)} {_points(y_mm)} Td ({escaped}) Tj ET"


def _points(mm: float) -> str:
    return f"{mm * _POINTS:.3f}"


def _document(width_mm: float, height_mm: float, content: str) -> bytes:
    """Return a PDF of one page (ISO 32000-1, 7.5: header, objects, their offsets, trailer)."""
    stream = content.encode("cp1252")
    box = f"[0 0 {_points(width_mm)} {_points(height_mm)}]"
    # No scaling: viewers that heed it print at 100 %.
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>".encode("ascii"),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    pdf, offsets = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), []
    for number, body in enumerate(objects, 1):
        offsets.append(len(pdf))
        pdf += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(pdf)
    pdf += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    pdf += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    pdf += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(pdf)
