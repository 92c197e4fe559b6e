"""TEETH: bugs are planted into the service, and the campaigns must find each of them."""

from __future__ import annotations

from collections.abc import Mapping

from tests.campaigns.harness import runner
from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run, Skipped


def run(run: Run) -> Figures:
    """Run the campaigns on services with a bug, `bugs` of them (as the seed draws them), or all there are."""
    pairs = [(each, plant) for each in runner.CAMPAIGNS.values() for plant in each.teeth]
    run.rng.shuffle(pairs)
    missed, found, skipped = [], 0, 0
    for number, (campaign, plant) in enumerate(pairs[: run["bugs"]]):
        folder = run.folder / str(number)
        folder.mkdir()
        scale: Mapping[str, int] = {**campaign.short, **campaign.bite}
        try:
            figures = campaign.run(Run(scale, run.rng.getrandbits(32), folder, plant=plant))
        except AssertionError as finding:
            found += 1
            run.say(f"{campaign.name} finds {plant}: {str(finding)[:160]}")
        except Skipped as reason:
            skipped += 1
            run.say(f"{campaign.name} SKIPPED: {reason}")
        else:
            missed.append(f"{plant} by {campaign.name} {dict(figures)}")
    if missed:
        raise Finding(f"{len(missed)} planted bugs were not found: {'; '.join(missed)}")
    return {"operations": found, "bugs found": found, "bugs there are": len(pairs), "skipped": skipped}


CAMPAIGN = Campaign(
    name="TEETH",
    promise="the campaigns find what they are for: three planted bugs or more each",
    run=run,
    short={"bugs": 3},
    long={"bugs": 1000},
)
