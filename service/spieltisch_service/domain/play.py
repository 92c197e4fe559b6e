"""What happens in a match: starting, acting, resigning, ending, as drafts of events and the state after them.

A draft is (type, seat, data); `events.chained` turns drafts into events. Nothing here changes a match or a state
that it was given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from spieltisch_service.domain.errors import ActionIllegal, OutOfTurn
from spieltisch_service.domain.events import LoggedEvent, instant
from spieltisch_service.domain.fairness import deal_seed
from spieltisch_service.domain.match import Match, Secret
from spieltisch_service.games.contract import Action, Game, Plain
from spieltisch_service.games.errors import IllegalAction

Draft: TypeAlias = tuple[str, int | None, Mapping[str, Any]]


def created(match: Match) -> Draft:
    """The first event of a match."""
    data = {
        "match": match.id,
        "game": match.game,
        "options": match.options,
        "rules_version": match.rules_version,
        "commitment": match.commitment,
        "deal_source": match.deal_source,
        "seats": [seat.kind for seat in match.first_seats],
    }
    if match.clock is not None:
        data["clock"] = match.clock.to_wire()
    return "match_created", None, data


def started(game: Game[Any], match: Match, secret: Secret) -> tuple[Draft, Secret, Any]:
    """Draw the deal (unless it was given) and set the game up: draft, secret with the deal, first state."""
    options = options_of(game, match)
    if secret.deal is None:
        assert secret.seed is not None
        deal = game.deal(options, match.players, deal_seed(bytes.fromhex(secret.seed), secret.nonces))
        secret = replace(secret, deal=game.deal_to_wire(deal))
    else:
        deal = game.parse_deal(secret.deal, options, match.players)
    state, data = game.start(options, deal, match.players)
    draft = ("match_started", None, {"nonces": list(secret.nonces)} | _standing(game, state) | data)
    return draft, secret, state


def acted(game: Game[Any], match: Match, state: Any, seat: int, actions: Sequence[Action]) -> tuple[list[Draft], Any]:
    """Do the actions of `seat` in order, all or none, and what follows from them.

    Each is judged by what the seat could know when it sent them all: what one of them draws is for the next request, so
    that a refused list tells nothing hidden. Raises `OutOfTurn` or `ActionIllegal`, both with the index of the action.
    """
    drafts: list[Draft] = []
    turn = game.turn(state)
    before = state
    for index, action in enumerate(actions):
        to_act = game.to_act(state)
        if to_act != seat or game.turn(state) != turn:
            raise OutOfTurn(index, seat, to_act)
        try:
            if drafts and (foreseen := game.foreseen(before, state)) is not state:
                game.apply(foreseen, action)
            draft, state = _action(game, state, seat, action, "player")
        except IllegalAction as refusal:
            raise ActionIllegal(index, refusal) from refusal
        drafts.append(draft)
    return _settled(game, match, state, drafts)


def resigned(game: Game[Any], match: Match, state: Any, seat: int) -> tuple[list[Draft], Any]:
    """The seat gives up; its default actions follow whenever it must act."""
    after = match.after("seat_resigned", seat, {}, match.version + 1, match.hash, match.at_ms)
    return _settled(game, after, state, [("seat_resigned", seat, {})])


def lapsed(game: Game[Any], match: Match, state: Any, late_ms: int) -> tuple[list[Draft], Any]:
    """The time of the seat that must act was used up `late_ms` ago: it is forfeited, or played for and stays."""
    seat = game.to_act(state)
    assert match.clock is not None
    assert seat is not None
    if match.clock.on_timeout == "autoplay":
        draft, state = _action(game, state, seat, game.default_action(state), "timeout", late_ms)
        return _settled(game, match, state, [draft], late_ms)
    after = match.after("seat_forfeited", seat, {}, match.version + 1, match.hash, match.at_ms)
    return _settled(game, after, state, [("seat_forfeited", seat, {})], late_ms)


def extended(seat: int | None, extend_ms: int) -> Draft:
    """The running decision begins later by `extend_ms`, for which the service was down."""
    return "clock_extended", seat, {"ms": extend_ms, "reason": "downtime"}


def _settled(
    game: Game[Any], match: Match, state: Any, drafts: list[Draft], late_ms: int | None = None
) -> tuple[list[Draft], Any]:
    """Play for seats that left until an active seat must act or the match ends."""
    while True:
        seat = game.to_act(state)
        if seat is None:
            return [*drafts, _finished(game, match, state, "completed")], state
        if len(match.active_seats()) == 1:
            return [*drafts, _finished(game, match, state, "last_seat")], state
        status = match.seats[seat].status
        if status == "active":
            return drafts, state
        cause = "resigned" if status == "resigned" else "timeout"
        draft, state = _action(game, state, seat, game.default_action(state), cause, late_ms)
        drafts.append(draft)


def _action(
    game: Game[Any], state: Any, seat: int, action: Action, cause: str, late_ms: int | None = None
) -> tuple[Draft, Any]:
    state, told = game.apply(state, action)
    data = {"action": action.to_wire(), "cause": cause} | _standing(game, state) | told
    if late_ms is not None:
        data["late_ms"] = late_ms
    return ("action", seat, data), state


def _standing(game: Game[Any], state: Any) -> dict[str, Plain]:
    return {"scores": list(game.scores(state)), "to_act": game.to_act(state), "phase": game.phase(state)}


def _finished(game: Game[Any], match: Match, state: Any, end_reason: str) -> Draft:
    outcome = game.outcome(state)
    ranks = list(outcome.ranks)
    if end_reason == "last_seat":
        order = [*match.active_seats(), *reversed(match.left)]
        ranks = [order.index(seat) + 1 for seat in range(match.players)]
    result = {"scores": list(outcome.scores), "ranks": ranks, "end_reason": end_reason}
    return "match_finished", None, {"result": result, **outcome.data}


def options_of(game: Game[Any], match: Match) -> Any:
    """The match's options as the game's dataclass."""
    return game.options_type(**match.options)


def replayed(game: Game[Any], match: Match, secret: Secret, events: Sequence[LoggedEvent]) -> tuple[Match, Any]:
    """The match and its state (None before the start) after `events`, the first ones of its log."""
    past = match.unborn().after_all(events)
    if past.started_at_ms is None:
        return past, None
    assert secret.deal is not None
    options = options_of(game, match)
    state, _ = game.start(options, game.parse_deal(secret.deal, options, match.players), match.players)
    playout = game.playout(state)
    for event in events:
        content = event.parsed()
        if content["type"] == "action":
            playout.push(game.action_from_wire(content["data"]["action"]))
    return past, playout.snapshot()


def view(game: Game[Any], match: Match, state: Any, seat: int | None) -> dict[str, Any]:
    """The match as `seat` (None: a spectator) may see it; a function of deal, log and viewer alone."""
    running = match.status == "running"
    to_act = game.to_act(state) if running else None
    phase = scores = remaining_ms = deadline_at = None
    if match.times is not None:
        remaining_ms = match.times.remaining_ms
        deadline_ms = match.times.deadline_ms
        deadline_at = None if deadline_ms is None else instant(deadline_ms)
    if state is not None:
        phase = "over" if match.status == "finished" else game.phase(state)
        scores = game.scores(state) if match.result is None else match.result["scores"]
    return {
        "match": match.id,
        "game": match.game,
        "version": match.version,
        "status": match.status,
        "seat": seat,
        "to_act": to_act,
        "phase": phase,
        "scores": scores,
        "state": None if state is None else game.view(state, seat),
        "legal_actions": list(game.legal(state)) if to_act is not None and seat == to_act else None,
        "deadline_at": deadline_at,
        "remaining_ms": remaining_ms,
        "result": match.result,
    }
