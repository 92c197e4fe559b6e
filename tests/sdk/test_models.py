"""Answers as dataclasses that lose nothing."""

import dataclasses
import pickle
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from spieltisch.errors import UnexpectedAnswer
from spieltisch.models import Account, Acted, Actions, Decisions, Event, Grant, Invitation, MatchInfo, Me, Result, View
from spieltisch.resources.reading import read

EVENT = {"seq": 1, "type": "match_created", "at": "2026-01-31T12:00:00.250Z", "seat": None, "data": {}, "hash": "0"}
SEAT = {"seat": 0, "kind": "open", "taken": False, "account": None, "name": None, "status": "active"}
MATCH: dict[str, Any] = {
    "id": "mt_1",
    "game": "neues-land",
    "rules_version": "1",
    "options": {},
    "status": "open",
    "version": 1,
    "seats": [SEAT, SEAT],
    "start": "auto",
    "visibility": "public",
    "commitment": None,
    "deal_source": "explicit",
    "rated": False,
    "metadata": {},
    "created_at": "2026-01-31T12:00:00.000Z",
    "started_at": None,
    "ended_at": None,
    "expires_at": "2026-02-07T12:00:00.000Z",
    "result": None,
    "rematch": None,
}
VIEW: dict[str, Any] = {
    "match": "mt_1",
    "game": "neues-land",
    "version": 9,
    "status": "finished",
    "seat": 0,
    "to_act": None,
    "phase": "over",
    "scores": [3, 4],
    "state": {"tiles": []},
    "legal_actions": None,
    "result": {"scores": [3, 4], "ranks": [2, 1], "end_reason": "completed"},
}


def test_unknown_fields_are_kept() -> None:
    event = Event.from_wire({**EVENT, "weather": "fine"})
    assert event.extra == {"weather": "fine"}
    assert Event.from_wire(EVENT).extra == {}


def test_unknown_fields_are_kept_at_every_depth() -> None:
    data = {**MATCH, "weather": {"ms": 1}, "seats": [{**SEAT, "elo": 1500}, SEAT]}
    info = MatchInfo.from_wire(data)
    assert info.extra == {"weather": {"ms": 1}}
    assert [seat.extra for seat in info.seats] == [{"elo": 1500}, {}]
    assert View.from_wire({**VIEW, "result": {**VIEW["result"], "new": 1}}).result == Result(
        scores=(3, 4), ranks=(2, 1), end_reason="completed", extra={"new": 1}
    )


def test_instants_are_aware_and_have_milliseconds() -> None:
    assert Event.from_wire(EVENT).at == datetime(2026, 1, 31, 12, 0, 0, 250_000, timezone(timedelta(0)))


def test_null_stays_none() -> None:
    info = MatchInfo.from_wire(MATCH)
    assert info.started_at is None
    assert info.result is None
    assert info.grants == ()


def test_state_and_actions_stay_plain() -> None:
    acted = Acted.from_wire({"version": 9, "events": [EVENT], "view": {**VIEW, "legal_actions": [{"type": "pass"}]}})
    assert acted.view.state == {"tiles": []}
    assert acted.view.legal_actions == [{"type": "pass"}]
    assert acted.events[0].seq == 1


@pytest.mark.parametrize("status", ["open", "running", "finished", "aborted"])
def test_a_view_knows_whether_the_match_has_ended(status: str) -> None:
    assert View.from_wire({**VIEW, "status": status}).ended is (status in ("finished", "aborted"))


def test_models_are_frozen() -> None:
    event = Event.from_wire(EVENT)
    with pytest.raises(dataclasses.FrozenInstanceError):
        event.seq = 2  # type: ignore[misc]


def test_decisions_are_iterated() -> None:
    one = {"match": "mt_1", "game": "wunderland", "seat": 1, "version": 7, "since_at": EVENT["at"], "deadline_at": None}
    decisions = Decisions.from_wire({"decisions": [one, one], "cursor": "c"})
    assert [decision.seat for decision in decisions] == [1, 1]
    assert len(decisions) == 2


def test_a_client_of_a_seat_has_no_account() -> None:
    me = Me.from_wire({"account": None, "seat": {"match": "mt_1", "seat": 1}, "scopes": ["play"], "limits": []})
    assert me.account is None
    assert me.seat is not None
    assert me.seat.seat == 1


def test_tokens_and_unknown_fields_are_in_no_repr() -> None:
    secret = "spt_seat_0123456789"
    token = {"seat": 0, "token": secret}
    info = MatchInfo.from_wire({**MATCH, "grants": [token], "invitations": [token], "key": secret})
    assert info.grants == (Grant(seat=0, token=secret),)
    assert info.invitations == (Invitation(seat=0, token=secret),)
    assert secret not in repr(info)


@pytest.mark.parametrize("broken", [{}, None, [], "text", {**EVENT, "at": 7}, {**EVENT, "at": "yesterday"}])
def test_an_answer_of_another_form_is_unexpected(broken: Any) -> None:
    with pytest.raises(UnexpectedAnswer):
        read(Event, broken)


def test_an_erased_name_is_none() -> None:
    account = {"id": "ac_1", "name": None, "kind": "bot", "created_at": EVENT["at"]}
    assert Account.from_wire(account).name is None


def test_models_survive_pickling() -> None:
    view = View.from_wire({**VIEW, "legal_actions": [{"type": "pass"}], "new": 1})
    info = MatchInfo.from_wire(MATCH)
    again = pickle.loads(pickle.dumps((view, info)))
    assert again == (view, info)
    assert again[0].extra == {"new": 1}
    assert again[0].legal_actions.where(type="pass") == [{"type": "pass"}]


def test_legal_actions_are_searched() -> None:
    east, north = {"type": "place_tile", "x": 1, "y": 0}, {"type": "place_tile", "x": 0, "y": -1}
    actions = Actions([east, {"type": "pass"}, north])
    assert actions.where(type="place_tile") == [east, north]
    assert actions.where(type="place_tile").where(x=1) == actions.where(x=1) == [east]
    assert actions.where(lambda action: action.get("y") == -1) == [north]
    assert actions.where(lambda action: action["y"] == 0, type="place_tile") == [east]
    assert actions.where(z=1) == actions.where(type="place_tile", x=None) == []
    assert actions.where() == actions
    assert actions.types() == ("place_tile", "pass")
