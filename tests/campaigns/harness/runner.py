"""Finds the campaigns and runs one: what came of it is a line for a person and an exit code."""

from __future__ import annotations

import importlib
import pkgutil
import tempfile
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path

from tests import campaigns
from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run, Scale, Skipped

DONE, FOUND, CANNOT = 0, 1, 3


def _registered() -> Mapping[str, Campaign]:
    found: dict[str, Campaign] = {}
    for module in pkgutil.iter_modules(campaigns.__path__):
        if module.ispkg or module.name.startswith(("_", "test_", "conftest")):
            continue
        campaign: Campaign = importlib.import_module(f"{campaigns.__name__}.{module.name}").CAMPAIGN
        if campaign.name.lower() != module.name:
            raise ValueError(f"{module.name}.py holds {campaign.name}")
        found[campaign.name] = campaign
    return found


#: All campaigns, by name.
CAMPAIGNS = _registered()


def done(campaign: Campaign, run: Run) -> Figures:
    """The figures of a run. Raises Finding, also for a run that tried nothing, and whatever else came up."""
    figures = campaign.run(run)
    if not figures.get("operations"):
        raise Finding(f"{campaign.name} did nothing: {dict(figures)}")
    return figures


def judged(campaign: Campaign, scale: Scale, seed: int, again: str, say: Callable[[str], None]) -> int:
    """Run it in a folder of its own, and say what came of it; the exit code. `again` is the command to repeat it."""
    with tempfile.TemporaryDirectory(prefix="spieltisch-campaign-", ignore_cleanup_errors=True) as folder:
        try:
            figures = done(campaign, Run(scale, seed, Path(folder), say))
        except Skipped as reason:
            say(f"{campaign.name} SKIPPED: {reason}")
            return CANNOT
        except AssertionError as finding:
            say("".join(traceback.format_tb(finding.__traceback__)[-3:]).rstrip())
            say(f"{campaign.name} FOUND: {finding}")
        except Exception:
            say(traceback.format_exc().rstrip())
            say(f"{campaign.name} BROKE")
        else:
            told = ", ".join(
                f"{value:,} {name}" if isinstance(value, int) else f"{name} {value}" for name, value in figures.items()
            )
            say(f"{campaign.name}: {told} (seed {seed})")
            say(f"again: {again}")
            return DONE
    say(f"again: {again}")
    return FOUND
