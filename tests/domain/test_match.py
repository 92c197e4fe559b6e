"""A match as its events change it."""

from dataclasses import fields, replace

import pytest

from spieltisch_service.domain.events import GENESIS_HASH
from spieltisch_service.domain.match import Match, Person, Seat

OPEN = Match(
    id="mt_0",
    game="neues-land",
    rules_version="1",
    options={},
    start="when_full",
    visibility="public",
    metadata={},
    creator="ac_0",
    commitment=None,
    deal_source="drawn",
    first_seats=(Seat("account", "ac_0", "Ada"), Seat("open")),
    people={2: Person("account", "ac_1", "Bob")},
)
RESULT = {"end_reason": "last_seat", "ranks": [1, 2], "scores": [0, 0]}
LOG = [
    ("match_created", None, {}),
    ("seat_taken", 1, {}),
    ("match_started", None, {}),
    ("seat_resigned", 1, {}),
    ("match_finished", None, {"result": RESULT}),
]


def folded(match: Match) -> Match:
    for seq, (kind, seat, data) in enumerate(LOG, 1):
        match = match.after(kind, seat, data, seq, f"{seq:064x}", 1000 * seq)
    return match


@pytest.mark.parametrize("name", [each.name for each in fields(Match)])
def test_a_changed_match_differs_in_that_alone(name: str) -> None:
    match, value = folded(OPEN), object()
    assert match.changed(**{name: value}) == replace(match, **{name: value})  # type: ignore[arg-type]


def test_a_match_has_no_other_fields() -> None:
    with pytest.raises(KeyError):
        OPEN.changed(colour="red")


def test_a_match_is_what_its_log_says() -> None:
    match = replace(folded(OPEN), rematch="mt_1", revision=3)
    assert (match.version, match.status, match.result) == (5, "finished", RESULT)
    assert [(seat.account, seat.status) for seat in match.seats] == [("ac_0", "active"), ("ac_1", "resigned")]
    assert (match.created_at_ms, match.started_at_ms, match.ended_at_ms, match.left) == (1000, 3000, 5000, (1,))
    unborn = match.unborn()
    assert (unborn.version, unborn.hash, unborn.status, unborn.seats) == (0, GENESIS_HASH, "open", ())
    assert unborn == replace(OPEN, revision=3)
    assert folded(unborn) == replace(match, rematch=None)
