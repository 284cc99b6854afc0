"""What lies on Silk Road's board: road sections, what they show and how they lie; the snow and the mountains."""

from __future__ import annotations

from dataclasses import dataclass, replace

#: Directions in which a ray can point: 0 is east, then anticlockwise by 45 degrees; a quarter turn is two of them.
RAYS = range(8)


@dataclass(frozen=True, slots=True)
class Section:
    """A road section as it is printed: its rays as they point unturned, ascending; `number` is 0 where it has none."""

    id: str
    number: int = 0
    has_horse: bool = False
    rays: tuple[int, ...] = ()
    is_dead_end: bool = False

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError(f"section {self.id}: number is {self.number}; it should be 0 (none) or more")
        if not all(ray in RAYS for ray in self.rays) or sorted(set(self.rays)) != list(self.rays):
            raise ValueError(
                f"section {self.id}: rays are {self.rays!r:.60}; they should be different ones from 0 to 7, ascending"
            )


@dataclass(frozen=True, slots=True)
class LaidSection:
    """A section as it lies: whose it is, and by how many quarter turns it was turned anticlockwise, 0 to 3.

    >>> LaidSection(Section("1", rays=(0, 3)), "green", 1).rays
    (2, 5)
    """

    section: Section
    color: str
    turn: int = 0

    def __post_init__(self) -> None:
        if self.turn not in range(4):
            raise ValueError(f"turn is {self.turn!r}; a section is turned by 0 to 3 quarter turns")

    @property
    def rays(self) -> tuple[int, ...]:
        """The directions in which its rays point now: (ray + 2 turn) mod 8, ascending."""
        return tuple(sorted((ray + 2 * self.turn) % len(RAYS) for ray in self.section.rays))

    @property
    def least_turned(self) -> LaidSection:
        """The same with the fewest quarter turns after which its rays point as they do now.

        The rules know a section's lie by its rays alone (rules, Silk Road), and photographs of some show no more.

        >>> LaidSection(Section("1", rays=(0, 4)), "green", 3).least_turned.turn
        1
        """
        return next(lie for turn in range(4) if (lie := replace(self, turn=turn)).rays == self.rays)


@dataclass(frozen=True, slots=True)
class Snow:
    """The snow."""


@dataclass(frozen=True, slots=True)
class Mountain:
    """A mountain; which of them it is makes no difference."""
