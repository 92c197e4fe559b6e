"""`python -m tests.campaigns NAME`: run a campaign and print its figures and how to run it again."""

from __future__ import annotations

import logging
import secrets
import sys

import click
import structlog

from tests.campaigns.harness.campaign import scale_of
from tests.campaigns.harness.runner import CAMPAIGNS, judged


@click.command()
@click.argument("name", required=False, type=click.Choice(sorted(CAMPAIGNS), case_sensitive=False))
@click.option("--long", "long", is_flag=True, help="The long form, which takes minutes, instead of the one in CI.")
@click.option("--seed", type=int, help="Where all chance comes from; drawn and printed if not given.")
@click.option("--set", "changes", multiple=True, metavar="KEY=NUMBER", help="Change a number of the scale.")
def main(name: str | None, long: bool, seed: int | None, changes: tuple[str, ...]) -> None:
    """Run the campaign NAME, or say which there are. Ends with 1 on a finding, with 3 where it cannot run here."""
    if name is None:
        for known, campaign in sorted(CAMPAIGNS.items()):
            click.echo(f"{known:<10} {campaign.promise}")
        return
    # What a service of this process has to say while it is attacked, failures apart.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    campaign = CAMPAIGNS[name]
    try:
        scale = scale_of(campaign, long=long, changes=changes)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    drawn = secrets.randbelow(2**31) if seed is None else seed
    again = f"./run campaign {campaign.name}{' --long' if long else ''} --seed {drawn}"
    again += "".join(f" --set {change}" for change in changes)
    sys.exit(judged(campaign, scale, drawn, again, lambda line: click.echo(line, err=True)))


if __name__ == "__main__":
    main()
