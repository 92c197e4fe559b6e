"""`bot:random`: any legal action, each as likely as the others."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any


def decide(view: Mapping[str, Any], rng: random.Random) -> Mapping[str, Any]:
    """One of the view's legal actions."""
    legal = view["legal_actions"]
    return legal[rng.randrange(len(legal))]  # type: ignore[no-any-return]
