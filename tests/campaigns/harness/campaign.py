"""What a campaign is, and what it is given."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

Scale: TypeAlias = Mapping[str, int]
#: What a campaign counted and measured, by name; `operations` must be there.
Figures: TypeAlias = Mapping[str, int | float | str]


class Finding(AssertionError):
    """A promise is broken; the message says which, where, and what was seen."""


class Skipped(Exception):
    """This machine cannot run the campaign; the message says what it lacks."""


def _nothing(_: str) -> None:
    return


@dataclass(frozen=True)
class Run:
    """One run of a campaign. `plant` names the planted bug that it must find; None: the service as it is."""

    scale: Scale
    seed: int
    folder: Path
    say: Callable[[str], None] = _nothing
    plant: str | None = None
    rng: random.Random = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rng", random.Random(self.seed))

    def __getitem__(self, name: str) -> int:
        """A number of the scale."""
        return self.scale[name]


@dataclass(frozen=True)
class Campaign:
    """A promise and how it is attacked.

    `teeth` are planted bugs, by name, that its short form must find; `bite` are numbers of the scale that differ then.
    """

    name: str
    promise: str
    run: Callable[[Run], Figures]
    short: Scale
    long: Scale
    teeth: Sequence[str] = ()
    bite: Scale = field(default_factory=dict)

    def __post_init__(self) -> None:
        if set(self.short) != set(self.long) or not set(self.bite) <= set(self.short):
            raise ValueError(f"{self.name}: the two scales have other names")


def scale_of(campaign: Campaign, *, long: bool, changes: Sequence[str] = ()) -> Scale:
    """The scale, with `NAME=NUMBER` changes. Raises ValueError for one that it does not have."""
    scale = dict(campaign.long if long else campaign.short)
    for change in changes:
        name, equals, number = change.partition("=")
        if not equals or name not in scale or not number.isdigit():
            raise ValueError(f"{campaign.name} has no {change!r}; it has {', '.join(sorted(scale))}, as NAME=NUMBER")
        scale[name] = int(number)
    return scale
