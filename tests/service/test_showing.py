"""What people see and hear of the loop: the lamp before the button, marks, choices."""

from companion.board import Color, Contents, Workshop
from companion.commands import TakeOffer
from companion.service import Service
from companion.words import Voice
from hardware.panel import Panel
from tests.service.fake_table import BOARD, ROAD, Table, latest, lying, press, reading, saving_asked


def test_before_the_button_what_lies_there_is_shown_and_nothing_decided(
    service: Service, table: Table, panel: Panel
) -> None:
    press(service)
    cues = panel.state().cues
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    service.step()
    seen = latest(service)
    assert seen.laid == {BOARD.cell("G7"): Contents(Workshop(Color.BLACK))}
    assert (seen.outlook, seen.next, panel.state().cues) == ("legal", Color.BLACK, cues)


def test_the_lamp_tells_before_the_button_what_the_verdict_would_be(
    service: Service, table: Table, panel: Panel
) -> None:
    press(service)
    shown = []
    for name in ("G7", "G8"):
        table.shows = reading(lying(**{name: Contents(Workshop(Color.BLACK))}))
        service.step()
        shown.append(panel.state().glow)
    assert shown == ["legal", "illegal"]


def test_an_illegal_move_is_explained_with_its_cells_and_changes_nothing(
    service: Service, table: Table, panel: Panel
) -> None:
    press(service)
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    press(service)
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK)), H7=Contents(Workshop(Color.RED))))
    refused = press(service)
    assert refused.notice.kind == "illegal"
    assert BOARD.cell("H7") in refused.notice.cells
    assert any("next to" in sentence for sentence in refused.notice.sentences)
    assert refused.next is Color.RED
    assert refused.laid == {BOARD.cell("H7"): Contents(Workshop(Color.RED))}
    assert panel.state().cue == "illegal"


def test_marks_fade_once_the_fault_is_put_right(service: Service, table: Table) -> None:
    press(service)
    table.shows = reading(lying(G8=Contents(Workshop(Color.BLACK))))
    refused = press(service)
    assert refused.notice.cells
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    service.step()
    notice = latest(service).notice
    assert notice is not None
    assert (notice.title, notice.cells) == (refused.notice.title, frozenset())


def test_what_is_offered_can_be_taken_with_one_tap_and_then_is_gone(service: Service, table: Table) -> None:
    saving_asked(service, table)
    (choice,) = latest(service).choices
    assert (choice.command, choice.label) == ("yes", latest(service).notice.title)
    service.submit(TakeOffer())
    service.step()
    assert "keeps 6 days" in latest(service).notice.title
    assert latest(service).choices == ()


def test_an_offer_that_the_table_no_longer_shows_is_no_choice(service: Service, table: Table) -> None:
    saving_asked(service, table)
    table.shows = reading(lying(H5=Contents(Workshop(Color.BLACK)), K5=Contents(Workshop(Color.RED)), **ROAD))
    service.step()
    assert latest(service).choices == ()


def test_what_is_wrong_elsewhere_is_said_until_it_is_put_right(service: Service, table: Table) -> None:
    press(service)
    service.warn("moved")
    service.step()
    assert latest(service).in_language("fr").warning == Voice(language="fr").trouble("moved")
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    assert press(service).warning == Voice().trouble("moved"), "whatever happens at the table"
    service.warn("")
    service.step()
    assert latest(service).warning == ""


def test_a_picture_and_the_verdict_on_it_are_one_piece_of_news(service: Service, table: Table) -> None:
    press(service)
    before = latest(service)
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    after = press(service)
    assert (after.next, after.laid) == (Color.RED, {})
    assert after.number == before.number + 1
