"""What organizers and entrants ask for: repeated, tried before, and refused with what would be right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest

from spieltisch_service.app import errors
from spieltisch_service.app.callers import Caller
from spieltisch_service.app.service import Service
from spieltisch_service.bots.house import Sweeper
from spieltisch_service.domain.errors import Reason

from .conftest import once
from .cups import create, enter, play, start, with_quick_bots

PAIR = [["bot:random", "bot:greedy"]]


@pytest.fixture
def service(new_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch) -> Service:
    """The use cases with all house bots, none of which thinks for long."""
    return with_quick_bots(new_service, monkeypatch)


def with_bots(service: Service, organizer: Caller, *bots: str, **wanted: Any) -> str:
    """A tournament with these house bots."""
    tournament = create(service, organizer, **wanted)
    for bot in bots:
        enter(service, organizer, tournament, bot)
    return tournament


def types(service: Service, tournament: str) -> list[str]:
    """Of the log of a tournament, in order."""
    version = service.tournaments.get(tournament)["version"]
    return [event.parsed()["type"] for event in service.book.log(tournament, version)]


def reason(refused: pytest.ExceptionInfo[errors.TournamentRefuses]) -> Any:
    """The word for programs, which is one of those that the API description names."""
    said = (refused.value.extra or {})["reason"]
    assert said in get_args(Reason)
    return said


def test_who_leaves_before_the_start_may_say_so_twice(service: Service, ada: Caller, bob: Caller) -> None:
    assert bob.account is not None
    tournament = with_bots(service, ada, "random", "greedy")
    enter(service, bob, tournament)
    for caller in (bob, bob, ada):
        left = service.organizing.withdraw(caller, tournament, bob.account.id, dry_run=False)
        assert [one["name"] for one in left.body["entrants"]] == ["random", "greedy"]
    start(service, ada, tournament)
    # The answer got lost, and meanwhile it was started.
    service.organizing.withdraw(bob, tournament, bob.account.id, dry_run=False)
    assert types(service, tournament).count("withdrawn") == 1
    with pytest.raises(errors.TournamentRefuses) as refused:
        service.organizing.withdraw(ada, tournament, "bot:planner", dry_run=False)
    assert reason(refused) == "unknown_entrant"


def test_leaving_and_cancelling_can_be_tried(service: Service, ada: Caller) -> None:
    tournament = with_bots(service, ada, "random", "greedy")
    start(service, ada, tournament)
    before = service.tournaments.get(tournament)
    left = service.organizing.withdraw(ada, tournament, "bot:random", dry_run=True).body
    assert [one["status"] for one in left["entrants"]] == ["withdrawn", "active"]
    assert service.organizing.cancel(ada, tournament, dry_run=True).body["status"] == "cancelled"
    assert service.tournaments.get(tournament) == before


def test_an_invitation_is_written_once(service: Service, ada: Caller, bob: Caller) -> None:
    assert bob.account is not None
    tournament = create(service, ada, entrants_allowed="invited")
    for key in ("first", "second"):
        again = [
            service.organizing.invite(ada, tournament, once(ada, key), account=bob.account.id, dry_run=False)
            for _ in range(2)
        ]
        assert [answer.replayed for answer in again] == [False, True]
        assert again[0].body == again[1].body
    service.organizing.invite(ada, tournament, None, account=bob.account.id, dry_run=False)
    assert types(service, tournament) == ["created", "invited"]
    enter(service, bob, tournament)


def test_whom_the_organizer_enters_needs_no_invitation(service: Service, ada: Caller, bob: Caller) -> None:
    tournament = with_bots(service, ada, "random", "greedy", entrants_allowed="invited", invited=["bot:greedy"])
    assert types(service, tournament) == ["created", "invited", "entered", "entered"]
    with pytest.raises(errors.TournamentRefuses) as refused:
        enter(service, bob, tournament)
    assert reason(refused) == "not_allowed"


def test_a_start_that_would_be_the_end_is_refused(service: Service, ada: Caller) -> None:
    tournament = with_bots(service, ada, "random", forbidden=PAIR)
    with pytest.raises(errors.TournamentRefuses, match="it takes 2 entrants to start, and there are 1"):
        start(service, ada, tournament)
    enter(service, ada, tournament, "greedy")
    with pytest.raises(errors.TournamentRefuses) as refused:
        start(service, ada, tournament)
    assert reason(refused) == "no_pairing"
    enter(service, ada, tournament, "planner")
    start(service, ada, tournament)
    with pytest.raises(errors.TournamentRefuses) as refused:
        start(service, ada, tournament)
    assert reason(refused) == "wrong_status"


@pytest.mark.parametrize(
    ("wanted", "pointer"),
    [
        ({"format": "gauntlet", "champion": "bot:greddy"}, "/champion"),
        ({"invited": ["bot:greedy", "bot:greddy"]}, "/invited/1"),
        ({"forbidden": [["bot:random", "bot:greedy"], ["bot:greedy", "bot:greddy"]]}, "/forbidden/1/1"),
    ],
)
def test_a_house_bot_that_there_is_not_is_refused_wherever_it_is_named(
    service: Service, ada: Caller, wanted: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(errors.InvalidBody, match="a house bot is one of random, greedy, planner") as refused:
        create(service, ada, **wanted)
    assert [(error.pointer, error.code) for error in refused.value.errors] == [(pointer, "not_one_of")]


def test_the_formats_own_round_can_be_seen_before_whoever_pairs(service: Service, ada: Caller) -> None:
    tournament = with_bots(service, ada, "random", "greedy", "planner", own_pairings=True, rounds=1)

    def proposed() -> Any:
        return service.organizing.pair(ada, tournament, None, tables=None, dry_run=True).body

    before = proposed()
    assert (before["by"], len(before["tables"]), len(before["sitting_out"])) == ("rule", 1, 1)
    start(service, ada, tournament)
    assert proposed() == before
    service.organizing.pause(ada, tournament, None, dry_run=False)
    assert proposed() == before
    service.organizing.resume(ada, tournament, None, dry_run=False)
    with pytest.raises(errors.TournamentRefuses, match="a table has 2 entrants, not 3"):
        service.organizing.pair(ada, tournament, None, tables=[[*PAIR[0], "bot:planner"]], dry_run=True)
    tables = [before["tables"][0]["entrants"]]
    service.organizing.pair(ada, tournament, None, tables=tables, dry_run=False)
    with pytest.raises(errors.TournamentRefuses, match="matches are still played") as refused:
        proposed()
    assert reason(refused) == "nothing_to_pair"


def test_why_nothing_is_to_be_paired_is_said(service: Service, ada: Caller) -> None:
    tournament = with_bots(service, ada, "random", "greedy")
    start(service, ada, tournament)
    service.organizing.stop(ada, tournament, None, dry_run=False)
    for said in ("it was stopped", "it was stopped"):
        with pytest.raises(errors.TournamentRefuses, match=said):
            service.organizing.pair(ada, tournament, None, tables=None, dry_run=True)
        Sweeper(service).sweep()
    cancelled = with_bots(service, ada, "random", "greedy")
    service.organizing.cancel(ada, cancelled, dry_run=False)
    with pytest.raises(errors.TournamentRefuses, match="it is cancelled"):
        service.organizing.pair(ada, cancelled, None, tables=None, dry_run=True)


def test_an_erased_account_leaves_and_nothing_waits_for_it(
    service: Service, ada: Caller, bob: Caller, register: Callable[[str], Caller]
) -> None:
    going = with_bots(service, ada, "random", "greedy", format="round_robin")
    unstarted = with_bots(service, ada, "random")
    paused = with_bots(service, ada, "random", "greedy", format="round_robin")
    pairing = with_bots(service, ada, "random", "greedy", own_pairings=True, rounds=9)
    others = with_bots(service, bob, "random", "greedy", format="round_robin")
    for tournament in (going, others):
        enter(service, ada, tournament)
    for organizer, tournament in ((ada, going), (ada, paused), (ada, pairing), (bob, others)):
        start(service, organizer, tournament)
    service.organizing.pause(ada, paused, None, dry_run=False)
    service.accounts.erase(ada)
    for tournament in (going, others):
        found = play(service, tournament)
        assert (found["status"], found["reason"]) == ("finished", "rounds")
        assert [(one["name"], one["status"]) for one in found["entrants"]][2] == (None, "withdrawn")
    ends = [(found["status"], found["reason"]) for found in map(service.tournaments.get, (unstarted, paused, pairing))]
    assert ends == [("cancelled", "organizer"), ("finished", "stopped"), ("finished", "stopped")]
    assert "Ada" not in str(service.tournaments.get(unstarted))
