"""Whole matches against a real service, as programs play them."""

import json
import random
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from spieltisch import Client, Match, Turn, errors
from tests.sdk.conftest import Clock
from tests.sdk.faults import CuttingProxy

VECTORS = Path(__file__).parents[1] / "vectors"


def vector(name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((VECTORS / f"{name}.json").read_text())
    return read


def deal_of(known: dict[str, Any]) -> dict[str, Any]:
    return {"game": known["game"], "options": known["options"], "deal": known["deal"]}


def play(match: Match, known: dict[str, Any]) -> list[int]:
    """Play all seats as the vector does; the seats that acted, in order."""
    acted: list[int] = []
    for turn in match.turns():
        action = known["plies"][len(acted)]["action"]
        assert turn.view.seat == turn.seat
        assert action in turn.legal_actions
        turn.act(action)
        acted.append(turn.seat)
    return acted


def at_random(seed: int) -> Callable[[Turn], None]:
    rng = random.Random(seed)

    def act(turn: Turn) -> None:
        turn.act(rng.choice(turn.legal_actions))

    return act


# --- whole matches ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["neues-land-07", "wunderland-07"])
def test_one_client_plays_all_seats(ada: Client, name: str) -> None:
    known = vector(name)
    match = ada.matches.create(seats=["me"] * known["players"], **deal_of(known))
    assert play(match, known) == [ply["seat"] for ply in known["plies"]]
    assert match.status == "finished"
    assert match.ended
    assert match.result is not None
    assert list(match.result.scores) == known["result"]["scores"]
    assert list(match.result.ranks) == known["result"]["ranks"]


@pytest.mark.parametrize("name", ["wunderland-05", "wunderland-07", "neues-land-03"])
def test_three_to_five_clients_play_in_threads(live_server: str, ada: Client, name: str) -> None:
    known = vector(name)
    players = known["players"]
    created = ada.matches.create(seats=["me"] + ["open"] * (players - 1), **deal_of(known))
    joined = [Client(live_server).register(f"P{i}").matches.join(created.id) for i in range(1, players)]
    seats: list[list[int]] = [[] for _ in range(players)]
    failures: list[BaseException] = []

    def run(place: int, match: Match) -> None:
        try:
            for turn in match.turns():
                # The version tells which ply it is: one event each, after creation, joins and start.
                ply = known["plies"][turn.view.version - players - 1]
                assert turn.seat == ply["seat"]
                turn.act(ply["action"])
                seats[place].append(turn.seat)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=each) for each in enumerate([created, *joined])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(240)
    assert failures == []
    for place in range(players):
        assert seats[place] == [place] * sum(ply["seat"] == place for ply in known["plies"])
    for match in (created, *joined):
        assert match.result is not None
        assert list(match.result.scores) == known["result"]["scores"]


@pytest.mark.parametrize(("game", "options"), [("neues-land", {}), ("wunderland", {"round_limit": 5})])
def test_against_the_house_bot(ada: Client, game: str, options: dict[str, Any]) -> None:
    match = ada.matches.create(game, ["bot:random", "me"], options=options)
    act = at_random(1)
    for turn in match.turns():
        assert turn.seat == turn.view.seat == turn.view.to_act == 1
        act(turn)
    assert match.result is not None
    assert match.result.end_reason == "completed"
    record = match.record()
    assert {action["seat"] for action in record["actions"]} == {0, 1}
    assert record["deal"] is not None


def test_a_turn_costs_no_more_requests_than_it_must(ada: Client, proxy: CuttingProxy) -> None:
    match = ada.matches.create("neues-land", ["me", "bot:random"])
    mine = Client(proxy.url, ada.key).matches.get(match.id)
    turns = 0
    act = at_random(2)
    for turn in mine.turns():
        act(turn)
        turns += 1
    # The match, who I am, the first view, the end; then one to act, and for one that was not mine, one to wait.
    others = sum(action["seat"] == 1 for action in match.record()["actions"])
    assert turns < proxy.exchanges <= 4 + turns + others
    mine.client.close()


def test_a_guest_plays_by_invitation(live_server: str, ada: Client) -> None:
    created = ada.matches.create("wunderland", ["me", "invite"], options={"round_limit": 2}, visibility="private")
    [invitation] = created.invitations
    assert invitation.seat == 1
    with pytest.raises(errors.NotFound):
        Client(live_server).matches.get(created.id)
    guest = Client(live_server).join_with_invitation(created.id, invitation.token, "Bob")
    assert guest.seats[1].name == "Bob"
    assert guest.seats[1].kind == "guest"
    assert guest.client.key == guest.seat_tokens[1]
    threads = [threading.Thread(target=play_out, args=(match,)) for match in (created, guest)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(240)
    assert created.result == guest.result is not None
    # Everybody goes one seat further; the guest's next token is the new match's.
    again = guest.rematch()
    assert again.own_seats() == (0,)
    assert created.rematch().id == again.id
    assert guest.refresh().info.rematch == again.id
    assert created.own_seats() == (0,)
    assert ada.matches.get(again.id).own_seats() == (1,)


def play_out(match: Match) -> None:
    act = at_random(3)
    for turn in match.turns():
        act(turn)


# --- turns --------------------------------------------------------------------------------------------------


@pytest.fixture
def hot_seat(ada: Client) -> Match:
    return ada.matches.create("neues-land", ["me", "me"])


def test_a_turn_shows_what_its_seat_sees(hot_seat: Match) -> None:
    turn = next(hot_seat.turns())
    assert turn.seat == 0
    assert turn.view.seat == 0
    assert turn.legal_actions == hot_seat.legal_actions(seat=0)
    assert hot_seat.legal_actions(seat=1) is None
    assert turn.text() == hot_seat.board_text(seat=0, at=turn.view.version)
    assert hot_seat.id in turn.text()
    assert turn.match is hot_seat
    turn.act(turn.legal_actions[0])
    # The text is that of the turn, whatever came after it.
    assert turn.text() == hot_seat.board_text(seat=0, at=turn.view.version) != hot_seat.board_text(seat=0)


def test_a_turn_is_played_once(hot_seat: Match) -> None:
    turn = next(hot_seat.turns())
    acted = turn.act(turn.legal_actions[0])
    assert acted is not None
    assert acted.version == hot_seat.version == 3
    assert [event.type for event in acted.events] == ["action"]
    with pytest.raises(errors.TurnPlayed):
        turn.act(turn.legal_actions[0])
    assert hot_seat.refresh().version == 3


def test_a_turn_may_be_several_actions(hot_seat: Match) -> None:
    turn = next(hot_seat.turns())
    acted = turn.act([turn.legal_actions[0], {"type": "pass"}])
    assert acted is not None
    assert [event.data["action"]["type"] for event in acted.events] == ["place_tile", "pass"]


def test_a_refused_action_leaves_the_turn(hot_seat: Match) -> None:
    offered = []
    turns = hot_seat.turns()
    for turn in islice(turns, 3):
        offered.append((turn.seat, turn.view.version))
        if len(offered) == 1:
            with pytest.raises(errors.IllegalAction) as caught:
                turn.act({**turn.legal_actions[0], "x": 40, "y": 40})
            assert caught.value.rule.startswith("N")
            assert caught.value.suggestions[0] in turn.legal_actions
        else:
            turn.act(turn.legal_actions[0])
    assert offered == [(0, 2), (0, 2), (0, 3)]


def test_an_action_beyond_the_turn_is_the_callers_error(hot_seat: Match) -> None:
    turn = next(hot_seat.turns())
    with pytest.raises(errors.NotYourTurn) as caught:
        turn.act([turn.legal_actions[0], {"type": "pass"}, turn.legal_actions[0]])
    assert caught.value.errors[0].pointer == "/actions/2"
    assert hot_seat.refresh().version == 2


def test_an_unplayed_turn_comes_again(hot_seat: Match) -> None:
    assert [turn.view.version for turn in islice(hot_seat.turns(), 2)] == [2, 2]


def test_another_program_acting_for_the_seat_is_no_failure(ada: Client, hot_seat: Match) -> None:
    elsewhere = ada.matches.get(hot_seat.id)
    versions = []
    for turn in islice(hot_seat.turns(), 2):
        versions.append(turn.view.version)
        elsewhere.act(turn.legal_actions[0], seat=turn.seat)
        assert turn.act(turn.legal_actions[0]) is None
    # Each was played once, and the loop went on with what was.
    assert versions == [2, 3]
    assert hot_seat.refresh().version == 4


def test_turns_end_with_the_match(hot_seat: Match) -> None:
    for turn in hot_seat.turns():
        hot_seat.resign(seat=turn.seat)
    assert hot_seat.status == "finished"
    assert hot_seat.result is not None
    assert hot_seat.result.end_reason == "last_seat"
    assert hot_seat.result.ranks == (2, 1)
    assert list(hot_seat.turns()) == []


def test_turns_of_one_of_several_seats(hot_seat: Match) -> None:
    other = threading.Thread(target=lambda: [turn.act(turn.legal_actions[0]) for turn in hot_seat.turns(1)])
    other.start()
    seen = set()
    for turn in hot_seat.client.matches.get(hot_seat.id).turns(0):
        seen.add(turn.seat)
        turn.act(turn.legal_actions[0])
    other.join(240)
    assert seen == {0}
    assert hot_seat.status == "finished"


def test_turns_of_a_match_that_is_aborted_end(live_server: str, ada: Client) -> None:
    match = ada.matches.create("neues-land", ["me", "open"])
    aborting = threading.Timer(0.1, ada.matches.get(match.id).abort)
    aborting.start()
    assert list(match.turns()) == []
    aborting.join()
    assert match.status == "aborted"
    assert match.result is None


def test_who_has_no_seat_has_no_turns(live_server: str, hot_seat: Match) -> None:
    for client in (Client(live_server), Client(live_server).register("Eve")):
        with pytest.raises(errors.NoSeat):
            next(client.matches.get(hot_seat.id).turns())
    with pytest.raises(errors.NotYourSeat):
        next(Client(live_server).register("Eve").matches.get(hot_seat.id).turns(0))


# --- faults -------------------------------------------------------------------------------------------------


def test_a_lost_answer_is_one_action(hot_seat: Match, proxy: CuttingProxy, clock: Clock) -> None:
    mine = Client(proxy.url, hot_seat.client.key).matches.get(hot_seat.id)
    turn = next(mine.turns())
    before = proxy.exchanges
    proxy.cuts = [0, 10, 300]
    acted = turn.act(turn.legal_actions[0])
    assert proxy.exchanges == before + 4
    assert acted is not None
    assert acted.version == 3
    assert [event.type for event in hot_seat.event_page().events] == ["match_created", "match_started", "action"]
    mine.client.close()


def test_a_lost_answer_is_one_match_and_one_account(live_server: str, proxy: CuttingProxy, clock: Clock) -> None:
    proxy.cuts = [0, None, 0, 5]
    client = Client(proxy.url).register("Lost")
    created = client.matches.create("neues-land", ["me", "invite"])
    assert [match.id for match in client.matches.list(mine=True)] == [created.id]
    proxy.cuts = [0]
    guest = Client(proxy.url).join_with_invitation(created.id, created.invitations[0].token, "Bob")
    assert guest.own_seats() == (1,)
    assert [event.type for event in guest.event_page().events] == ["match_created", "seat_taken", "match_started"]
    guest.client.close()


def test_an_answer_cut_anywhere_is_asked_for_again(hot_seat: Match, proxy: CuttingProxy, clock: Clock) -> None:
    mine = Client(proxy.url, hot_seat.client.key).matches.get(hot_seat.id)
    view, text = hot_seat.view(seat=0), hot_seat.board_text(seat=0)
    with pytest.raises(errors.NotYourSeat) as refused:
        hot_seat.view(seat=3)
    for cut in range(0, 560, 3):
        # A cut behind the end of an answer shows when the connection is used again.
        proxy.cuts = [cut]
        assert mine.view(seat=0) == view, cut
        proxy.cuts = [cut]
        assert mine.board_text(seat=0) == text, cut
        proxy.cuts = [cut]
        with pytest.raises(errors.NotYourSeat) as caught:
            mine.view(seat=3)
        assert caught.value.detail == refused.value.detail, cut
    mine.client.close()


def test_a_whole_match_over_a_bad_line(ada: Client, proxy: CuttingProxy, clock: Clock) -> None:
    known = vector("wunderland-07")
    match = ada.matches.create(seats=["me"] * known["players"], **deal_of(known))
    mine = Client(proxy.url, ada.key).matches.get(match.id)
    rng = random.Random(5)
    proxy.cuts = [rng.choice([None, rng.randrange(1500)]) for _ in range(400)]
    assert play(mine, known) == [ply["seat"] for ply in known["plies"]]
    assert mine.result is not None
    assert list(mine.result.scores) == known["result"]["scores"]
    mine.client.close()


# --- before and after ---------------------------------------------------------------------------------------


def test_a_match_is_joined_left_and_started(live_server: str, ada: Client) -> None:
    match = ada.matches.create("neues-land", ["me", "open"], start="manual", metadata={"table": "7"})
    bob = Client(live_server).register("Bob", kind="bot")
    theirs = bob.matches.join(match.id, nonce="bob-1")
    assert theirs.own_seats() == (1,)
    assert theirs.leave(1).seats[1].taken is False
    with pytest.raises(errors.SeatsMissing):
        match.start()
    bob.matches.join(match.id, seat=1, nonce="bob-2")
    match.start(nonces={0: "ada"})
    assert match.status == "running"
    assert match.info.metadata == {"table": "7"}
    assert match.event_page(after=match.version - 1).events[0].data["nonces"] == ["ada", "bob-2"]
    assert theirs.refresh().seats[1].name == "Bob"


def test_a_view_of_the_past_changes_nothing(hot_seat: Match) -> None:
    turn = next(hot_seat.turns())
    turn.act(turn.legal_actions[0])
    assert hot_seat.view(at=2).version == 2
    assert hot_seat.version == 3
    assert hot_seat.view(after=2, wait=25).version == 3


def test_decisions_tell_where_to_go_on(ada: Client, hot_seat: Match) -> None:
    [decision] = ada.decisions()
    assert (decision.match, decision.seat, decision.version) == (hot_seat.id, 0, 2)
    cursor = ada.decisions().cursor
    acting = threading.Timer(0.1, lambda: hot_seat.act(hot_seat.legal_actions(seat=0)[0], seat=0))  # type: ignore[index]
    acting.start()
    changed = ada.decisions(wait=25, cursor=cursor)
    acting.join()
    assert [decision.version for decision in changed] == [3]
    assert changed.cursor != cursor


def test_the_list_of_matches_is_read_page_by_page(ada: Client, proxy: CuttingProxy) -> None:
    made = [ada.matches.create("wunderland", ["me", "open"]).id for _ in range(5)]
    client = Client(proxy.url, ada.key)
    matches: Iterator[Match] = client.matches.list(mine=True, page_size=2)
    assert proxy.exchanges == 0
    assert [match.id for match in islice(matches, 2)] == made[:2:-1]
    assert proxy.exchanges == 1
    assert [match.id for match in matches] == made[2::-1]
    assert proxy.exchanges in (3, 4)
    assert list(client.matches.list(mine=True, game="neues-land")) == []
    assert {match.id for match in client.matches.list(open_seats=True, status="open")} >= set(made)
    client.close()


def test_the_catalogue(ada: Client) -> None:
    games = {game.id: game for game in ada.games.list()}
    assert games["neues-land"].players == {"min": 2, "max": 5}
    assert games["wunderland"].name["de"] == "Wunderland"
    assert "material" in ada.games.get("wunderland").extra
    assert ada.games.rules("neues-land", lang="de") != ada.games.rules("neues-land")
    with pytest.raises(errors.NotFound):
        ada.games.get("chess")


def test_an_account_comes_back_by_its_key_and_goes(live_server: str) -> None:
    ada = Client(live_server).register("Ada")
    again = Client(live_server, ada.key)
    assert again.me().account == ada.identity().account
    assert "'Ada'" in repr(again)
    again.erase()
    with pytest.raises(errors.Unauthenticated):
        Client(live_server, ada.key).erase()


def test_the_service_tells_about_itself(live_server: str) -> None:
    with Client(live_server) as client:
        assert client.live() == {"status": "alive"}
        assert client.ready()["status"] == "ready"
        assert client.problem("not_your_turn")["status"] == 409
        assert client.links()
        assert client.spec()["info"]["title"] == "Spieltisch"
