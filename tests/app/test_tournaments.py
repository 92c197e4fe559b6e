"""Tournaments on the service: they go on by themselves, whatever runs twice or dies, and say the same to everybody."""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Callable
from typing import Any

import pytest
from structlog.testing import capture_logs

from spieltisch_service.app import errors
from spieltisch_service.app.callers import ANONYMOUS, Caller
from spieltisch_service.app.service import Service
from spieltisch_service.app.tournaments import director
from spieltisch_service.bots.house import HouseBots, Sweeper
from spieltisch_service.domain.events import canonical
from spieltisch_service.domain.tournament.log import paired
from spieltisch_service.domain.tournament.pairing.outcome import Wait
from spieltisch_service.domain.tournament.pairing.rounds import next_round
from spieltisch_service.domain.tournament.state import State

from .conftest import once
from .cups import BOTS, create, enter, play, start, with_quick_bots


@pytest.fixture
def service(new_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch) -> Service:
    """The use cases with all house bots, none of which thinks for long."""
    return with_quick_bots(new_service, monkeypatch)


@pytest.mark.parametrize(
    ("wanted", "matches"),
    [
        ({"format": "round_robin"}, 3),
        ({"format": "swiss", "rounds": 2}, 2),
        ({"format": "single_elimination"}, 2),
        ({"format": "gauntlet", "deals": 2}, 4),
        ({"format": "round_robin", "duplicate": True}, 6),
        ({"format": "swiss", "seats": 3, "rounds": 2, "duplicate": True}, 12),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else str(value),
)
def test_house_bots_play_it_to_its_end(service: Service, ada: Caller, wanted: dict[str, Any], matches: int) -> None:
    tournament = create(service, ada, **wanted)
    for bot in ("random", "greedy", "planner"):
        enter(service, ada, tournament, bot)
    start(service, ada, tournament)
    assert play(service, tournament)["status"] == "finished"
    rounds = service.tournaments.rounds(tournament)["rounds"]
    results = [result for each in rounds for table in each["tables"] for result in table["results"]]
    assert len([result for result in results if result["match"] is not None]) == matches
    standings = service.tournaments.standings(tournament)["standings"]
    assert [line["rank"] for line in standings] == [1, 2, 3]
    assert {line["name"] for line in standings} == {"random", "greedy", "planner"}


def test_entrants_find_their_matches_among_their_decisions_and_just_play(
    service: Service, ada: Caller, bob: Caller, register: Callable[[str], Caller]
) -> None:
    organizer = register("Organizer")
    tournament = create(service, organizer, format="round_robin")
    for caller in (ada, bob):
        enter(service, caller, tournament)
    start(service, organizer, tournament)
    ended = play(service, tournament, [ada, bob])
    assert [(one["name"], one["status"]) for one in ended["entrants"]] == [("Ada", "active"), ("Bob", "active")]
    [result] = service.tournaments.rounds(tournament)["rounds"][0]["tables"][0]["results"]
    match = service.matches.get(ANONYMOUS, result["match"])
    assert match["metadata"]["tournament"] == tournament
    assert match["result"]["ranks"] == result["ranks"]
    # Every action of a match with accounts alone was somebody's own.
    assert sum(result["decisions"]) == len(service.play.record(ANONYMOUS, match["id"])["actions"])


def test_the_second_time_a_job_changes_nothing(
    service: Service, new_service: Callable[..., Service], ada: Caller
) -> None:
    tournament = create(service, ada, format="round_robin", duplicate=True)
    for bot in ("random", "greedy", "planner"):
        enter(service, ada, tournament, bot)
    start(service, ada, tournament)
    others = [new_service(bots=BOTS) for _ in range(2)]
    bots = HouseBots(service, seed=1)
    everything: set[str] = {tournament}
    for _ in range(2_000):
        acted = bots.play_waiting()
        for each in service.tournaments.rounds(tournament)["rounds"]:
            everything |= {result["match"] for table in each["tables"] for result in table["results"]}
        due = service.store.due(100)
        everything |= set(due)
        # Whoever looks after what, and however often.
        for worker, id_ in itertools.product((service, *others), sorted(everything)):
            worker.director.look_after(id_)
        if not acted and service.tournaments.get(tournament)["status"] == "finished":
            break
    log = service.book.log(tournament, service.tournaments.get(tournament)["version"])
    types = [event.parsed()["type"] for event in log]
    assert types.count("round_paired") == 3
    assert types.count("match_ended") == 6
    assert types[-1] == "finished"
    ratings = service.tournaments.leaderboard("wunderland", "rapid", limit=9)
    assert ratings["version"] == 6
    assert [line["matches"] for line in ratings["ratings"]] == [4, 4, 4]


def test_a_deal_that_is_still_to_be_played_is_not_shown(service: Service, ada: Caller) -> None:
    tournament = create(service, ada, format="round_robin", duplicate=True)
    for bot in ("random", "greedy"):
        enter(service, ada, tournament, bot)
    start(service, ada, tournament)
    bots, sweeper = HouseBots(service, seed=1), Sweeper(service)
    seen: set[tuple[int, bool]] = set()
    for _ in range(2_000):
        busy = bots.play_waiting() + sweeper.sweep()
        [table] = service.tournaments.rounds(tournament)["rounds"][0]["tables"] if busy or seen else [{"results": []}]
        shown = [service.play.record(ANONYMOUS, result["match"]) for result in table["results"]]
        seen |= {(len(shown), record["deal"] is not None) for record in shown}
        assert all((record["deal"] is None) == (record["proof"]["seed"] is None) for record in shown)
        if not busy and len(shown) == 2:
            break
    assert (1, False) in seen
    assert (1, True) not in seen
    first, second = shown
    assert first["deal"] == second["deal"] is not None
    assert first["proof"]["seed"] == second["proof"]["seed"]
    assert first["proof"]["commitment"] != second["proof"]["commitment"]
    assert [seat["name"] for seat in first["seats"]] == [seat["name"] for seat in reversed(second["seats"])]


def test_who_does_not_show_up_is_forfeited_and_removed_after_so_many(
    service: Service, ada: Caller, bob: Caller, register: Callable[[str], Caller]
) -> None:
    clock = {"kind": "per_decision", "per_decision_ms": 100, "on_timeout": "forfeit"}
    tournament = create(service, ada, format="round_robin", deals=3, clock=clock, no_show_limit=2)
    enter(service, ada, tournament, "random")
    enter(service, bob, tournament)
    start(service, ada, tournament)
    ended = play(service, tournament)
    assert [one["status"] for one in ended["entrants"]] == ["active", "removed"]
    [table] = service.tournaments.rounds(tournament)["rounds"][0]["tables"]
    absent = [result["seats"].index(bob.account.id) for result in table["results"] if bob.account is not None]
    faults = [result["faults"][seat] for result, seat in zip(table["results"], absent, strict=True) if result["faults"]]
    assert faults == ["no_show", "no_show"]
    # The third was decided without being played.
    assert [result["match"] is None for result in table["results"]] == [False, False, True]
    assert service.tournaments.standings(tournament)["standings"][0]["entrant"] == "bot:random"
    # Nobody is the stronger for an opponent that was not there: rated as what is recomputed from the export.
    assert service.tournaments.leaderboard("wunderland", "bullet", limit=9)["ratings"] == []


def test_what_the_organizer_does_is_refused_with_a_reason(service: Service, ada: Caller, bob: Caller) -> None:
    tournament = create(service, ada)
    with pytest.raises(errors.TournamentRefuses) as refused:
        start(service, ada, tournament)
    assert refused.value.extra == {"reason": "too_few_entrants"}
    with pytest.raises(errors.Forbidden):
        start(service, bob, tournament)
    with pytest.raises(errors.Forbidden):
        enter(service, bob, tournament, "random")
    with pytest.raises(errors.InvalidBody):
        enter(service, ada, tournament, "nobody")
    enter(service, bob, tournament)
    with pytest.raises(errors.TournamentRefuses) as refused:
        enter(service, bob, tournament)
    assert refused.value.extra == {"reason": "already_entered"}
    with pytest.raises(errors.NotFound):
        service.tournaments.get("tn_" + "0" * 32)


def test_a_dry_run_says_what_would_come_and_changes_nothing(service: Service, ada: Caller) -> None:
    tournament = create(service, ada, format="round_robin")
    for bot in ("random", "greedy", "planner"):
        enter(service, ada, tournament, bot)
    before = service.tournaments.get(tournament)
    tried = service.organizing.start(ada, tournament, None, dry_run=True)
    assert (tried.status, tried.body["status"]) == (200, "running")
    first = service.organizing.pair(ada, tournament, None, tables=None, dry_run=True).body
    assert (first["round"], len(first["tables"]), len(first["sitting_out"])) == (1, 1, 1)
    assert service.tournaments.get(tournament) == before
    start(service, ada, tournament)
    play(service, tournament)
    paired = service.tournaments.rounds(tournament)["rounds"][0]
    assert paired["tables"][0]["entrants"] == first["tables"][0]["entrants"]


def test_an_organizer_may_pair(service: Service, ada: Caller) -> None:
    tournament = create(service, ada, own_pairings=True, rounds=2)
    for bot in ("random", "greedy"):
        enter(service, ada, tournament, bot)
    start(service, ada, tournament)
    for number in (1, 2):
        while service.tournaments.rounds(tournament)["rounds"][number - 2 :][:1] and not all(
            each["complete"] for each in service.tournaments.rounds(tournament)["rounds"]
        ):
            HouseBots(service, seed=1).play_waiting()
            Sweeper(service).sweep()
        paired = service.organizing.pair(ada, tournament, None, tables=[["bot:greedy", "bot:random"]], dry_run=False)
        assert (paired.status, paired.body["round"], paired.body["by"]) == (201, number, "organizer")
    assert play(service, tournament)["reason"] == "rounds"


def test_an_entry_that_is_sent_again_is_answered_again(service: Service, ada: Caller, bob: Caller) -> None:
    first = create(service, ada, key="cup")
    assert create(service, ada, key="cup") == first
    intent = once(bob, "enter", body={})
    answers = [service.organizing.enter(bob, first, intent, bot=None, dry_run=False) for _ in range(3)]
    assert len({canonical(answer.body) for answer in answers}) == 1
    assert [answer.replayed for answer in answers] == [False, True, True]
    service.organizing.withdraw(bob, first, bob.account.id if bob.account else "", dry_run=False)
    again = service.organizing.enter(bob, first, intent, bot=None, dry_run=False)
    assert canonical(again.body) == canonical(answers[0].body)


def test_who_leaves_forfeits_what_is_still_to_be_played(
    service: Service, ada: Caller, bob: Caller, register: Callable[[str], Caller]
) -> None:
    tournament = create(service, ada, format="round_robin", deals=2)
    enter(service, bob, tournament)
    enter(service, ada, tournament, "random")
    start(service, ada, tournament)
    while not service.tournaments.rounds(tournament)["rounds"]:
        Sweeper(service).sweep()
    assert bob.account is not None
    service.organizing.withdraw(bob, tournament, bob.account.id, dry_run=False)
    ended = play(service, tournament)
    assert ended["status"] == "finished"
    [first, second] = service.tournaments.rounds(tournament)["rounds"][0]["tables"][0]["results"]
    for result in (first, second):
        assert result["ranks"][result["seats"].index("bot:random")] == 1
    assert second["match"] is None


def test_a_cancelled_one_ends_its_matches(service: Service, ada: Caller, bob: Caller) -> None:
    tournament = create(service, ada, format="round_robin")
    enter(service, bob, tournament)
    enter(service, ada, tournament)
    start(service, ada, tournament)
    while (
        not service.decisions.waiting(ada, 0, None)["decisions"] + service.decisions.waiting(bob, 0, None)["decisions"]
    ):
        Sweeper(service).sweep()
    cancelled = service.organizing.cancel(ada, tournament, dry_run=False).body
    assert (cancelled["status"], cancelled["seed"] is None) == ("cancelled", False)
    play(service, tournament)
    assert service.decisions.waiting(ada, 0, None)["decisions"] == []
    assert service.decisions.waiting(bob, 0, None)["decisions"] == []


def test_pausing_holds_up_the_next_round_only(service: Service, ada: Caller) -> None:
    tournament = create(service, ada, rounds=2)
    for bot in ("random", "greedy"):
        enter(service, ada, tournament, bot)
    start(service, ada, tournament)
    service.organizing.pause(ada, tournament, None, dry_run=False)
    for _ in range(30):
        HouseBots(service, seed=1).play_waiting()
        Sweeper(service).sweep()
    # It was paused before the first round was paired.
    assert service.tournaments.rounds(tournament)["rounds"] == []
    service.organizing.resume(ada, tournament, None, dry_run=False)
    assert play(service, tournament)["status"] == "finished"


def test_a_round_that_cannot_be_is_told_and_holds_up_its_tournament_alone(
    service: Service, ada: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, other = create(service, ada, format="round_robin"), create(service, ada, format="round_robin")
    for tournament in (held, other):
        for bot in ("random", "greedy"):
            enter(service, ada, tournament, bot)
        start(service, ada, tournament)
    asked = []

    def impossible(state: State) -> Any:
        if state.tournament != held:
            return next_round(state)
        asked.append(state.status)
        return paired(held, 1, [["bot:random", "bot:random"]], 1) if state.status == "running" else Wait("paused")

    monkeypatch.setattr(director, "next_round", impossible)
    with capture_logs() as lines:
        assert play(service, other)["status"] == "finished"
    assert [(line["event"], line["tournament"]) for line in lines] == [("tournament_held", held)]
    assert "bot:random is named twice" in lines[0]["detail"]
    # It was asked for the round once, and for what comes after it is paused as often as somebody looks.
    assert asked[:2] == ["running", "paused"]
    assert asked.count("running") == 1
    assert service.tournaments.get(held)["status"] == "paused"
    assert service.store.due(10) == []
    monkeypatch.setattr(director, "next_round", next_round)
    service.organizing.resume(ada, held, None, dry_run=False)
    assert play(service, held)["status"] == "finished"


def test_lists_tell_of_what_one_organizes_and_has_entered(
    service: Service, ada: Caller, bob: Caller, register: Callable[[str], Caller]
) -> None:
    first = create(service, ada)
    time.sleep(0.01)  # "newest first" knows milliseconds
    second = create(service, ada, "neues-land")
    enter(service, bob, second)

    def listed(caller: Caller, **wanted: Any) -> list[str]:
        options = {"game": None, "status": None, "mine": False, "cursor": None, "limit": 10, **wanted}
        return [each["id"] for each in service.tournaments.listed(caller, **options)["tournaments"]]

    assert listed(ANONYMOUS) == listed(ada, mine=True) == [second, first]
    assert listed(bob, mine=True) == [second]
    assert listed(ANONYMOUS, game="wunderland") == [first]
    assert listed(ANONYMOUS, status="running") == []
    # A tournament is no match, wherever matches are listed.
    assert (
        service.matches.listed(bob, game=None, status=None, open_seats=None, mine=True, cursor=None, limit=10)[
            "matches"
        ]
        == []
    )
    assert service.decisions.waiting(bob, 0, None)["decisions"] == []


def test_a_list_is_read_at_once_by_who_knows_none_of_it(
    service: Service, new_service: Callable[..., Service], ada: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [create(service, ada) for _ in range(5)]
    for tournament in made:
        enter(service, ada, tournament, "random")
    enter(service, ada, made[0], "greedy")
    start(service, ada, made[0])
    ended = play(service, made[0])
    other = new_service(bots=BOTS)
    asked: list[str] = []
    for name in ("list_of_account", "load", "load_many", "events", "events_of_many"):
        monkeypatch.setattr(other.store, name, noting(asked, name, getattr(other.store, name)))
    options = {"game": None, "status": None, "mine": True, "cursor": None, "limit": 10}
    listed = other.tournaments.listed(ada, **options)["tournaments"]
    assert asked == ["list_of_account", "load_many", "events_of_many"]
    assert listed == [service.tournaments.get(each["id"]) for each in listed]
    assert {each["id"] for each in listed} == set(made)
    assert ended in listed
    # What happened meanwhile is read, and nothing else.
    enter(service, ada, made[1], "planner")
    again = other.tournaments.listed(ada, **options)["tournaments"]
    assert service.tournaments.get(made[1]) in again


def noting(asked: list[str], name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """The call, which is noted."""

    def noted(*arguments: Any, **named: Any) -> Any:
        asked.append(name)
        return call(*arguments, **named)

    return noted


def test_a_name_is_in_no_log_and_can_be_erased(service: Service, ada: Caller, bob: Caller) -> None:
    tournament = create(service, ada, format="round_robin")
    enter(service, bob, tournament)
    enter(service, ada, tournament, "random")
    start(service, ada, tournament)
    ended = play(service, tournament, [bob])
    assert [one["name"] for one in ended["entrants"]] == ["Bob", "random"]
    service.accounts.erase(bob)
    assert [one["name"] for one in service.tournaments.get(tournament)["entrants"]] == [None, "random"]
    log = service.book.log(tournament, ended["version"])
    assert not any("Bob" in event.body for event in log)


def test_everybody_can_follow_the_log(service: Service, ada: Caller) -> None:
    tournament = create(service, ada, format="round_robin")
    for bot in ("random", "greedy"):
        enter(service, ada, tournament, bot)
    start(service, ada, tournament)
    ended = play(service, tournament)
    page = service.streams.page(ANONYMOUS, tournament, after=0, limit=500, wait_s=0)
    items = list(service.streams.open(ANONYMOUS, tournament, after=0))
    assert page["version"] == ended["version"] == len(page["events"]) == len(items) - 1
    with pytest.raises(errors.AheadOfLog):
        service.streams.page(ANONYMOUS, tournament, after=ended["version"] + 1, limit=1, wait_s=0)


def test_the_seed_is_committed_to_and_shown_at_the_end(service: Service, ada: Caller) -> None:
    tournament = create(service, ada, format="round_robin")
    for bot in ("random", "greedy"):
        enter(service, ada, tournament, bot)
    before = service.tournaments.get(tournament)
    assert before["seed"] is None
    created = service.book.log(tournament, 1)[0]
    start(service, ada, tournament)
    seed = play(service, tournament)["seed"]
    said = hashlib.sha256(f"spieltisch-tournament/1\n{tournament}\n{seed}".encode()).hexdigest()
    assert before["commitment"] == said == created.parsed()["data"]["commitment"]
    assert seed not in created.body
