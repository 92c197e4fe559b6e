"""Matches: create, read, list, begin again, and end before their time."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from spieltisch_service.app.access import (
    is_creator,
    require_account,
    require_known,
    require_visible,
)
from spieltisch_service.app.callers import CREATE_KEY_KEPT_MS, Answer, Caller, Once, SeatGrant
from spieltisch_service.app.errors import (
    FieldError,
    Forbidden,
    IdempotencyKeyReused,
    InvalidBody,
    MatchNotOpen,
    MatchNotRunning,
    NotFound,
)
from spieltisch_service.app.invitations import first_invitations
from spieltisch_service.app.limits import Meter
from spieltisch_service.app.listing import page_of
from spieltisch_service.app.live import Done, LiveMatches, Plan
from spieltisch_service.app.live_match import LiveMatch
from spieltisch_service.app.ports import Quota
from spieltisch_service.app.quotas import Quotas
from spieltisch_service.app.tokens import Tokens
from spieltisch_service.domain import play
from spieltisch_service.domain.clock import Clock
from spieltisch_service.domain.fairness import commitment
from spieltisch_service.domain.match import Lifetimes, Match, Seat, Secret
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Game
from spieltisch_service.games.errors import InvalidDeal

#: `match_created` and `match_started`.
_EVENTS_OF_A_FULL_MATCH = 2
_STATUSES = ("open", "running", "finished", "aborted")


@dataclass(frozen=True, slots=True)
class NewMatch:
    """What a match is created from; `seats` are `me`, `open`, `invite` or `bot:NAME`, `deal` is an explicit one."""

    game: str
    seats: Sequence[str]
    options: Mapping[str, Any] | None = None
    deal: Mapping[str, Any] | None = None
    start: str = "auto"
    visibility: str = "public"
    metadata: Mapping[str, str] | None = None
    clock: Clock | None = None


class Matches:
    """The use cases around a match; playing it is `Playing`, its seats are `Seating`.

    `bots`: the names of the house bots; `lifetimes`: how long new matches last; `seat_abort_ms`: after how long without
    an event a seat may end the match.
    """

    def __init__(
        self,
        live: LiveMatches,
        tokens: Tokens,
        bots: Sequence[str],
        lifetimes: Lifetimes,
        seat_abort_ms: int,
        quotas: Quotas,
    ) -> None:
        self._live = live
        self._store = live.store
        self._tokens = tokens
        self._bots = bots
        self._lifetimes = lifetimes
        self._seat_abort_ms = seat_abort_ms
        self._quotas = quotas

    # --- create ---------------------------------------------------------------------------------------------

    def create(self, caller: Caller, wanted: NewMatch, once: Once | None, meter: Meter | None = None) -> Answer:
        """A new match, started at once when every seat is taken and `start` is `auto`; 201. `meter` counts it."""
        game = _game(wanted.game)
        self._require_seats(game, wanted.seats)
        options = asdict(game.options_type(**{k: v for k, v in (wanted.options or {}).items() if v is not None}))
        deal = None if wanted.deal is None else _explicit_deal(game, options, wanted.deal, len(wanted.seats))
        account_id = require_account(caller)
        assert caller.account is not None
        own = Seat("account", account_id, caller.account.name)
        seats = tuple(own if kind == "me" else _free_or_bot(kind) for kind in wanted.seats)
        match = Match(
            id=f"mt_{secrets.token_hex(16)}" if once is None else self._tokens.match_id(once.key, 0),
            game=game.id,
            rules_version=game.rules_version,
            options=options,
            start=wanted.start,
            visibility=wanted.visibility,
            metadata=dict(wanted.metadata or {}),
            creator=account_id,
            commitment=None,
            deal_source="drawn" if deal is None else "explicit",
            first_seats=seats,
            lifetimes=self._lifetimes,
            clock=wanted.clock,
        )
        held = tuple(match_seats_of(seats, account_id))
        done = (
            self._begin(match, deal, None, held, account_id, meter=meter)
            if once is None
            else self._begin_once(match, deal, once, held, meter)
        )
        return self.granted(done, invitations=True)

    def _begin_once(
        self, match: Match, deal: Mapping[str, Any] | None, once: Once, seats: tuple[int, ...], meter: Meter | None
    ) -> Done:
        """`_begin` under an id that follows from the intent: sent again, it finds its own match, without a search.

        A key is kept for a day; later it is another intent, whose match gets the next id.
        """
        turn = 0
        while True:
            try:
                done = self._begin(match, deal, once, seats, match.creator, meter=meter)
            except IdempotencyKeyReused:
                if _key_is_kept(self._live.fresh(match.id)):
                    raise
            else:
                if done.row is None or _key_is_kept(done.live):
                    return done
            turn += 1
            match = match.changed(id=self._tokens.match_id(once.key, turn))

    def _require_seats(self, game: Game[Any], wanted: Sequence[str]) -> None:
        """Raises InvalidBody for too few or too many, and for a bot that does not live here."""
        if not game.min_players <= len(wanted) <= game.max_players:
            detail = f"{game.id} has {game.min_players} to {game.max_players} seats, not {len(wanted)}"
            raise InvalidBody(detail, errors=[FieldError("out_of_range", detail, pointer="/seats")])
        known = ("me", "open", "invite", *(f"bot:{name}" for name in self._bots))
        for i, kind in enumerate(wanted):
            if kind not in known:
                detail = f"a seat is one of {', '.join(known)}"
                raise InvalidBody(detail, errors=[FieldError("not_one_of", detail, pointer=f"/seats/{i}")])

    def _begin(
        self,
        match: Match,
        deal: Mapping[str, Any] | None,
        once: Once | None,
        seats: tuple[int, ...],
        asker: str | None,
        *,
        seed: bytes | None = None,
        meter: Meter | None = None,
    ) -> Done:
        """Commit a new match: draw its seed unless one is given, commit to it, list it, start it if it can.

        `asker` is the account that wants it, which may have so many matches and no more.
        """
        game = GAMES[match.game]
        if deal is None and seed is None:
            seed = secrets.token_bytes(32)
        secret = Secret(None if seed is None else seed.hex(), (None,) * match.players, deal)
        if seed is not None:
            match = match.changed(commitment=commitment(match.id, match.game, match.rules_version, seed))
        drafts: list[play.Draft] = [play.created(match)]
        state = None
        if match.start == "auto" and all(seat.taken for seat in match.first_seats):
            draft, secret, state = play.started(game, match, secret)
            drafts.append(draft)
        accounts = {match.creator, *(seat.account for seat in match.first_seats if seat.account)}
        unborn = LiveMatch(match, secret, None, 0, time.monotonic())

        def enter(quota: Quota | None) -> Done:
            wanted = Plan(drafts, state, secret, seats=seats, accounts=tuple(accounts), quota=quota, meter=meter)
            return self._live.create(unborn, wanted, once)

        return self._quotas.held(asker, match.id, enter, new=True)

    def begin(self, match: Match, seed: bytes) -> LiveMatch:
        """Commit a new match that nobody asked for, with this seed; the one that is there where it exists already."""
        return self._begin(match, None, None, (), None, seed=seed).live

    def granted(self, done: Done, *, invitations: bool = False) -> Answer:
        """The answer to a create or join: the match as it was then, with the caller's new tokens; 201."""
        live, seats = done.live, done.seats
        if done.row is not None:
            live, seats = self._live.past(done.live, done.row.last), done.row.seats
        match = live.match
        body = match.to_wire()
        body["grants"] = [
            {
                "seat": seat,
                # As it was given first: a token that replaced it is for whoever asked for that.
                "token": self._tokens.seat(SeatGrant(match.id, seat, match.generation_of(seat, 0))),
            }
            for seat in seats
        ]
        if invitations:
            body["invitations"] = [
                {"seat": each.seat, "token": self._tokens.invitation(match.id, each.id)}
                for each in first_invitations(match, self._tokens)
            ]
        return Answer(body, 201, f"/v1/matches/{match.id}", replayed=done.row is not None)

    # --- read -----------------------------------------------------------------------------------------------

    def get(self, caller: Caller, match_id: str) -> dict[str, Any]:
        """The match. Raises NotFound."""
        live = self._live.certain(match_id)
        if live.match.ended:
            # What follows an ended match (its rematch) is no event and changes no version.
            live = self._live.fresh(match_id)
        require_visible(live.match, caller)
        return live.match.to_wire()

    def listed(
        self,
        caller: Caller,
        *,
        game: str | None,
        status: str | None,
        open_seats: bool | None,
        mine: bool,
        cursor: str | None,
        limit: int,
    ) -> dict[str, Any]:
        """A page of matches, newest first: the public ones, or with `mine` those that the caller is in."""
        account_id = require_account(caller) if mine else None
        lists = [f"{s}:{g}" for s in _STATUSES if status in (None, s) for g in GAMES if game in (None, g)]

        def shown(match_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
            found = (live.match for live in self._live.many(match_ids))
            return {one.id: one.to_wire() for one in found if _wanted(one, game, status, open_seats, account_id)}

        matches, next_cursor = page_of(self._store, account_id or lists, shown, cursor, limit)
        return {"matches": matches, "next_cursor": next_cursor}

    # --- end and begin again --------------------------------------------------------------------------------

    def abort(self, caller: Caller, match_id: str) -> dict[str, Any]:
        """End an open match (its creator), or one that nobody has moved for long (any seat)."""
        require_known(caller)

        def rights(live: LiveMatch) -> str:
            held = require_visible(live.match, caller)
            if is_creator(live.match, caller):
                return "seat" if live.match.status == "running" and held else "creator"
            if held and live.match.status != "open":
                return "seat"
            msg = "only the creator may abort an open match, and only a seat a running one"
            raise Forbidden(msg)

        def plan(live: LiveMatch, reason: str) -> Plan:
            match = live.match
            if match.status == "aborted":
                return Plan(())
            if match.played_for is not None:
                msg = "a match of a tournament is not aborted by its seats: its clock ends it"
                raise MatchNotOpen(msg)
            idle_ms = live.now_ms - match.at_ms
            if match.status == "open" or (
                match.status == "running" and reason == "seat" and idle_ms >= self._seat_abort_ms
            ):
                return Plan([("match_aborted", None, {"reason": reason})], live.state)
            days = self._seat_abort_ms // 86_400_000
            msg = (
                f"the match is {match.status}; a running one can be aborted by a seat when nothing has happened "
                f"for {days} days"
            )
            raise MatchNotOpen(msg)

        return self._live.change(match_id, None, rights, plan, fresh=True).live.match.to_wire()

    def rematch(self, caller: Caller, match_id: str, once: Once | None) -> Answer:
        """The match that follows an ended one: old seat s sits at (s + 1) mod n. The same for every seat; 201."""
        require_known(caller)

        def rights(live: LiveMatch) -> list[int]:
            held = require_visible(live.match, caller)
            if not held:
                msg = "only a seat of the match may ask for a rematch"
                raise Forbidden(msg)
            return held

        def plan(live: LiveMatch, held: list[int]) -> Plan:
            status = live.match.status
            if status == "finished":
                return Plan((), seats=tuple(held))
            msg = f"a rematch follows a finished match; this one is {status}"
            raise MatchNotOpen(msg) if status == "running" else MatchNotRunning(msg)

        asked = self._live.change(match_id, once, rights, plan, status=201, fresh=True)
        old = asked.live.match
        seats = asked.seats if asked.row is None else asked.row.seats
        begun = self._live.past(self._rematch_of(old, caller), _EVENTS_OF_A_FULL_MATCH)
        answer = self.granted(Done(begun, seats=tuple((seat + 1) % old.players for seat in seats)))
        return replace(answer, replayed=asked.row is not None)

    def _rematch_of(self, old: Match, caller: Caller) -> LiveMatch:
        """The match that follows `old`, made unless it is there; its id follows from the old one's."""
        new_id = old.rematch or self._tokens.rematch_id(old.id)
        try:
            live = self._live.fresh(new_id)
        except NotFound:
            turned = tuple(
                replace(old.seats[seat - 1], status="active", by_invitation=False, generation=0)
                for seat in range(old.players)
            )
            match = replace(
                old.unborn(),
                id=new_id,
                start="auto",
                commitment=None,
                deal_source="drawn",
                first_seats=turned,
                lifetimes=self._lifetimes,
                people={},
                # Whatever the old one was played for: this one is played for nothing, and says no more that it is.
                played_for=None,
                metadata=old.metadata if old.played_for is None else {},
            )
            live = self._begin(match, None, None, (), None if caller.account is None else caller.account.id).live
        if old.rematch is None:
            self._store.set_rematch(old.id, new_id)
        return live


def _key_is_kept(live: LiveMatch) -> bool:
    return live.now_ms - live.match.created_at_ms < CREATE_KEY_KEPT_MS


def _free_or_bot(kind: str) -> Seat:
    if kind.startswith("bot:"):
        return Seat("bot", None, kind[4:])
    return Seat(kind, by_invitation=kind == "invite")


def match_seats_of(seats: Sequence[Seat], account_id: str) -> list[int]:
    """The seats that the account holds."""
    return [i for i, seat in enumerate(seats) if seat.account == account_id]


def _game(name: str) -> Game[Any]:
    game = GAMES.get(name)
    if game is None:
        detail = f"there is no such game; the games are {', '.join(GAMES)}"
        raise InvalidBody(detail, errors=[FieldError("not_one_of", detail, pointer="/game")])
    return game


def _explicit_deal(game: Game[Any], options: Mapping[str, Any], raw: Mapping[str, Any], players: int) -> dict[str, Any]:
    try:
        return game.deal_to_wire(game.parse_deal(raw, game.options_type(**options), players))
    except InvalidDeal as error:
        where = f"/deal{error.pointer}"
        raise InvalidBody(error.detail, errors=[FieldError(error.code, error.detail, pointer=where)]) from error


def _wanted(
    match: Match, game: str | None, status: str | None, open_seats: bool | None, account_id: str | None
) -> bool:
    if account_id is not None and account_id != match.creator and not match.seats_of(account_id):
        return False
    if game not in (None, match.game) or status not in (None, match.status):
        return False
    has_open = match.status == "open" and any(seat.kind == "open" for seat in match.seats)
    return open_seats is None or open_seats == has_open
