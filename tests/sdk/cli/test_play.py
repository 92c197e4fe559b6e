"""A person at the table."""

import json
import re
from pathlib import Path

import pytest

from spieltisch import Client, records
from tests.sdk.cli.conftest import Run

MOVES = "0\n" * 600


@pytest.mark.parametrize("game", [["neues-land"], ["wunderland", "--option", "round_limit=2"]])
def test_a_match_is_played_to_its_end(cli: Run, game: list[str], tmp_path: Path, live_server: str) -> None:
    done = cli("play", *game, "--seat", "1", "--record", "record.json", typed=MOVES)
    assert done.code == 0, done.err
    assert "The match is over" in done.out
    match = Client(live_server).matches.get(done.match)
    assert match.result is not None
    assert [seat.name for seat in match.seats] == ["random", "Guest"]
    # The places by rank, as the service has them.
    table = done.out[done.out.index("rank  seat") :]
    rows = re.findall(r"^(\d) +seat (\d) \((\w+)\) +(\d+)$", table, re.M)
    told = {int(seat): (int(rank), name, int(points)) for rank, seat, name, points in rows}
    results = zip(match.result.ranks, ("random", "Guest"), match.result.scores, strict=True)
    assert [told[0], told[1]] == list(results)
    record = records.read(tmp_path / "record.json")
    assert record["match"] == done.match
    assert records.check(record) == []
    # What the others did was told, and every own action was one that was typed.
    mine = sum(action["seat"] == 1 for action in record["actions"])
    assert done.out.count("You: ") == mine
    assert done.out.count("\nseat 0 (random): ") > mine // 4


def test_three_at_a_table_and_options(cli: Run, live_server: str) -> None:
    bots = ["--against", "random", "--against", "random"]
    done = cli("play", "neues-land", *bots, "--option", "expert=true", typed="quit\n")
    match = Client(live_server).matches.get(done.match)
    assert len(match.seats) == 3
    assert match.info.options["expert"] is True


def test_one_leaves_and_goes_on(cli: Run, live_server: str) -> None:
    first = cli("play", "neues-land", typed="0\nquit\n")
    assert first.code == 0
    assert f"spieltisch play --match {first.match}" in first.out
    match = Client(live_server).matches.get(first.match)
    assert match.status == "running"
    version = match.version
    second = cli("play", "--match", first.match, typed="0\n", key=first.key)
    assert second.code == 0
    assert f"version {version}" in second.out
    assert second.err == ""
    assert match.refresh().version > version
    assert "waits for you" in second.out


def test_actions_are_searched_by_words(cli: Run) -> None:
    done = cli("play", "wunderland", typed="KNUFFINGEN oslo\noslo travellers 3\n\nquit\n")
    listed, searched, narrowed, *_ = re.split(r"(?<=\n)(?:number|Enter).* > ", done.out)
    for to in ("oslo", "tower"):
        assert f"knuffingen > {to}  [" in listed
    # As many as there are travellers, under the numbers of the whole list.
    numbers = re.search(r"knuffingen > oslo  (\[\d+\.\.\d+\]) 1\.\.8", listed)
    assert numbers is not None
    assert searched.endswith(f"travel knuffingen > oslo … travellers\n  {numbers[1]} 1..8\n")
    third = int(numbers[1].strip("[]").split("..")[0]) + 2
    assert narrowed.endswith(f"[{third}] travel knuffingen > oslo travellers 3\n")
    assert "Enter = travel knuffingen > oslo travellers 3, or ? > " in done.out
    assert done.out.count("You: travel knuffingen > oslo travellers 3\n") == 1


def test_what_is_typed_wrongly_does_nothing(cli: Run, live_server: str) -> None:
    done = cli("play", "neues-land", typed="999\nnonsense\n?\nrules\nresign\nno\n-1\nquit\n")
    assert done.code == 0
    assert "The numbers go from 0 to" in done.out
    assert "No action has 'nonsense' in it" in done.out
    assert "there is no undo" in done.out
    assert "# Neues Land" in done.out
    assert Client(live_server).matches.get(done.match).version == 2


def test_who_gives_up_has_lost(cli: Run, live_server: str) -> None:
    done = cli("play", "neues-land", typed="resign\nyes\n")
    assert done.code == 0
    match = Client(live_server).matches.get(done.match)
    assert match.result is not None
    assert match.result.ranks == (2, 1)
    assert re.search(r"^2 +seat 0 \(Guest\) +0 +resigned$", done.out, re.M)


def test_a_seat_token_is_enough(cli: Run, ada: Client) -> None:
    match = ada.matches.create("neues-land", ["me", "me"])
    done = cli("play", "--match", match.id, typed="0\nquit\n", key=match.seat_tokens[0])
    assert done.code == 0
    assert [action["seat"] for action in match.record()["actions"]] == [0]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["chess"], 1, "/game: "),
        (["neues-land", "--against", "nobody"], 1, "bot:random"),
        (["neues-land", "--option", "experts=true"], 1, "experts"),
        (["neues-land", "--option", "expert"], 2, "a name, = and a value"),
        (["neues-land", "--seat", "5"], 2, "there are seats 0 to 1"),
        (["--match", "mt_" + "0" * 32], 1, "not_found"),
    ],
)
def test_what_cannot_be_played(cli: Run, ada: Client, arguments: list[str], code: int, said: str) -> None:
    done = cli("play", *arguments, key=ada.key)
    assert done.code == code
    assert said in done.err
    assert done.err.startswith("spieltisch: ")
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_somebody_elses_match_cannot_be_played(cli: Run, ada: Client, live_server: str) -> None:
    match = ada.matches.create("neues-land", ["me", "me"])
    done = cli("play", "--match", match.id, key=Client(live_server).register("Eve").key)
    assert (done.code, done.err) == (1, f"spieltisch: this client holds no seat of match {match.id}\n")


def test_no_service_is_needed_here(cli: Run) -> None:
    done = cli("play", "wunderland", "--option", "round_limit=1", "--url", "local:", typed=MOVES)
    assert done.code == 0, done.err
    assert "The match is over" in done.out
    assert json.dumps("SPIELTISCH_KEY") not in done.err
