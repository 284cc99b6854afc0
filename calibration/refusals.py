"""What is refused of any board: a foreign lens, a click beside the picture, no grid near the clicks."""

from __future__ import annotations

from companion.board import BadInputError, HexCell, SquareCell

Point = tuple[float, float]


def refuse_foreign_lens(lens_px: tuple[int, int], picture_px: tuple[int, int]) -> None:
    """Raise BadInputError where the lens was calibrated for pictures of another (width, height)."""
    if lens_px != picture_px:
        raise BadInputError(
            f"the picture has {picture_px[0]} x {picture_px[1]} pixels, the lens was calibrated with {lens_px[0]} x "
            f"{lens_px[1]}; photograph with the camera mode of the calibration, or calibrate again"
        )


def refuse_outside(cell: HexCell | SquareCell, click: Point, picture_px: tuple[int, int]) -> None:
    """Raise BadInputError where the click on that cell (right, down) lies beside a picture of (width, height)."""
    (x, y), (width, height) = click, picture_px
    if not (0 <= x <= width - 1 and 0 <= y <= height - 1):
        raise BadInputError(
            f"the click on {cell} at ({x:g}, {y:g}) lies outside the picture of {width} x {height} pixels; "
            "click the cell's centre in this picture",
            "corner-outside",
            cell=cell,
        )


def no_board(why: str) -> BadInputError:
    """Return the error of a picture that shows no board near the clicks."""
    return BadInputError(
        f"no board grid found near the clicks: {why}; "
        "photograph the whole board from above and click the centres of its corner cells",
        "no-board",
    )
