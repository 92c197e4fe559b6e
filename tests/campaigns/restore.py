"""RESTORE: a backup under load, the data folder is wiped, the backup restored: all is as it was, and play goes on."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from typing import Any
from unittest import mock

from click.testing import CliRunner

from spieltisch_service.cli import main as command
from spieltisch_service.domain.errors import InvalidRecord
from spieltisch_service.domain.verify import verify
from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run
from tests.campaigns.harness.history import History
from tests.campaigns.harness.operations import Situation
from tests.campaigns.harness.players import Player, account, finished, total, until_moved
from tests.campaigns.harness.site import SECRET, Within, prove
from tests.campaigns.harness.wire import Wire, accepted
from tests.patience import long_calls

_ACTIONS_AFTER = 6


def run(run: Run) -> Figures:
    """Play, back up, wipe, restore, compare, play on."""
    saved = run.folder / "saved"
    with Within(run) as site:
        token = account(site.port)
        players = [Player(site.port, token, n, run.rng.getrandbits(64), History()) for n in range(run["clients"])]
        for player in players:
            player.start()
        try:
            until_moved(players, lambda: sum(one.counts.acknowledged for one in players), run["actions"])
            # While others play: each match is in it as it was at one instant.
            _command("backup", str(run.folder / "early"), "--data", str(run.folder / "data"))
        finally:
            for player in players:
                player.enough.set()
        finished(players)
        _command("restore", str(run.folder / "early"), "--data", str(run.folder / "data"), "--check")
        matches = [log.match for player in players for log in player.logs]
        with Wire(site.port, token) as wire:
            repeated = [_kept(Situation(wire, run.rng, token=token)) for _ in range(run["repetitions"])]
            before = _all_there_is(wire, matches)
        _command("backup", str(saved), "--data", str(run.folder / "data"))
    shutil.rmtree(run.folder / "data")
    _command("restore", str(saved), "--data", str(run.folder / "data"))
    run.say(f"restored {len(matches)} matches")
    with Within(run) as site, Wire(site.port, token) as wire:
        after = _all_there_is(wire, matches)
        for path, told in before.items():
            if after[path] != told:
                raise Finding(f"{path} was {told[:200]!r}, and is {after[path][:200]!r}")
        for path, body, key, told in repeated:
            again = wire.settled("POST", path, body, key=key)
            if again.body != told or again.headers.get("idempotency-replayed") != "true":
                raise Finding(f"{path}: a request from before is answered {again}")
        played_on = sum(_played_on(Situation(wire, run.rng, token=token), match) for match in matches)
        proved = prove(site.store_url)
    return {
        "operations": total(players).acknowledged + played_on,
        "matches": len(matches),
        "answers compared": len(before),
        "repetitions": len(repeated),
        "actions after it": played_on,
        "matches proved": proved,
        "differences": 0,
    }


def _command(*arguments: str) -> None:
    # An operator runs it again where the store was too slow for it.
    with long_calls(), mock.patch.dict(os.environ, {"REDIS_URL": "", "SPIELTISCH_SECRET": SECRET}):
        done = CliRunner().invoke(command, arguments)
    if done.exit_code:
        raise Finding(f"{' '.join(arguments)} ends with {done.exit_code}: {done.output} {done.exception}")


def _kept(situation: Situation) -> tuple[str, Any, str, bytes]:
    """A request that was answered: path, body, key and answer."""
    situation.made()
    seat, legal = situation.legal()
    path, body = f"{situation.match}/actions", {"actions": [situation.rng.choice(legal)], "seat": seat}
    answer = situation.wire.settled("POST", path, body, key=situation.key)
    accepted(answer)
    return path, body, situation.key, answer.body


def _all_there_is(wire: Wire, matches: Sequence[str]) -> dict[str, bytes]:
    """What must be the same afterwards, byte for byte."""
    paths = ["/v1/me", "/v1/matches?limit=100", "/v1/matches?mine=true&limit=100", "/v1/me/decisions"]
    for match in matches:
        paths += [f"/v1/matches/{match}{part}" for part in ("", "/record", "/view?seat=0", "/legal-actions?seat=1")]
    found = {}
    for path in paths:
        answer = wire.settled("GET", path)
        accepted(answer, 200)
        found[path] = answer.body
    return found


def _played_on(situation: Situation, match: str) -> int:
    """Play a running match a little further, and prove the record of an ended one; how many actions that were."""
    situation.match = f"/v1/matches/{match}"
    for _ in range(_ACTIONS_AFTER):
        if situation.get(situation.match)["status"] != "running":
            break
        situation.play(1)
    record = situation.get(f"{situation.match}/record")
    try:
        # One that still runs is proved from the store.
        if record["status"] == "finished":
            verify(record)
    except InvalidRecord as error:
        raise Finding(f"{match}: the record after the restore is invalid: {error.problems}") from None
    return situation.later


CAMPAIGN = Campaign(
    name="RESTORE",
    promise="after backup, wipe and restore everything is as it was, and play goes on",
    run=run,
    short={"clients": 4, "actions": 300, "repetitions": 4},
    long={"clients": 8, "actions": 10_000, "repetitions": 100},
    teeth=("backup-without-rows", "backup-without-last-event", "backup-without-lists"),
)
