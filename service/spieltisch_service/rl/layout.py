"""How an observation, one vector, is divided into named parts.

Learning libraries want one array, people want names: so the parts are written, and can be read, as views into the
vector (`Layout.split`), each with a shape and a range of its own. Nothing is copied on the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

#: An observation, or one of its parts.
Numbers: TypeAlias = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Part:
    """A named part: its shape, and the least and the greatest number that it can hold."""

    name: str
    shape: tuple[int, ...]
    low: int
    high: int


class Layout:
    """The parts of a vector, one after the other, each in C order. `size` is the length of the vector."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts: Mapping[str, Part] = MappingProxyType({part.name: part for part in parts})
        self.slices: Mapping[str, slice] = self._slices(parts)
        self.size = sum(prod(part.shape) for part in parts)

    @staticmethod
    def _slices(parts: Sequence[Part]) -> Mapping[str, slice]:
        found, start = {}, 0
        for part in parts:
            found[part.name] = slice(start, start := start + prod(part.shape))
        return MappingProxyType(found)

    def empty(self) -> Numbers:
        """A vector of zeros."""
        return np.zeros(self.size, dtype=np.int16)

    def split(self, vector: Numbers) -> dict[str, Numbers]:
        """The parts by name, in their shapes: views into `vector`."""
        return {name: vector[place].reshape(self.parts[name].shape) for name, place in self.slices.items()}

    def box(self) -> spaces.Box:
        """The space of such vectors."""
        low, high = self.empty(), self.empty()
        for name, part in self.parts.items():
            low[self.slices[name]], high[self.slices[name]] = part.low, part.high
        return spaces.Box(low, high, dtype=np.int16)
