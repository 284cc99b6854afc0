"""What everybody sees at one moment: one frozen snapshot, and how the game went up to it."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from companion.board import BARE, Board, Cell, Contents, HexBoard, PlayerColor, Reading, Terrain, Tile
from companion.events import Outlook
from companion.games import hints, rule_set, score
from companion.games.contract import Hint, Line, Position, is_named
from companion.scoreboard.turn_clock import Times
from companion.words.speech import Speech
from hardware.cues import Cue


@dataclass(frozen=True, slots=True)
class PlayerLine:
    """One player as scoreboard and replay show them; anything that a game lacks is None, or empty.

    `gold` is how much they have of what players earn, "gold" or "wealth" (`earned`). `tiles_left` counts road tiles by
    terrain; if every tile is different (`has_hand`), those left are the `hand`. `is_person` is False once they are
    called by their colour (`called`).
    """

    name: str
    color: PlayerColor
    days: int | None
    gold: int
    merchants_left: int | None
    tiles_left: Mapping[Terrain, int]
    is_next: bool
    has_won: bool
    hand: tuple[Tile, ...] = ()
    has_passed: bool = False
    earned: str = "gold"
    is_person: bool = True

    @property
    def is_named(self) -> bool:
        """Whether somebody gave them a name."""
        return self.is_person and is_named(self.name, self.color)

    def called(self, language: str) -> PlayerLine:
        """Return the player as that language calls them: by their colour, if nobody gave them a name."""
        if self.is_named:
            return self
        return replace(self, name=Speech(language=language).color(self.color), is_person=False)

    @property
    def has_days(self) -> bool:
        """Whether the game counts travel days."""
        return self.days is not None

    @property
    def has_hand(self) -> bool:
        """Whether each of the player's tiles is different."""
        return not self.tiles_left

    @classmethod
    def each_in(cls, position: Position) -> tuple[PlayerLine, ...]:
        """Return what each player has, in seat order."""
        standing = score(position)
        return tuple(
            cls(
                name=player.name,
                color=player.color,
                days=position.days.get(player.color),
                gold=standing.gold[player.color],
                merchants_left=position.merchants_left(player.color),
                tiles_left=position.tiles_left.get(player.color, {}),
                is_next=player.color == position.next,
                has_won=player.color in standing.winners,
                hand=position.hand(player.color),
                has_passed=player.color in position.passed,
                earned=rule_set(position.rules_name).earned,
            )
            for player in position.players
        )


@dataclass(frozen=True, slots=True)
class Stand:
    """What everybody had after a turn of `player` (None: before the first): `gold` or wealth, and `days` if they count.

    Both are by colour.
    """

    player: PlayerColor | None
    gold: Mapping[PlayerColor, int]
    days: Mapping[PlayerColor, int]


class Course:
    """Follows one game, and scores each position once. Belongs to the loop's thread."""

    def __init__(self) -> None:
        self._positions: tuple[Position, ...] = ()
        self._stands: tuple[Stand, ...] = ()

    def along(self, positions: Sequence[Position]) -> tuple[Stand, ...]:
        """Return how everybody stood before the first turn, and after each; `positions` are the game's, oldest first.

        Placing a workshop is not a turn.
        """
        turns = tuple(position for position in positions if position.phase != "workshop")
        same = 0
        for known, position in zip(self._positions, turns, strict=False):
            if known is not position:
                break
            same += 1
        if same == len(turns) == len(self._positions):
            return self._stands
        fresh = (
            Stand(turns[at - 1].next if at else None, score(turns[at]).gold, dict(turns[at].days))
            for at in range(same, len(turns))
        )
        self._positions, self._stands = turns, (*self._stands[:same], *fresh)
        return self._stands


@dataclass(frozen=True, slots=True)
class Notice:
    """The latest notice: its kind, its sentences, and the cells that it is about.

    `kind` is one of legal, illegal, ask (the companion needs a look, or a hand is in the way), corrected, start, end.
    `by` is the keeper who decided it, "" if the table's button or the camera did. `is_to_teach`: some of what was dealt
    is read poorly, and would be read better if it were taught again. `codes` are those of the rules that a verdict
    rests on (`Rulebook.behind`).
    """

    kind: str
    title: str
    sentences: tuple[str, ...] = ()
    cells: frozenset[Cell] = frozenset()
    by: str = ""
    is_to_teach: bool = False
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer that a person can give with one tap: the sentence on the button, and the command that it sends.

    `command` is posted to the scoreboard's /keeper/<command> with `body`, plain JSON values; `detail` says in a few
    words what it puts on which cell, or "".
    """

    label: str
    command: str
    body: Mapping[str, object] = field(default_factory=dict)
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """The words in one language: the notice, the choices, and what is wrong with the camera and elsewhere.

    `lines` says, for each line across the board that earns something, who collects what.
    """

    notice: Notice | None = None
    choices: tuple[Choice, ...] = ()
    trouble: str = ""
    warning: str = ""
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lamps:
    """What the panel shows: the turn lamp that is lit, and the last cue played.

    `cues` counts them, so that the same cue played twice is seen twice.
    """

    turn: PlayerColor | None = None
    cue: Cue | None = None
    cues: int = 0


@dataclass(frozen=True, slots=True)
class Eye:
    """What the camera does: `trouble` is a sentence, or "" if all is well; `picture` counts the pictures read.

    `is_moving`: hands are at work, and nothing is read before the table is still.
    """

    trouble: str = ""
    picture: int = 0
    read_ms: float = 0.0
    is_moving: bool = False


@dataclass(frozen=True, slots=True)
class Wishes:
    """Who would like to play again, in the order in which they said so; `is_declined`: a keeper has said not now."""

    players: tuple[PlayerColor, ...] = ()
    is_declined: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything a scoreboard shows, at one moment. `number` grows with every snapshot.

    `phase` is "waiting" (for a deal), "workshop", "turn" or "over". `contents` is what the rules hold to be true;
    `laid` what the camera sees differently and nobody has judged yet (a bare cell: something is missing there), and
    `outlook` what the verdict on it would be. `changed` are the cells that the last move, or taking it back, changed in
    the game; none after a deal. `lays_one`: the move of the player in turn lays one piece and no more. `hints` are
    roads that they could build, if the table allows hints, else none. `lines` are the lines across the board that earn
    something, and `said_lines` the sentences about them; `together` is what all have earned if they play against their
    own best, else None. `lets_stand`: a wrong move can be accepted as it lies. `rounds_left` includes the round in
    progress; None if rounds do not count.
    `warning` is a sentence on what else is wrong, such as a full disk, or "". `choices` are the answers that people can
    give with one tap, the likeliest first. All these sentences are English; `words` has them in the other languages.
    `course` is how gold and days went, turn by turn, up to now. `times` is what the turn clock has counted, None while
    that is not known; it is shown if `has_clock`.
    `position` is the position that all this describes, and `before` the one that was shown before it; None if there was
    none.
    `is_teaching`: every screen says what the player can do now, for those who have never played.
    `wishes` are for another game, once this one is over.
    `pin` is the keeper's while the table's button is held, else "": for the screens at the table, never for a viewer's.
    """

    number: int = 0
    phase: str = "waiting"
    board: Board = field(default_factory=HexBoard)
    terrain: Mapping[Cell, Terrain] = field(default_factory=dict)
    contents: Mapping[Cell, Contents] = field(default_factory=dict)
    laid: Mapping[Cell, Contents] = field(default_factory=dict)
    changed: frozenset[Cell] = frozenset()
    players: tuple[PlayerLine, ...] = ()
    next: PlayerColor | None = None
    lays_one: bool = False
    hints: tuple[Hint, ...] = ()
    rounds_left: int | None = None
    lines: tuple[Line, ...] = ()
    said_lines: tuple[str, ...] = ()
    together: int | None = None
    lets_stand: bool = True
    outlook: Outlook = Outlook.NO_GAME
    notice: Notice | None = None
    lamps: Lamps = Lamps()
    eye: Eye = Eye()
    warning: str = ""
    choices: tuple[Choice, ...] = ()
    words: Mapping[str, Words] = field(default_factory=dict)
    course: tuple[Stand, ...] = ()
    times: Times | None = None
    has_clock: bool = False
    position: Position | None = None
    before: Position | None = None
    is_teaching: bool = False
    wishes: Wishes = Wishes()
    pin: str = ""

    @property
    def books(self) -> str:
        """A code for what the rules hold to be true: it changes with every move, deal, undo and end.

        It is the same in every language, although each calls players without a name differently.
        """
        lies = sorted((str(cell), repr(contents)) for cell, contents in self.contents.items())
        players = [replace(line, name="", is_person=False) for line in self.players]
        return f"{zlib.crc32(repr((self.phase, self.next, players, lies)).encode()):08x}"

    @property
    def is_between_turns(self) -> bool:
        """Whether a turn is over, and nothing has been laid yet for the next one."""
        return len(self.course) > 1 and self.phase == "turn" and self.outlook is Outlook.UNCHANGED and not self.laid

    def in_language(self, language: str) -> Snapshot:
        """Return the snapshot with its sentences in that language, or in English if it has none in it."""
        words = self.words.get(language)
        return (self if words is None else self.saying(words)).calling(language)

    def calling(self, language: str) -> Snapshot:
        """Return the snapshot with players who have no name called by their colour, in that language."""
        if all(line.is_named for line in self.players):
            return self
        return replace(self, players=tuple(line.called(language) for line in self.players))

    def saying(self, words: Words) -> Snapshot:
        """Return the snapshot with these sentences."""
        eye = replace(self.eye, trouble=words.trouble)
        return replace(
            self,
            notice=words.notice,
            choices=words.choices,
            eye=eye,
            warning=words.warning,
            said_lines=words.lines,
        )

    def awaiting(self, reading: Reading) -> Snapshot:
        """Return the snapshot before a game on the board that was read, with the pieces on it."""
        lies = {cell: read.contents for cell, read in reading.cells.items()}
        return replace(
            self,
            phase="waiting",
            board=reading.board,
            terrain={cell: read.terrain for cell, read in reading.cells.items() if read.terrain is not None},
            contents={},
            laid={cell: contents for cell, contents in lies.items() if contents != BARE},
            changed=frozenset(),
            players=(),
            next=None,
            lays_one=False,
            hints=(),
            rounds_left=None,
            lines=(),
            together=None,
            course=(),
            times=None,
            position=None,
            before=None,
        )

    def with_position(self, position: Position) -> Snapshot:
        """Return the snapshot of that position; the words and the camera's state stay."""
        standing, contents = score(position), position.expected()
        return replace(
            self,
            phase=position.phase,
            board=position.ground.board,
            terrain=position.ground.terrain,
            contents=contents,
            changed=self.changed if contents == self.contents else self._changed_by(position, contents),
            players=PlayerLine.each_in(position),
            next=position.next,
            lays_one=position.lays_one,
            hints=hints(position),
            rounds_left=position.rounds_left,
            lines=standing.lines,
            together=standing.together,
            lets_stand=position.lets_stand,
            position=position,
            before=self.before if position == self.position else self.position,
        )

    def _changed_by(self, position: Position, contents: Mapping[Cell, Contents]) -> frozenset[Cell]:
        if not self.contents or position.ground.terrain != self.terrain or position.phase == "workshop" != self.phase:
            return frozenset()  # another game: everything is new
        cells = self.contents.keys() | contents.keys()
        return frozenset(cell for cell in cells if self.contents.get(cell) != contents.get(cell))
