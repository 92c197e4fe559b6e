"""The process of the house bots: finds matches that wait for one, sees the seat's view, acts.

Any number of these processes may run. An action carries the version of the view it was decided on and an idempotency
key made of match and version, so two of them cannot act twice, and a killed one leaves nothing half done.
"""

from __future__ import annotations

import random
import secrets
import threading
import time
from collections.abc import Callable, Collection, Mapping

import orjson
import structlog

from spieltisch_service.app.callers import Caller, Once, SeatGrant
from spieltisch_service.app.errors import NotFound, Refusal
from spieltisch_service.app.live import is_match
from spieltisch_service.app.ports import BOTS_TOPIC, StoreUnavailable, UnknownForm
from spieltisch_service.app.service import Service
from spieltisch_service.bots import random_bot, thinking
from spieltisch_service.bots.position import Decide, Position

#: The house bots by name, the weakest first.
BOTS: Mapping[str, Decide] = {
    "random": random_bot.decide,
    "greedy": thinking.greedy,
    "planner": thinking.planner,
}

#: How many matches are taken up at a time, and how long a quiet or failing store is left alone.
_BATCH = 100
_QUIET_S = 1.0
#: How often the sweeper looks, and how long it leaves alone what it cannot read.
_SWEEP_EVERY_S, _PASSED_OVER_S = 0.5, 60.0
#: After so long, what was handed on and is still to be done is handed on again; then after twice as long, and so on.
_AGAIN_S, _AGAIN_AT_MOST_S = 2.0, 60.0

_log = structlog.get_logger(__name__)


class _Outage:
    """Whether the store is away, told to the log when it changes and not with every attempt."""

    def __init__(self, who: str) -> None:
        self._who = who
        self._lasts = False

    def seen(self, error: StoreUnavailable) -> None:
        """The store did not answer."""
        if not self._lasts:
            self._lasts = True
            _log.warning("store_lost", who=self._who, detail=str(error))

    def over(self) -> None:
        """The store has answered."""
        if self._lasts:
            self._lasts = False
            _log.warning("store_back", who=self._who)


class HouseBots:
    """Plays for all house bots of a service, until told to stop.

    `seed` makes the bots' choices repeatable: match, seat and version decide what chance there is in them.
    """

    def __init__(self, service: Service, seed: int | None = None) -> None:
        self._service = service
        self._seed = secrets.randbits(64) if seed is None else seed

    def run_until(self, stop: threading.Event) -> None:
        """Play until `stop` is set. A store that is away is waited for."""
        outage = _Outage("house bots")
        with self._service.bell.listen(BOTS_TOPIC) as ear:
            while not stop.is_set() and not ear.closing:
                try:
                    acted = self.play_waiting(stop)
                except StoreUnavailable as error:
                    outage.seen(error)
                    stop.wait(_QUIET_S)
                    continue
                outage.over()
                if not acted:
                    ear.wait(_QUIET_S)

    def play_waiting(self, stop: threading.Event | None = None) -> int:
        """Act once in each match that waits for a house bot, until `stop` is set; how many there were to act in.

        Who waits longest comes first, and one action a round is all that a match gets, however quick its bot is.
        """
        waiting = self._service.store.waiting_for_bots(_BATCH)
        unreadable = 0
        for match_id in waiting:
            if stop is not None and stop.is_set():
                break
            try:
                self._act(match_id)
            except (Refusal, NotFound) as refusal:
                # Another process was faster, or the match ended meanwhile; the next look tells.
                _log.info("bot_refused", match=match_id, code=refusal.code)
            except UnknownForm as error:
                # The bots of the version that wrote it play there; it must not keep these from all the other matches.
                unreadable += 1
                _log.info("match_passed_over", match=match_id, detail=str(error))
        return len(waiting) - unreadable

    def _act(self, match_id: str) -> None:
        live = self._service.live.current(match_id)
        seat = live.to_act()
        if seat is None or live.match.seats[seat].kind != "bot":
            return
        holder = live.match.seats[seat]
        caller = Caller(seat=SeatGrant(match_id, seat, live.match.generation_of(seat)))
        view = orjson.loads(live.view(seat))
        rng = random.Random(f"{self._seed}/{match_id}/{seat}/{view['version']}")  # noqa: S311  no secrecy is needed
        position = Position(live.match.game, live.match.options, view, rng)
        action = live.game.action_from_wire(BOTS[holder.name or "random"](position))
        once = Once.of(f"bot-{view['version']}", caller, "POST", match_id, (), None)
        self._service.play.act(caller, match_id, [action], view["version"], seat, once)


class _HandedOn:
    """What others have been asked to do, so that a queue that is slow does not fill up with the same job.

    It is to be asked for again at once when it has ended or was not due meanwhile; else after a while that doubles
    each time, for the job may be lost, and nobody tells of one that another process has done.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: By id: until when it is waited for, and for how long that is.
        self._asked: dict[str, tuple[float, float]] = {}

    def __len__(self) -> int:
        return len(self._asked)

    def waits(self, id_: str, now_s: float) -> bool:
        """Whether it has been asked for and is not to be asked for again yet."""
        asked = self._asked.get(id_)
        return asked is not None and now_s < asked[0]

    def begin(self, id_: str, now_s: float) -> None:
        """It is asked for now."""
        with self._lock:
            _, before_s = self._asked.get(id_, (0.0, _AGAIN_S / 2))
            wait_s = min(2 * before_s, _AGAIN_AT_MOST_S)
            self._asked[id_] = (now_s + wait_s, wait_s)

    def end(self, id_: str) -> None:
        """It has been done, or nobody could be asked."""
        with self._lock:
            self._asked.pop(id_, None)

    def keep(self, due: Collection[str]) -> None:
        """Forget what is not due any more."""
        with self._lock:
            self._asked = {id_: wait for id_, wait in self._asked.items() if id_ in due}


class Sweeper:
    """Settles what the clocks say where nobody asks, ends matches that nobody has moved for too long, and deletes ended
    ones that are not kept for good.

    What concerns a tournament is handed on (`hand_on`, which takes an id, to somebody who says `ended` after it; by
    itself: done at once).
    """

    def __init__(self, service: Service, hand_on: Callable[[str], object] | None = None) -> None:
        self._service = service
        self._hand_on = hand_on or self._look_after
        self._passed_over: dict[str, float] = {}
        self._handed_on = _HandedOn()

    def run_until(self, stop: threading.Event) -> None:
        """Look twice a second until `stop` is set."""
        outage = _Outage("sweeper")
        while not stop.is_set():
            try:
                self.sweep()
            except StoreUnavailable as error:
                outage.seen(error)
            else:
                outage.over()
            stop.wait(_SWEEP_EVERY_S)

    def sweep(self) -> int:
        """Settle the matches whose time is over; how many."""
        store = self._service.store
        now_s = time.monotonic()
        self._passed_over = {name: until_s for name, until_s in self._passed_over.items() if until_s > now_s}
        due = store.due(_BATCH + len(self._passed_over) + len(self._handed_on))
        self._handed_on.keep(set(due))
        settled = 0
        for id_ in due:
            if id_ in self._passed_over or self._handed_on.waits(id_, now_s):
                continue
            try:
                settled += self._settle(id_, now_s)
            except UnknownForm as error:
                # Another version's; it stays due, and must not be looked at over and over again.
                self._passed_over[id_] = now_s + _PASSED_OVER_S
                _log.info("match_passed_over", match=id_, detail=str(error))
        return settled

    def ended(self, id_: str) -> None:
        """What was handed on has been done."""
        self._handed_on.end(id_)

    def _settle(self, id_: str, now_s: float) -> bool:
        service = self._service
        if is_match(id_):
            if service.live.settle(id_) or service.expiry.expire(id_):
                return True
            if not service.live.fresh(id_).match.is_to_be_told:
                return False
        self._handed_on.begin(id_, now_s)
        try:
            self._hand_on(id_)
        except BaseException:
            self._handed_on.end(id_)
            raise
        return True

    def _look_after(self, id_: str) -> None:
        self._service.director.look_after(id_)
        self.ended(id_)
