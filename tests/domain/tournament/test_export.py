"""The export of a tournament: written, read back, computed again, and damaged."""

import hashlib
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from spieltisch_service.domain.clock import Clock
from spieltisch_service.domain.errors import DamagedExport, EntryRefused
from spieltisch_service.domain.tournament.export import exported, read, recompute
from spieltisch_service.domain.tournament.log import (
    Entry,
    MatchEnded,
    RoundPaired,
    Started,
    paired,
)
from tests.domain.tournament import cups


def lines(entries: list[Entry]) -> list[str]:
    return list(exported(entries))


def chained(written: list[str], change: Callable[[int, dict[str, Any]], dict[str, Any]]) -> list[str]:
    """The lines with a change, and hashes that fit, as somebody writes them who knows how."""
    before, found = "0" * 64, []
    for number, text in enumerate(written, 1):
        line = change(number, {name: value for name, value in json.loads(text).items() if name != "hash"})
        plain = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        before = hashlib.sha256(f"{before}\n{plain}".encode()).hexdigest()
        found.append(json.dumps({**line, "hash": before}))
    return found


# --- as it should be ----------------------------------------------------------------------------------------


def test_what_is_read_is_what_was_written() -> None:
    entries = cups.whole_log(
        clock=Clock("fischer", 60_000, 1_000), options={"expert": True}, forbidden=(("ada", "dan"),)
    )
    written = lines(entries)
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in written)
    assert read(written) == entries
    assert read(line.encode() for line in written) == entries
    assert json.loads(written[0])["entries"] == len(entries) == len(written)


def test_the_chain_is_that_of_the_description() -> None:
    written = lines(cups.whole_log())
    assert [json.loads(line) for line in chained(written, lambda _, line: line)] == [
        json.loads(line) for line in written
    ]


def test_the_results_are_those_of_the_matches() -> None:
    found = json.loads(recompute(lines(cups.whole_log())))
    assert [found[name] for name in ("tournament", "game", "status")] == ["to", "neues-land", "finished"]
    # Two rounds of four: ada has beaten two, dan nobody.
    standings = {line["entrant"]: line["points"] for line in found["standings"]}
    assert standings["ada"] == 2
    assert standings["dan"] == 0
    assert sum(standings.values()) == 4
    assert found["crosstable"]["entrants"][0] == "ada"
    by_name = {line["entrant"]: line for line in found["statistics"]["entrants"]}
    # Two tables with one deal each, in both seatings.
    assert (by_name["ada"]["matches"], by_name["ada"]["deals"], by_name["ada"]["score"]["mean"]) == (4, 2, 1)
    assert by_name["ada"]["points"] is None
    assert [line["matches"] for line in found["statistics"]["seats"]] == [8, 8]
    rated = found["ratings"]["entrants"]
    assert (found["ratings"]["game"], found["ratings"]["clock_class"]) == ("neues-land", "none")
    assert (rated[0]["entrant"], rated[-1]["entrant"]) == ("ada", "dan")
    assert rated[0]["low"] < rated[0]["rating"] < rated[0]["high"]
    assert all(line["matches"] == 4 for line in rated)


def test_the_same_log_gives_the_same_bytes_however_it_is_written() -> None:
    written = lines(cups.whole_log())
    once = recompute(written)
    rng = random.Random(1)

    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: shuffled(value[name]) for name in rng.sample(list(value), len(value))}
        return [shuffled(each) for each in value] if isinstance(value, list) else value

    again = [json.dumps(shuffled(json.loads(line)), indent=None, ensure_ascii=True) for line in written]
    assert again != written
    assert recompute(again) == once
    assert once.endswith(b"\n")
    assert once.count(b"\n") == 1
    assert once == json.dumps(json.loads(once), sort_keys=True, separators=(",", ":")).encode() + b"\n"


def test_when_something_happened_is_told_and_not_part_of_the_chain() -> None:
    entries = cups.whole_log()
    timed = list(exported(entries, [1_750_000_000_000 + 60_000 * n for n in range(len(entries))]))
    assert json.loads(timed[1])["at"] == "2025-06-15T15:07:40.000Z"
    assert recompute(timed) == recompute(lines(entries))
    assert json.loads(timed[-1])["hash"] == json.loads(lines(entries)[-1])["hash"]


def test_a_result_that_came_twice_counts_once() -> None:
    entries = cups.whole_log()
    at = next(index for index, entry in enumerate(entries) if isinstance(entry, MatchEnded))
    doubled = [*entries[: at + 1], entries[at], *entries[at + 1 :]]
    assert recompute(lines(doubled)) == recompute(lines(entries))


def test_an_unrated_tournament_rates_nobody() -> None:
    assert json.loads(recompute(lines(cups.whole_log(rated=False))))["ratings"]["entrants"] == []


def test_ratings_are_those_of_the_order_of_the_log() -> None:
    entries = cups.whole_log()
    ended = [entry for entry in entries if isinstance(entry, MatchEnded)]
    at = entries.index(ended[-1])
    # The last two matches of a round can end in either order; who was rated when differs.
    other = [*entries[: at - 1], entries[at], entries[at - 1], *entries[at + 1 :]]
    one, two = (json.loads(recompute(lines(each))) for each in (entries, other))
    assert one["standings"] == two["standings"]
    assert one["statistics"] == two["statistics"]


def test_a_log_that_was_not_created_is_not_exported() -> None:
    with pytest.raises(EntryRefused):
        lines([Started()])


# --- damaged ------------------------------------------------------------------------------------------------


def refused(written: list[str], line: int, text: str) -> None:
    with pytest.raises(DamagedExport, match=text) as raised:
        recompute(written)
    assert raised.value.line == line
    assert str(raised.value).startswith(f"line {line}: ")


def test_a_changed_line_is_named() -> None:
    written = lines(cups.whole_log())
    at = next(index for index, line in enumerate(written) if "match_ended" in line)
    changed = [*written[:at], written[at].replace('"ranks":[2,1]', '"ranks":[1,2]'), *written[at + 1 :]]
    assert changed != written
    refused(changed, at + 1, "it was changed")


def test_lines_that_are_missing_or_too_many_are_named() -> None:
    written = lines(cups.whole_log())
    count = len(written)
    refused([*written[:4], *written[5:]], 5, "expected is the entry with seq 5, not 6")
    refused([*written[:4], written[3], *written[4:]], 5, "expected is the entry with seq 5, not 4")
    refused(written[:-2], count - 1, f"the file has {count - 2} of {count} entries")
    refused([*written, written[-1]], count + 1, f"expected is the entry with seq {count + 1}, not {count}")
    refused([], 1, "the file is empty")


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '{"seq": 3', "null", '{"seq": NaN}', "[" * 100_000, '{"a": "\\ud800"}', '"\x00"']
)
def test_what_is_no_line_is_named(text: str) -> None:
    written = lines(cups.whole_log())
    refused([*written[:2], text, *written[3:]], 3, "expected is a JSON object on one line")


def test_bytes_that_are_no_text_are_named() -> None:
    written = [line.encode() for line in lines(cups.whole_log())]
    with pytest.raises(DamagedExport, match="line 2: expected is a JSON object"):
        recompute([written[0], b"\xff\xfe{}", *written[2:]])


def test_another_format_is_named() -> None:
    written = lines(cups.whole_log())
    refused(written[1:], 1, "expected is the format 'spieltisch-tournament/1', and there is none: this is no export")
    newer = chained(written, lambda n, line: {**line, "format": "spieltisch-tournament/2"} if n == 1 else line)
    refused(newer, 1, "not 'spieltisch-tournament/2'")


@pytest.mark.parametrize(
    ("number", "change", "text"),
    [
        (1, {"setup": {"game": "chess", "format": "swiss", "seed": "s"}}, "setup/game"),
        (1, {"setup": []}, "its setup"),
        (1, {"entries": "many"}, "a number of entries"),
        (1, {"more": 1}, "expected are format, tournament, setup, entries and hash"),
        (2, {"entry": {"type": "nonsense"}}, "there is no entry 'nonsense'"),
        (2, {"entry": {"type": "entered", "entrant": 7, "name": "x"}}, "a text expected"),
        (2, {"entry": []}, "expected are seq, entry and hash"),
        (3, {"entry": {"type": "entered", "entrant": "ada", "name": "Ada"}}, "the log cannot have this entry here"),
        (6, {"entry": {"type": "finished", "reason": "x"}}, "the tournament is open"),
    ],
)
def test_what_cannot_be_is_named_although_the_hashes_fit(number: int, change: dict[str, Any], text: str) -> None:
    written = chained(lines(cups.whole_log()), lambda n, line: {**line, **change} if n == number else line)
    refused(written, number, text)


def test_a_result_that_contradicts_another_is_named() -> None:
    entries = cups.whole_log()
    at = next(index for index, entry in enumerate(entries) if isinstance(entry, MatchEnded))
    ended = entries[at]
    assert isinstance(ended, MatchEnded)
    other = MatchEnded(ended.table, ended.number, ended.match, ended.seats, tuple(reversed(ended.ranks)))
    refused(lines([*entries[: at + 1], other, *entries[at + 1 :]]), at + 2, "has another result already")


def test_a_round_that_is_paired_twice_is_named() -> None:
    entries = cups.whole_log()
    at = next(index for index, entry in enumerate(entries) if isinstance(entry, RoundPaired))
    again = paired("to", 1, [("ada", "bob")], 1)
    refused(lines([*entries[: at + 1], again, *entries[at + 1 :]]), at + 2, "round 1 is paired already")
