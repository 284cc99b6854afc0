"""The loop: what a game produces, which pictures are read, which commands are obeyed."""

import threading
import time

import pytest

from companion.board import Color, Contents, DealRemarks, Road, Settlement, Terrain
from companion.commands import CorrectCell, StartGame, Undo
from companion.events import Loss
from companion.games.contract import Player
from companion.service import MOST_WAITING, Pace
from companion.words import LANGUAGES
from hardware.panel import Panel
from tests.service.fake_table import ADAS, BOARD, DEAL, HAMLET, ROAD, Book, Loop, Motion, Table, lying, reading


def test_the_button_deals_then_judges_and_everybody_sees_it(loop: Loop) -> None:
    dealt = loop.press()
    assert (dealt.phase, dealt.next, loop.table.new_games) == ("workshop", Color.BLACK, 1)
    assert [line.name for line in dealt.players] == ["Ada", "<Bo>"]
    assert loop.panel.state().cue == "start"
    assert loop.panel.state().turn["black"]

    loop.lay(G7=ADAS)
    placed = loop.press()
    assert (placed.notice.kind, placed.next) == ("legal", Color.RED)
    assert placed.contents[BOARD.cell("G7")] == ADAS
    assert (loop.panel.state().cue, loop.panel.state().turn["red"]) == ("legal", True)


def test_a_road_to_a_city_pays_days_and_earns_gold(loop: Loop) -> None:
    loop.lay(**loop.played(), **ROAD)
    done = loop.press()
    ada = done.players[0]
    assert (done.notice.kind, ada.gold, ada.days, ada.merchants_left) == ("legal", 5, 2, 11)
    assert ada.tiles_left[Terrain.PLAIN] == 16
    assert "It cost 4 days" in done.notice.title


def test_after_the_end_the_button_deals_again_whatever_the_old_layout_makes_of_the_new_board(loop: Loop) -> None:
    loop.press()
    loop.end_the_game()  # and the board is laid out differently
    loop.table.remembers = reading(lying(C3=Contents(Road(Color.RED, Terrain.PLAIN, (0, 3)))))
    assert loop.step().phase == "over"
    assert not loop.latest.laid, "nothing waits for a verdict while the table is cleared"
    dealt = loop.press()
    assert (dealt.phase, loop.table.new_games) == ("workshop", 2)


def test_after_the_end_a_board_that_is_not_cleared_deals_nothing(loop: Loop) -> None:
    loop.press()
    loop.end_the_game()
    loop.lay(C3=ADAS)
    assert (loop.press().phase, loop.table.new_games) == ("over", 1)


def test_a_wrong_deal_is_refused_with_the_numbers(loop: Loop) -> None:
    loop.table.shows = reading({cell: Contents(Settlement(HAMLET)) for cell in DEAL})
    refused = loop.press()
    assert refused.notice.kind == "illegal"
    assert "19" in refused.notice.sentences[0]
    assert refused.phase == "waiting"
    loop.lay()
    assert loop.press().phase == "workshop"


def test_what_makes_a_deal_hard_to_read_is_said_with_it(loop: Loop) -> None:
    loop.table.remarks = DealRemarks(stops=-2.0, poor=(BOARD.cell("G8"),))
    dealt = loop.press()
    assert dealt.notice.kind == "start"
    assert any("darker" in sentence for sentence in dealt.notice.sentences)
    assert any("G8" in sentence for sentence in dealt.notice.sentences)


def test_a_deal_that_is_read_well_is_not_remarked_on(loop: Loop) -> None:
    assert loop.press().notice.sentences == ()


def test_a_command_of_another_kind_is_obeyed(loop: Loop) -> None:
    loop.played()
    assert loop.ask(Undo(1)).phase == "workshop"


def test_a_command_that_asks_for_nonsense_is_a_notice(loop: Loop) -> None:
    loop.press()
    loop.ask(StartGame((Player("Ada", Color.BLACK),), rules="chess"))
    notice = loop.latest.notice
    assert notice is not None
    assert "chess" in notice.sentences[0]


def test_what_is_refused_is_logged_without_anybodys_name(loop: Loop, caplog: pytest.LogCaptureFixture) -> None:
    loop.press()
    loop.ask(StartGame((Player("Walburga", Color.BLACK),), rules="chess"), "Notburga (192.0.2.7)")
    (said,) = caplog.messages
    assert said.startswith("StartGame was refused")
    assert not any(word in said for word in ("Walburga", "Notburga", "192.0.2.7"))


def test_what_no_command_can_mean_is_said_in_every_language(loop: Loop) -> None:
    loop.press()
    loop.ask(StartGame((Player("Ada", Color.BLACK),)))
    notices = [words.notice for words in loop.latest.words.values()]
    sentences = {notice.sentences for notice in notices if notice is not None}
    assert len(sentences) == len(LANGUAGES)
    assert all("1" in sentence for (sentence,) in sentences)


def test_what_the_logbook_lost_is_a_warning_in_every_language(table: Table, panel: Panel) -> None:
    loss = Loss("salvaged-part", "damaged-2026-11-21T170458Z", 41, 42)
    book = Book(loss)
    loop = Loop(table, panel, logbook=book)
    loop.service.take_up()
    assert book.written == []
    warnings = {words.warning for words in loop.latest.words.values()}
    assert len(warnings) == len(LANGUAGES)
    assert all(loss.aside in warning and "41" in warning and warning.endswith(".") for warning in warnings)


def test_too_many_commands_are_refused(loop: Loop) -> None:
    assert all(loop.service.press() for _ in range(MOST_WAITING))
    assert not loop.service.press()


def test_only_still_pictures_that_changed_are_read(loop: Loop) -> None:
    loop.step()
    for motion in (Motion(True, False), Motion(False, True), Motion(False, False)):
        loop.table.motion = motion
        loop.step()
    assert loop.table.reads == 1, "only the first picture"
    loop.table.motion = Motion(is_still=True, has_changed=True)
    loop.step()
    assert loop.table.reads == 2


def test_every_pass_beats_with_or_without_a_picture(table: Table, panel: Panel) -> None:
    beats: list[float] = []
    pace = Pace(clock=table.clock, beat=lambda: beats.append(table.now_s))
    loop = Loop(table, panel, pace=pace)
    loop.step()
    table.shows = OSError("gone")
    loop.step()
    assert len(beats) == 2


def test_whoever_measures_is_told_of_every_reading_and_of_what_hides_the_table(table: Table, panel: Panel) -> None:
    seen: list[object] = []
    pace = Pace(clock=table.clock, read=lambda reading, seconds: seen.append(reading), blind=seen.append)
    loop = Loop(table, panel, pace=pace)
    loop.step()
    assert seen == [table.shows]
    for why in ("silent", "missing", "missing"):
        table.shows = OSError(why)
        table.shows.trouble = why  # type: ignore[attr-defined]
        loop.step()
    assert seen[1:] == ["silent", "missing", "missing"], "even where it changes while nothing is seen"


def test_the_loop_ends_soon_after_stop(table: Table, panel: Panel) -> None:
    service = Loop(table, panel, pace=Pace(period_s=0.01)).service
    thread = threading.Thread(target=service.run)
    thread.start()
    while service.last_read is None:
        time.sleep(0.001)
    service.stop()
    thread.join(timeout=2.0)
    assert not thread.is_alive()


def test_the_reader_is_told_how_its_picture_was_taken_and_then_looks_again(loop: Loop) -> None:
    loop.press()
    dealt = {cell: seen.contents for cell, seen in reading(DEAL).cells.items() if seen.contents.tile is not None}
    assert loop.table.told == [(dealt, False)]
    loop.table.motion = Motion(is_still=True, has_changed=False)
    reads = loop.table.reads
    loop.step()
    assert loop.table.reads == reads + 1, "what was in doubt is clear now"
    loop.step()
    assert loop.table.reads == reads + 1
    hamlet = next(cell for cell, contents in dealt.items() if contents == Contents(Settlement(HAMLET)))
    loop.ask(CorrectCell(hamlet, dealt[hamlet]))
    assert loop.table.told[-1] == ({hamlet: dealt[hamlet]}, True)


def test_the_reader_knows_which_pictures_are_of_the_same_scene_as_before(loop: Loop) -> None:
    loop.press()
    assert loop.table.looked_again == [False] * len(loop.table.looked_again), "it changed each time"
    loop.table.motion = Motion(is_still=True, has_changed=False)
    loop.step()
    assert loop.table.looked_again[-1], "it was told of the deal, and nothing moved"
    loop.table.shows = OSError("gone")
    loop.step()
    loop.table.shows = reading(DEAL)
    loop.table.now_s += 1.0
    loop.step()
    assert not loop.table.looked_again[-1], "nobody knows what happened while the camera was gone"


def test_what_a_person_says_while_nothing_is_to_be_seen_is_not_told_of_an_older_picture(loop: Loop) -> None:
    loop.press()
    before = list(loop.table.told)
    loop.table.shows = OSError("gone")
    loop.step()
    loop.ask(CorrectCell(BOARD.cell("G7"), ADAS))
    assert loop.table.told == before
