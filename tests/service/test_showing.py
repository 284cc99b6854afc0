"""What people see and hear of the loop: the lamp before the button, marks, choices."""

from companion.board import Color
from companion.commands import TakeOffer, Undo
from companion.words import Voice
from tests.service.fake_table import ADAS, BOARD, BOS, ROAD, Loop


def test_before_the_button_what_lies_there_is_shown_and_nothing_decided(loop: Loop) -> None:
    loop.press()
    cues = loop.panel.state().cues
    loop.lay(G7=ADAS)
    loop.step()
    seen = loop.latest
    assert seen.laid == {BOARD.cell("G7"): ADAS}
    assert (seen.outlook, seen.next, loop.panel.state().cues) == ("legal", Color.BLACK, cues)


def test_the_lamp_tells_before_the_button_what_the_verdict_would_be(loop: Loop) -> None:
    loop.press()
    shown = []
    for name in ("G7", "G8"):
        loop.lay(**{name: ADAS})
        loop.step()
        shown.append(loop.panel.state().glow)
    assert shown == ["legal", "illegal"]


def test_an_illegal_move_is_explained_with_its_cells_and_changes_nothing(loop: Loop) -> None:
    loop.press()
    loop.lay(G7=ADAS)
    loop.press()
    loop.lay(G7=ADAS, H7=BOS)
    refused = loop.press()
    assert refused.notice.kind == "illegal"
    assert BOARD.cell("H7") in refused.notice.cells
    assert any("next to" in sentence for sentence in refused.notice.sentences)
    assert refused.next is Color.RED
    assert refused.laid == {BOARD.cell("H7"): BOS}
    assert loop.panel.state().cue == "illegal"


def test_marks_fade_once_the_fault_is_put_right(loop: Loop) -> None:
    loop.press()
    loop.lay(G8=ADAS)
    refused = loop.press()
    assert refused.notice.cells
    loop.lay(G7=ADAS)
    loop.step()
    notice = loop.latest.notice
    assert notice is not None
    assert (notice.title, notice.cells) == (refused.notice.title, frozenset())


def test_what_is_offered_can_be_taken_with_one_tap_and_then_is_gone(loop: Loop) -> None:
    loop.saving_asked()
    (choice,) = loop.latest.choices
    assert (choice.command, choice.label) == ("yes", loop.latest.notice.title)
    loop.ask(TakeOffer())
    assert "keeps 6 days" in loop.latest.notice.title
    assert loop.latest.choices == ()


def test_an_offer_that_the_table_no_longer_shows_is_not_a_choice(loop: Loop) -> None:
    loop.saving_asked()
    loop.lay(H5=ADAS, K5=BOS, **ROAD)
    assert loop.step().choices == ()


def test_what_is_wrong_elsewhere_is_said_until_it_is_put_right(loop: Loop) -> None:
    loop.press()
    loop.service.warn("moved")
    assert loop.step().in_language("fr").warning == Voice(language="fr").trouble("moved")
    loop.lay(G7=ADAS)
    assert loop.press().warning == Voice().trouble("moved"), "whatever happens at the table"
    loop.service.warn("")
    assert loop.step().warning == ""


def test_a_picture_and_the_verdict_on_it_are_one_piece_of_news(loop: Loop) -> None:
    loop.press()
    before = loop.latest
    loop.lay(G7=ADAS)
    after = loop.press()
    assert (after.next, after.laid) == (Color.RED, {})
    assert after.number == before.number + 1


def test_between_two_turns_everybody_sees_how_the_game_went_up_to_now(loop: Loop) -> None:
    loop.saving_asked()
    assert len(loop.latest.course) == 1, "placing a workshop is not a turn"
    saved = loop.ask(TakeOffer())
    assert [(stand.player, stand.days[Color.BLACK]) for stand in saved.course] == [(None, 6), (Color.BLACK, 6)]
    assert loop.ask(Undo()).course == saved.course[:1]
