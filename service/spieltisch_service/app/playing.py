"""Playing: what a caller may see of a match, and acting in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from spieltisch_service.app.access import acting_seat, reading_seat, require_known, require_visible
from spieltisch_service.app.callers import Answer, Caller, Once
from spieltisch_service.app.errors import (
    AheadOfLog,
    FieldError,
    IllegalActionRefused,
    InvalidBody,
    MatchNotRunning,
    NotYourTurn,
    StaleVersion,
)
from spieltisch_service.app.limits import Meter
from spieltisch_service.app.live import LiveMatches, Plan
from spieltisch_service.app.live_match import LiveMatch
from spieltisch_service.app.waiting import Waiting
from spieltisch_service.domain import play
from spieltisch_service.domain.errors import ActionIllegal, OutOfTurn
from spieltisch_service.domain.record import record
from spieltisch_service.games.contract import Action


@dataclass(frozen=True, slots=True)
class ViewAnswer:
    """A view with its ETag; `body` is None where the caller has it already."""

    etag: str
    body: bytes | None


class Playing:
    """The use cases of players and spectators."""

    def __init__(self, live: LiveMatches, waiting: Waiting) -> None:
        self._live = live
        self._waiting = waiting

    # --- act ------------------------------------------------------------------------------------------------

    def act(
        self,
        caller: Caller,
        match_id: str,
        actions: Sequence[Action],
        version: int | None,
        seat: int | None,
        once: Once | None,
        meter: Meter | None = None,
        began_s: float | None = None,
    ) -> Answer:
        """Do the actions of one seat in order, all or none: `{version, events, view}`; `meter` counts the request.

        `began_s`: when the request came in (`perf_counter`); None: now.
        """
        require_known(caller)

        def rights(live: LiveMatch) -> int:
            held = require_visible(live.match, caller)
            _require_kinds(live, actions)
            to_act = live.to_act()
            if seat is None and len(held) > 1 and to_act not in held:
                # Whichever of the seats is meant, it is not its turn; the idempotency row comes before that.
                return held[0]
            return acting_seat(live.match, caller, seat, to_act)

        def plan(live: LiveMatch, own: int) -> Plan:
            match = live.match
            stale = version is not None and version != match.version
            if stale or (version is None and live.overtaken and live.to_act() == own):
                detail = f"the match is at version {match.version}, not {version}"
                if not stale:
                    detail = f"this came too late for the decision before; the match is at version {match.version} now"
                extra = {"version": match.version, "view": orjson.Fragment(live.view(own))}
                raise StaleVersion(detail, extra=extra)
            if match.status != "running":
                detail = f"the match is {match.status}"
                raise MatchNotRunning(detail)
            try:
                drafts, state = play.acted(live.game, match, live.state, own, actions)
            except OutOfTurn as error:
                raise _out_of_turn(error) from error
            except ActionIllegal as error:
                raise _illegal(error, match.version) from error
            return Plan(drafts, state, seats=(own,), meter=meter)

        done = self._live.change(match_id, once, rights, plan, at_least=version or 0, began_s=began_s)
        if done.row is None:
            return self._acted(done.live, done.events, done.seats[0], replayed=False)
        live = self._live.past(done.live, done.row.last)
        log = self._live.store.events(match_id, done.row.first - 1, done.row.last - done.row.first + 1)
        return self._acted(live, log, done.row.seats[0], replayed=True)

    def _acted(self, live: LiveMatch, events: Sequence[Any], seat: int, *, replayed: bool) -> Answer:
        body = {
            "version": live.match.version,
            "events": [orjson.Fragment(event.to_json()) for event in events],
            "view": orjson.Fragment(live.view(seat)),
        }
        return Answer(body, replayed=replayed)

    # --- see ------------------------------------------------------------------------------------------------

    def view(
        self,
        caller: Caller,
        match_id: str,
        *,
        seat: int | None,
        at: int | None,
        after: int | None,
        wait_s: int,
        known_etag: Callable[[str], bool] | None,
    ) -> ViewAnswer:
        """The caller's view: now, at an earlier version (`at`), or as soon as there is more than `after`."""
        live = self._live.current(match_id)
        own = reading_seat(live.match, caller, seat)
        if after is not None:
            _require_logged(live, after, "after")
            live = self._waiting.for_more(caller, live, after, wait_s)
            # The seat may have gone to somebody else while its old holder waited.
            own = reading_seat(live.match, caller, seat)
        if at is not None and at != live.match.version:
            _require_logged(live, at, "at")
            live = self._live.past(live, at)
        etag = f'"{live.match.version}-{"s" if own is None else own}"'
        if known_etag is not None and known_etag(etag):
            return ViewAnswer(etag, None)
        return ViewAnswer(etag, live.view(own))

    def legal_actions(self, caller: Caller, match_id: str, *, seat: int | None) -> dict[str, Any]:
        """What the caller may do now; null for everybody whose decision it is not."""
        live = self._live.current(match_id)
        own = reading_seat(live.match, caller, seat)
        mine = own is not None and own == live.to_act()
        return {"version": live.match.version, "legal_actions": list(live.game.legal(live.state)) if mine else None}

    def record(self, caller: Caller, match_id: str) -> dict[str, Any]:
        """The match as a file."""
        live = self._live.certain(match_id)
        require_visible(live.match, caller)
        return record(live.match, live.secret, self._live.log(match_id, live.match.version))

    def board_text(self, caller: Caller, match_id: str, *, seat: int | None, at: int | None) -> str:
        """The board as text, as the caller may see it."""
        body = self.view(caller, match_id, seat=seat, at=at, after=None, wait_s=0, known_etag=None).body
        assert body is not None
        view = orjson.loads(body)
        game = self._live.current(match_id).game
        head = f"{game.name['en']} {match_id}, version {view['version']}, {view['status']}"
        if view["state"] is None:
            return f"{head}\n"
        to_act = "" if view["to_act"] is None else f", seat {view['to_act']} to act ({view['phase']})"
        return f"{head}{to_act}\nscores: {' '.join(map(str, view['scores']))}\n\n{game.describe(view['state'])}\n"


def _require_kinds(live: LiveMatch, actions: Sequence[Action]) -> None:
    for index, action in enumerate(actions):
        if not isinstance(action, live.game.actions):
            kinds = ", ".join(live.game.kinds)
            detail = f"{live.game.id} has no action {action.type}; it has {kinds}"
            error = FieldError("not_one_of", detail, pointer=f"/actions/{index}/type")
            raise InvalidBody(detail, errors=[error])


def _require_logged(live: LiveMatch, version: int, parameter: str) -> None:
    if version > live.match.version:
        detail = f"the match is at version {live.match.version}; {parameter}={version} has not happened yet"
        error = FieldError("out_of_range", detail, parameter=parameter)
        raise AheadOfLog(detail, errors=[error], extra={"version": live.match.version})


def _out_of_turn(error: OutOfTurn) -> NotYourTurn:
    where = f"/actions/{error.index}"
    return NotYourTurn(str(error), errors=[FieldError("out_of_range", str(error), pointer=where)])


def _illegal(error: ActionIllegal, version: int) -> IllegalActionRefused:
    refusal = error.refusal
    return IllegalActionRefused(
        refusal.detail,
        errors=[FieldError("not_one_of", refusal.detail, pointer=f"/actions/{error.index}")],
        extra={
            "rule": refusal.rule,
            "version": version,
            "suggestions": [suggestion.to_wire() for suggestion in refusal.suggestions],
        },
    )
