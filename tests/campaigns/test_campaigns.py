"""The short form of every campaign, with a fixed seed."""

from pathlib import Path

import pytest

from tests.campaigns.harness.campaign import Run, Skipped
from tests.campaigns.harness.runner import CAMPAIGNS, done

SEED = 1


@pytest.mark.parametrize("name", sorted(CAMPAIGNS))
def test_the_short_form(name: str, tmp_path: Path) -> None:
    campaign = CAMPAIGNS[name]
    try:
        figures = done(campaign, Run(campaign.short, SEED, tmp_path))
    except Skipped as reason:
        pytest.skip(f"{name}: {reason}")
    print(name, dict(figures))
