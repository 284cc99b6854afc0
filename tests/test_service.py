"""The loop with a fake camera and reader; session, referee, panel (on mock pins) and scoreboard are real."""

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from companion.board import (
    BadInputError,
    CellReading,
    Color,
    Contents,
    DealRemarks,
    HexBoard,
    HexCell,
    Merchants,
    Reading,
    Road,
    Settlement,
    SettlementType,
    Terrain,
    Workshop,
)
from companion.commands import CorrectCell, Done, StartGame, TakeOffer, Undo
from companion.games.contract import Player
from companion.games.la_strada import LaStradaPosition
from companion.scoreboard import Scoreboard
from companion.service import MOST_WAITING, Service
from companion.service.button import CONFIRM_S, QUIET_S, READ_S, WAIT_S
from companion.service.loop import LOOK_AGAIN_S
from hardware.panel import Panel, PanelPins, mock_factory

BOARD = HexBoard(6)
CITY, HAMLET = SettlementType.CITY, SettlementType.HAMLET
KINDS = [SettlementType.CITY] * 4 + [SettlementType.TOWN] * 5 + [SettlementType.VILLAGE] * 5 + [HAMLET] * 5
#: The 19 settlements lie along the upper rim, but for two cities beside the middle.
SITES = ["G8", "F5", *(str(cell) for cell in BOARD.cells[:17])]
DEAL = {
    BOARD.cell(site): Contents(Settlement(kind)) for site, kind in zip(SITES, KINDS, strict=True)
}  # fmt: skip
GAME = StartGame((Player("Ada", Color.BLACK), Player("<Bo>", Color.RED)))

Lying = Mapping[HexCell, Contents]


def _tile(name: str, before: str, after: str) -> Contents:
    ends = (BOARD.cell(before), BOARD.cell(after))
    edges = sorted(edge for edge in range(6) if BOARD.cell(name).neighbour(edge) in ends)
    return Contents(Road(Color.BLACK, Terrain.PLAIN, (edges[0], edges[1])))


#: Ada's road from her workshop on H5 to the city on G8, with her merchant: four days.
ROAD = {
    "G6": _tile("G6", "H5", "G7"),
    "G7": _tile("G7", "G6", "G8"),
    "G8": Contents(Settlement(CITY), Merchants(black=1)),
}


def lying(**things: Contents) -> dict[HexCell, Contents]:
    return {**DEAL, **{BOARD.cell(name): contents for name, contents in things.items()}}


def reading(contents: Lying, occluded: frozenset[HexCell] = frozenset()) -> Reading:
    cells = {
        cell: CellReading(contents.get(cell, Contents()), Terrain.PLAIN, str(cell) in SITES) for cell in BOARD.cells
    }
    return Reading(BOARD, cells, dict.fromkeys(Color, 0), occluded)


@dataclass
class Frame:
    image: Any
    taken_s: float
    small: Any = None


@dataclass
class Motion:
    is_still: bool
    has_changed: bool


@dataclass
class Table:
    """The fake edge: a camera whose picture is the very reading, and the reader that hands it out."""

    shows: Any = field(default_factory=lambda: reading(DEAL))
    now_s: float = 0.0
    new_games: int = 0
    remembers: Reading | None = None
    view: str = "view"
    outline: object = None
    remarks: DealRemarks = field(default_factory=DealRemarks)
    lost: str | None = None
    taken_before_s: float = 0.0
    motion: Motion = field(default_factory=lambda: Motion(is_still=True, has_changed=True))
    reads: int = 0
    averaged: int | None = None
    was_dark: list[bool] = field(default_factory=list)
    panel: Panel | None = None

    def frame(self, timeout_s: float) -> Frame:
        self.now_s += 0.1
        if self.panel is not None:
            self.was_dark.append(self.panel.dark_since_s is not None)
        if isinstance(self.shows, OSError):
            raise self.shows
        return Frame(self.shows, self.now_s - self.taken_before_s)

    def new_game(self, is_dealt: bool = True, books: object = None) -> None:
        self.new_games += is_dealt
        self.remembers = None

    def read(self, image: Any) -> Reading:
        if isinstance(image, Exception):
            raise image
        assert isinstance(image, Reading)
        return self.remembers or image

    def look(self, image: Any, small: Any = None) -> Motion:
        return self.motion

    def keep(self, outline: object = None) -> None:
        self.reads += 1

    def picture(self, most: int | None = None) -> Any:
        self.averaged = most
        return self.shows

    def clock(self) -> float:
        return self.now_s


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def panel(table: Table) -> Iterator[Panel]:
    made = Panel(PanelPins(), mock_factory(), clock=table.clock)
    yield made
    made.close()


@pytest.fixture
def service(table: Table, panel: Panel) -> Service:
    return Service(table, table, table, panel, Scoreboard(), game=GAME, clock=table.clock)


def press(service: Service) -> Any:
    """Press once the last verdict was heard, and return what everybody sees then."""
    service._clock.__self__.now_s += QUIET_S + 0.1  # type: ignore[attr-defined]
    assert service.press()
    service.step()
    return latest(service)


def latest(service: Service) -> Any:
    return service._showing._scoreboard.latest


def end_the_game(service: Service) -> None:
    state = service._session.state
    assert isinstance(state.position, LaStradaPosition)
    service._session._state = replace(state, position=replace(state.position, next=None))


def test_after_the_end_the_button_deals_again_whatever_the_old_layout_makes_of_the_new_board(
    service: Service, table: Table
) -> None:
    press(service)
    end_the_game(service)  # and the board is laid out otherwise
    table.remembers = reading(lying(C3=Contents(Road(Color.RED, Terrain.PLAIN, (0, 3)))))
    service.step()
    assert latest(service).phase == "over"
    assert not latest(service).laid, "nothing waits for a verdict while the table is cleared"
    dealt = press(service)
    assert (dealt.phase, table.new_games) == ("workshop", 2)


def test_after_the_end_a_board_that_is_not_cleared_deals_nothing(service: Service, table: Table) -> None:
    press(service)
    end_the_game(service)
    table.shows = reading(lying(C3=Contents(Workshop(Color.BLACK))))
    assert (press(service).phase, table.new_games) == ("over", 1)


def test_the_button_deals_then_judges_and_everybody_sees_it(service: Service, table: Table, panel: Panel) -> None:
    dealt = press(service)
    assert (dealt.phase, dealt.next, table.new_games) == ("workshop", Color.BLACK, 1)
    assert [line.name for line in dealt.players] == ["Ada", "<Bo>"]
    assert panel.state().cue == "start"
    assert panel.state().turn["black"]

    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    placed = press(service)
    assert (placed.notice.kind, placed.next) == ("legal", Color.RED)
    assert placed.contents[BOARD.cell("G7")] == Contents(Workshop(Color.BLACK))
    assert (panel.state().cue, panel.state().turn["red"]) == ("legal", True)


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


def played(service: Service, table: Table) -> dict[str, Contents]:
    """Both workshops stand; Ada has joined the city on G8 and has no day less than it cost."""
    press(service)
    things = {"H5": Contents(Workshop(Color.BLACK))}
    table.shows = reading(lying(**things))
    press(service)
    things["K5"] = Contents(Workshop(Color.RED))
    table.shows = reading(lying(**things))
    press(service)
    return things


def test_a_road_to_a_city_pays_days_and_earns_gold(service: Service, table: Table) -> None:
    table.shows = reading(lying(**played(service, table), **ROAD))
    done = press(service)
    ada = done.players[0]
    assert (done.notice.kind, ada.gold, ada.days, ada.merchants_left) == ("legal", 5, 2, 11)
    assert ada.tiles_left[Terrain.PLAIN] == 16
    assert "it cost 4 days" in done.notice.title


def test_a_command_of_another_kind_is_obeyed(service: Service, table: Table) -> None:
    played(service, table)
    assert service.submit(Undo(1))
    service.step()
    assert latest(service).phase == "workshop"


def test_a_command_that_asks_for_nonsense_is_a_notice(service: Service, table: Table) -> None:
    press(service)
    service.submit(StartGame((Player("Ada", Color.BLACK),), rules="chess"))
    service.step()
    notice = latest(service).notice
    assert notice is not None
    assert "chess" in notice.sentences[0]


def test_a_press_is_judged_on_a_picture_taken_after_it(service: Service, table: Table) -> None:
    press(service)
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    table.taken_before_s = 0.15
    table.now_s += QUIET_S
    service.press()
    service.step()
    assert latest(service).next is Color.BLACK, "that picture is older than the press"
    table.taken_before_s = 0.0
    service.step()
    assert latest(service).next is Color.RED


def test_only_still_pictures_that_changed_are_read(service: Service, table: Table) -> None:
    service.step()
    for motion in (Motion(True, False), Motion(False, True), Motion(False, False)):
        table.motion = motion
        service.step()
    assert table.reads == 1, "the first picture alone"
    table.motion = Motion(is_still=True, has_changed=True)
    service.step()
    assert table.reads == 2


def test_a_press_waits_for_a_still_table(service: Service, table: Table) -> None:
    press(service)
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    table.motion = Motion(is_still=False, has_changed=True)
    assert press(service).next is Color.BLACK
    table.motion = Motion(is_still=True, has_changed=True)
    service.step()
    assert latest(service).next is Color.RED


def test_a_press_lapses_without_effect_when_the_table_is_never_still(service: Service, table: Table) -> None:
    press(service)
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    table.motion = Motion(is_still=False, has_changed=True)
    press(service)
    table.now_s += WAIT_S
    service.step()
    assert latest(service).lamps.cue.name == "hidden"
    table.motion = Motion(is_still=True, has_changed=True)
    service.step()
    assert latest(service).next is Color.BLACK, "the press is gone"


def under_a_hand(things: Lying) -> Reading:
    return reading(things, occluded=frozenset({BOARD.cell("G7"), BOARD.cell("G6"), BOARD.cell("H7")}))


def test_a_press_under_an_arm_blinks_and_is_judged_once_the_arm_is_gone(
    service: Service, table: Table, panel: Panel
) -> None:
    press(service)
    cues = panel.state().cues
    table.shows = under_a_hand(DEAL)
    press(service)
    service.step()
    assert (panel.state().cue, panel.state().cues) == ("hidden", cues + 1), "it blinks, once"
    assert latest(service).next is Color.BLACK
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    service.step()
    assert latest(service).next is Color.RED


def test_a_press_under_an_arm_that_stays_lapses_and_says_so(service: Service, table: Table) -> None:
    press(service)
    table.shows = under_a_hand(DEAL)
    press(service)
    table.now_s += WAIT_S
    service.step()
    assert latest(service).notice.kind == "ask"
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    table.now_s += 0.1
    service.step()
    assert latest(service).next is Color.BLACK, "nothing was judged: he says done again"
    assert press(service).next is Color.RED


def test_presses_soon_after_a_verdict_do_not_count(service: Service, table: Table) -> None:
    press(service)
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    service.press()
    service.step()
    assert latest(service).next is Color.BLACK
    table.now_s += QUIET_S
    service.press()
    service.step()
    assert latest(service).next is Color.RED


def saving_asked(service: Service, table: Table) -> None:
    """Both workshops stand; Ada has pressed on a table that nobody touched."""
    played(service, table)
    press(service)
    assert "Save the days?" in latest(service).notice.title


def test_a_second_press_saves_the_days(service: Service, table: Table) -> None:
    saving_asked(service, table)
    table.now_s += READ_S
    service.press()
    service.step()
    assert latest(service).next is Color.RED
    assert "keeps 6 days" in latest(service).notice.title


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


def test_two_presses_at_once_save_nothing(service: Service, table: Table) -> None:
    played(service, table)
    table.now_s += QUIET_S
    service.press()
    service.press()
    service.step()
    service.press()
    service.step()
    assert latest(service).next is Color.BLACK


def test_a_press_long_after_the_question_asks_again(service: Service, table: Table) -> None:
    saving_asked(service, table)
    table.now_s += CONFIRM_S + 0.1
    service.press()
    service.step()
    assert latest(service).next is Color.BLACK
    assert "Save the days?" in latest(service).notice.title


def test_a_press_on_a_table_that_changed_since_the_question_is_judged_as_it_lies(
    service: Service, table: Table
) -> None:
    saving_asked(service, table)
    table.shows = reading(lying(H5=Contents(Workshop(Color.BLACK)), K5=Contents(Workshop(Color.RED)), **ROAD))
    table.now_s += READ_S
    service.step()
    service.press()
    service.step()
    assert "it cost 4 days" in latest(service).notice.title


def test_without_a_camera_a_keeper_goes_on_by_hand(service: Service, table: Table) -> None:
    press(service)
    table.shows = OSError("gone")
    service.step()
    service.submit(CorrectCell(BOARD.cell("G7"), Contents(Workshop(Color.BLACK))))
    service.submit(Done())
    service.step()
    assert latest(service).next is Color.RED
    assert "gone" in latest(service).eye.trouble


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


def test_the_panel_is_dark_in_every_picture_that_a_press_is_judged_on(
    service: Service, table: Table, panel: Panel
) -> None:
    press(service)
    table.panel = panel
    table.shows = under_a_hand(DEAL)
    press(service)
    assert (table.was_dark, table.averaged) == ([True], 1), "of three still pictures only the last was dark"
    assert panel.dark_since_s is None, "read: the lamps go on"
    table.now_s += 2.0
    table.shows = reading(lying(G7=Contents(Workshop(Color.BLACK))))
    for _ in range(3):
        service.step()
    assert latest(service).next is Color.RED
    assert table.was_dark[-2:] == [True, False], "it waited, and was judged on a picture without light of ours"


def test_every_pass_beats_with_or_without_a_picture(table: Table, panel: Panel) -> None:
    beats: list[float] = []
    service = Service(
        table, table, table, panel, Scoreboard(), game=GAME, clock=table.clock, beat=lambda: beats.append(table.now_s)
    )
    service.step()
    table.shows = OSError("gone")
    service.step()
    assert len(beats) == 2


def test_a_lost_camera_is_seen_and_heard_once_and_comes_back(service: Service, table: Table, panel: Panel) -> None:
    press(service)
    cues = panel.state().cues
    table.shows = OSError("check its cable")
    service.step()
    service.step()
    lost = latest(service)
    assert "check its cable" in lost.eye.trouble
    assert lost.players, "the game stays in view"
    assert (panel.state().cue, panel.state().cues) == ("trouble", cues + 1)
    table.shows = reading(DEAL)
    service.step()
    assert latest(service).eye.trouble == ""


def test_a_press_without_a_camera_lapses_with_a_sound(service: Service, table: Table, panel: Panel) -> None:
    press(service)
    table.shows = OSError("gone")
    service.step()
    cues = panel.state().cues
    press(service)
    assert panel.state().cues == cues + 1
    table.shows = reading(DEAL)
    service.step()
    assert latest(service).next is Color.BLACK, "nothing was judged"


@pytest.mark.parametrize("fault", [BadInputError("no board in the picture"), RuntimeError("a fault")], ids=repr)
def test_a_picture_that_cannot_be_read_is_said_and_the_next_one_is_tried(
    service: Service, table: Table, fault: Exception
) -> None:
    table.shows = fault
    service.step()
    assert latest(service).eye.trouble
    table.shows = reading(DEAL)
    table.now_s += LOOK_AGAIN_S
    service.step()
    assert not latest(service).eye.trouble


def test_a_board_out_of_sight_is_said_and_a_press_lapses(service: Service, table: Table) -> None:
    table.lost = "the picture is too dark"
    assert "out of sight: the picture is too dark" in press(service).eye.trouble
    table.lost = None
    table.now_s += LOOK_AGAIN_S
    service.step()
    assert latest(service).phase == "waiting"
    assert not latest(service).eye.trouble


def test_a_wrong_deal_is_refused_with_the_numbers(service: Service, table: Table, panel: Panel) -> None:
    table.shows = reading({cell: Contents(Settlement(HAMLET)) for cell in DEAL})
    refused = press(service)
    assert refused.notice.kind == "illegal"
    assert "19" in refused.notice.sentences[0]
    assert refused.phase == "waiting"
    table.shows = reading(DEAL)
    assert press(service).phase == "workshop"


def test_what_makes_a_deal_hard_to_read_is_said_with_it(service: Service, table: Table) -> None:
    table.remarks = DealRemarks(stops=-2.0, poor=(BOARD.cell("G8"),))
    dealt = press(service)
    assert dealt.notice.kind == "start"
    assert any("darker" in sentence for sentence in dealt.notice.sentences)
    assert any("G8" in sentence for sentence in dealt.notice.sentences)


def test_a_deal_that_is_read_well_is_not_remarked_on(service: Service) -> None:
    assert press(service).notice.sentences == ()


def test_too_many_commands_are_refused(service: Service) -> None:
    assert all(service.press() for _ in range(MOST_WAITING))
    assert not service.press()


def test_the_loop_ends_soon_after_stop(table: Table, panel: Panel) -> None:
    service = Service(table, table, table, panel, Scoreboard(), game=GAME, period_s=0.01)
    thread = threading.Thread(target=service.run)
    thread.start()
    while service.seen is None:
        time.sleep(0.001)
    service.stop()
    thread.join(timeout=2.0)
    assert not thread.is_alive()
