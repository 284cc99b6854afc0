"""Why a stored table is not the one that the camera sees, in the language of who asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.setup.finding import Misfit, StillFits
from companion.web.languages import _

#: Why a stored table does not fit.
MISFITS: Mapping[Misfit, Callable[[], str]] = {
    Misfit.SIZE: lambda: _("The camera’s pictures have another size than when the table was set up."),
    Misfit.LOST: lambda: _("The board is not found in the picture."),
    Misfit.MOVED: lambda: _("The camera or the board was moved far."),
    Misfit.BRIGHTER: lambda: _("The light is much brighter than when the table was set up."),
    Misfit.DARKER: lambda: _("The light is much darker than when the table was set up."),
}


def misfit(fit: StillFits) -> str:
    """Return why a stored table is not the one that the camera sees; "" where it is."""
    return "" if fit.misfit is None else MISFITS[fit.misfit]()
