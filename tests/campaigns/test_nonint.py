"""NONINT finds every planted leak, and is not blind: where everything may be seen, the worlds do differ."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from spieltisch_service.app.service import Service
from tests.campaigns import nonint
from tests.campaigns.harness.campaign import Finding, Run
from tests.campaigns.hidden.comparing import Comparing
from tests.campaigns.hidden.leaks import LEAKS
from tests.campaigns.hidden.tables import play_some, set_up

_ENOUGH = {**nonint.CAMPAIGN.short, **nonint.CAMPAIGN.bite}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_planted_leak_is_found(leak: str, tmp_path: Path) -> None:
    with pytest.raises(Finding, match="can tell two worlds apart"):
        nonint.run(Run(_ENOUGH, 1, tmp_path, plant=leak))


@pytest.fixture
def comparing() -> Comparing:
    return Comparing()


def test_the_other_world_is_another_one(new_service: Callable[..., Service], comparing: Comparing) -> None:
    """Once the match has ended everything may be seen, and then the worlds do differ."""
    rng = random.Random(5)
    table = set_up(new_service, "wunderland", rng, options={"round_limit": None})
    play_some(table, 60, rng)
    service = table.new_service()
    for caller in table.callers[:-1]:
        service.seats.resign(caller, table.match_id, None, None)
    differences = comparing.differences(table, None, "not", rng)
    assert any(each.question.target.endswith("/record") for each in differences)


def test_nonces_and_seed_are_hidden_before_the_start(new_service: Callable[..., Service], comparing: Comparing) -> None:
    rng = random.Random(3)
    table = set_up(new_service, "wunderland", rng, start="manual")
    assert len(set(table.live().secret.nonces)) == 2
    for viewer in (None, *range(len(table.callers))):
        assert comparing.differences(table, viewer, "not" if viewer is None else "key", rng) == []
