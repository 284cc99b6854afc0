"""What is wrong with what people asked for, in the language of who asks.

What the set-up complains of is worded here by its code, what concerns a game in companion.wording. An error without a
code is one that only a program can make: it is introduced, and told in English.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.board import BadInputError
from companion.web.languages import _, language
from companion.wording import Voice


def complaint(error: BadInputError) -> str:
    """Return what is wrong, as whole sentences."""
    if error.code in SETTING_UP:
        return SETTING_UP[error.code]() % error.facts
    return f"{Voice(language=language()).complaint(error)}."


#: What can go wrong while a table is set up, by the code of its BadInputError; the facts are put in afterwards.
SETTING_UP: Mapping[str, Callable[[], str]] = {
    "again-not-shown": lambda: _("What is taught again is not to be seen yet: photograph it alone on the board."),
    "board-doubtful": lambda: _(
        "The board may lie some cells beside where it was clicked. Set this table up anew, and choose the right grid "
        "there."
    ),
    "board-lost": lambda: _(
        "The board is not found in this picture. Take your hands away, and leave board and camera as they were on the "
        "empty board’s photograph."
    ),
    "corner-outside": lambda: _("The mark of %(cell)s lies outside the picture; put it on the centre of that cell."),
    "corners": lambda: _("Put the four marks on the board’s four corner cells."),
    "cut-off": lambda: _(
        "Part of the board or of its day tracks lies outside the picture. Move the camera until all of it is seen, and "
        "photograph again."
    ),
    "enough-photographs": lambda: _("There are %(count)d photographs already; take one back, or go on."),
    "few-colors": lambda: _("Fewer than two colours are in play; choose those that you play with."),
    "no-board": lambda: _(
        "No board is found there. Put the marks on the centres of its corner cells; all of it should be in the "
        "picture, photographed from above."
    ),
    "no-board-yet": lambda: _("The board was not found yet; begin with its photograph and its corners."),
    "no-color": lambda: _("Say whose section it is: choose a colour, or write what you call it."),
    "no-cube": lambda: _("No merchant is shown on a bare cell; lay one of each colour on cells without a tile."),
    "no-photograph": lambda: _("There is no photograph of the empty board yet; take one first."),
    "no-picture": lambda: _("The camera gives no picture. Is its cable plugged in?"),
    "no-road": lambda: _("No road is shown; lay one of each colour on the board."),
    "no-room": lambda: _(
        "There is no room left for what lies on %(cell)s; lay fewer things, one of each kind is enough."
    ),
    "no-settlement": lambda: _("No settlement and no workshop is shown; lay one of each kind on the board."),
    "no-such-photograph": lambda: _("There is no photograph %(number)d of pieces."),
    "no-table": lambda: _("This table is not there any more."),
    "not-asked": lambda: _("Only one grid was found. Put the four marks on the corner cells, and look again."),
    "not-shown": lambda: _("Not all pieces were photographed yet: the step Teach names those that are missing."),
    "nothing-shown": lambda: _("No photograph shows any pieces yet; take one to three."),
    "other-size": lambda: _(
        "The photograph has %(size)s pixels, the empty board’s %(right)s. Leave the camera’s mode as it is during the "
        "set-up, or begin again."
    ),
    "sections-untold": lambda: _(
        "Not all sections were described yet; the step Teach shows the %(count)d that are left."
    ),
    "table-damaged": lambda: _("This table’s folder is damaged; choose another one, or set it up anew."),
}
