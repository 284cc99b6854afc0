"""The loop: what a game brings, which pictures are read, which commands are obeyed."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from companion.board import Color, Contents, DealRemarks, Road, Settlement, Terrain, Workshop
from companion.commands import CorrectCell, StartGame, Undo
from companion.events import Event, Loss
from companion.games.contract import Player
from companion.games.la_strada import LaStradaPosition
from companion.scoreboard import Scoreboard
from companion.service import MOST_WAITING, Eyes, Pace, ReadPicture, Service
from companion.session import State
from companion.words import LANGUAGES
from hardware.panel import Panel
from tests.service.fake_table import (
    BOARD,
    DEAL,
    GAME,
    HAMLET,
    ROAD,
    Motion,
    Table,
    latest,
    lying,
    played,
    press,
    reading,
)


def end_the_game(service: Service) -> None:
    state = service._session.state
    assert isinstance(state.position, LaStradaPosition)
    service._session._state = replace(state, position=replace(state.position, next=None))


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


def test_a_road_to_a_city_pays_days_and_earns_gold(service: Service, table: Table) -> None:
    table.shows = reading(lying(**played(service, table), **ROAD))
    done = press(service)
    ada = done.players[0]
    assert (done.notice.kind, ada.gold, ada.days, ada.merchants_left) == ("legal", 5, 2, 11)
    assert ada.tiles_left[Terrain.PLAIN] == 16
    assert "It cost 4 days" in done.notice.title


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


def test_what_is_refused_is_logged_without_anybodys_name(
    service: Service, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    press(service)
    service.submit(StartGame((Player("Walburga", Color.BLACK),), rules="chess"), "Notburga (192.0.2.7)")
    service.step()
    (said,) = caplog.messages
    assert said.startswith("StartGame was refused")
    assert not any(word in said for word in ("Walburga", "Notburga", "192.0.2.7"))


def test_what_no_command_can_mean_is_said_in_every_language(service: Service) -> None:
    press(service)
    service.submit(StartGame((Player("Ada", Color.BLACK),)))
    service.step()
    notices = [words.notice for words in latest(service).words.values()]
    sentences = {notice.sentences for notice in notices if notice is not None}
    assert len(sentences) == len(LANGUAGES)
    assert all("1" in sentence for (sentence,) in sentences)


@dataclass
class Damaged:
    """A logbook that was put right when it was opened, and that is not written to here."""

    note: Loss
    trouble: None = None

    def record(self, events: Sequence[Event], state: State, sight: ReadPicture | None = None, who: str = "") -> None:
        pytest.fail("nothing happened")


def test_what_the_logbook_lost_is_a_warning_in_every_language(table: Table, panel: Panel) -> None:
    loss = Loss("salvaged-part", "damaged-2026-11-21T170458Z", 41, 42)
    service = Service(
        Eyes(table, table, table), panel, Scoreboard(), GAME, logbook=Damaged(loss), pace=Pace(clock=table.clock)
    )
    service.take_up()
    warnings = {words.warning for words in latest(service).words.values()}
    assert len(warnings) == len(LANGUAGES)
    assert all(loss.aside in warning and "41" in warning and warning.endswith(".") for warning in warnings)


def test_too_many_commands_are_refused(service: Service) -> None:
    assert all(service.press() for _ in range(MOST_WAITING))
    assert not service.press()


def test_only_still_pictures_that_changed_are_read(service: Service, table: Table) -> None:
    service.step()
    for motion in (Motion(True, False), Motion(False, True), Motion(False, False)):
        table.motion = motion
        service.step()
    assert table.reads == 1, "the first picture alone"
    table.motion = Motion(is_still=True, has_changed=True)
    service.step()
    assert table.reads == 2


def test_every_pass_beats_with_or_without_a_picture(table: Table, panel: Panel) -> None:
    beats: list[float] = []
    pace = Pace(clock=table.clock, beat=lambda: beats.append(table.now_s))
    service = Service(Eyes(table, table, table), panel, Scoreboard(), GAME, pace=pace)
    service.step()
    table.shows = OSError("gone")
    service.step()
    assert len(beats) == 2


def test_the_loop_ends_soon_after_stop(table: Table, panel: Panel) -> None:
    service = Service(Eyes(table, table, table), panel, Scoreboard(), GAME, pace=Pace(period_s=0.01))
    thread = threading.Thread(target=service.run)
    thread.start()
    while service.seen is None:
        time.sleep(0.001)
    service.stop()
    thread.join(timeout=2.0)
    assert not thread.is_alive()


def test_the_reader_is_told_how_its_picture_was_taken_and_then_looks_again(service: Service, table: Table) -> None:
    press(service)
    dealt = {cell: seen.contents for cell, seen in reading(DEAL).cells.items() if seen.contents.tile is not None}
    assert table.told == [(dealt, False)]
    table.motion = Motion(is_still=True, has_changed=False)
    reads = table.reads
    service.step()
    assert table.reads == reads + 1, "what was in doubt is clear now"
    service.step()
    assert table.reads == reads + 1
    hamlet = next(cell for cell, contents in dealt.items() if contents == Contents(Settlement(HAMLET)))
    service.submit(CorrectCell(hamlet, dealt[hamlet]))
    service.step()
    assert table.told[-1] == ({hamlet: dealt[hamlet]}, True)


def test_what_a_person_says_while_nothing_is_to_be_seen_is_not_told_of_an_older_picture(
    service: Service, table: Table
) -> None:
    press(service)
    before = list(table.told)
    table.shows = OSError("gone")
    service.step()
    service.submit(CorrectCell(BOARD.cell("G7"), Contents(Workshop(Color.BLACK))))
    service.step()
    assert table.told == before
