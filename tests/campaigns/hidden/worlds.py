"""A world that one viewer must not be able to tell from the real one.

It has another deal, seed and nonces, changed wherever the viewer must not know them, over the same public log; the
commitment, a public function of the secret, is held fixed. It is made from deal and log alone, not by the game's own
`imagine`, and replayed by the rules: so every earlier version of the match exists in it, too.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from spieltisch_service.app.ports import StoredMatch, StoreUnavailable
from spieltisch_service.app.service import Service
from spieltisch_service.domain import play


@dataclass(frozen=True, slots=True)
class World:
    """What the store keeps of a match that not everybody may see."""

    secret: bytes
    state: bytes | None


def another_world(service: Service, match_id: str, viewer: int | None, rng: random.Random) -> World:
    """Everything that `viewer` (a seat; None: a spectator) must not know of the match, otherwise."""
    live = service.live.fresh(match_id)
    secret = replace(live.secret, seed=rng.randbytes(32).hex())
    state = None
    if live.state is None:
        secret = replace(secret, nonces=tuple(nonce and "n" * rng.randint(1, 64) for nonce in secret.nonces))
    else:
        log = service.live.log(match_id, live.match.version)
        actions = [event.parsed() for event in log if event.parsed()["type"] == "action"]
        assert secret.deal is not None
        if live.match.game == "wunderland":
            deck = _wunderland_deck(secret.deal["deck"], live.match.players, actions, viewer, rng)
            secret = replace(secret, deal={"deck": deck})
        else:
            left: Any = live.game.view(live.state, None)["deck_count"]
            secret = replace(secret, deal=_neues_land_deal(secret.deal, left, rng))
        _, state = play.replayed(live.game, live.match, secret, log)
        state = json.dumps(live.game.encode(state)).encode()
    return World(secret.to_json(), state)


def _wunderland_deck(
    deck: Sequence[str], players: int, actions: Sequence[Mapping[str, Any]], viewer: int | None, rng: random.Random
) -> list[str]:
    """A deck in which only those cards are elsewhere that the viewer has never seen."""
    drawn = [(i, seat) for seat in range(players) for i in (2 * seat, 2 * seat + 1)]
    place = 2 * players
    redeemed = set()
    for event in actions:
        if event["data"]["action"]["type"] == "redeem":
            redeemed.add(event["data"]["action"]["card"])
        for _ in range(event["data"]["cards_drawn"]):
            drawn.append((place, event["seat"]))
            place += 1
    known = {i for i, seat in drawn if seat == viewer or deck[i] in redeemed}
    unknown = [i for i in range(len(deck)) if i not in known]
    cards = [deck[i] for i in unknown]
    rng.shuffle(cards)
    other = list(deck)
    for i, card in zip(unknown, cards, strict=True):
        other[i] = card
    return other


def _neues_land_deal(deal: Any, left: int, rng: random.Random) -> dict[str, list[str]]:
    """The tiles that nobody has seen in another order: those of the deck, and those set aside."""
    deck, set_aside = list(deal["deck"]), list(deal["set_aside"])
    unseen = deck[len(deck) - left :] + set_aside
    rng.shuffle(unseen)
    return {"deck": deck[: len(deck) - left] + unseen[:left], "set_aside": unseen[left:]}


#: What would change the store. A match that stands still takes none of it.
_WRITES = frozenset({"commit", "put_account", "reserve", "set_rematch", "retire_from_account", "delete_account"})


class Frozen:
    """A store that stands still: what it was asked once it answers for ever, and it writes nothing.

    With a `world` it tells that one of the match. Two of them over one store and with one `memory` differ in this
    alone, and are asked without going to the store again. A request that would have written is answered 503.
    """

    def __init__(self, store: Any, memory: dict[Any, Any], match_id: str, world: World | None = None) -> None:
        self._store = store
        self._memory = memory
        self._match_id = match_id
        self._world = world

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return _no_writing if name in _WRITES else partial(self._read, name)

    def _read(self, name: str, *arguments: Any, **named: Any) -> Any:
        key = (name, repr(arguments), repr(named))
        if key not in self._memory:
            self._memory[key] = getattr(self._store, name)(*arguments, **named)
        return self._memory[key]

    def load(self, match_id: str, *arguments: Any, **named: Any) -> StoredMatch | None:
        """See `ports.Store`; of the one match, the world's secret and state."""
        return self._seen(match_id, self._read("load", match_id, *arguments, **named))

    def load_many(self, match_ids: Sequence[str], **named: Any) -> list[StoredMatch | None]:
        """See `ports.Store`."""
        many: list[StoredMatch | None] = self._read("load_many", match_ids, **named)
        return [self._seen(match_id, stored) for match_id, stored in zip(match_ids, many, strict=True)]

    def _seen(self, match_id: str, stored: StoredMatch | None) -> StoredMatch | None:
        if stored is None or self._world is None or match_id != self._match_id:
            return stored
        secret = self._world.secret if stored.secret else stored.secret
        return replace(stored, secret=secret, state=self._world.state)


def _no_writing(*_: Any, **__: Any) -> Any:
    raise StoreUnavailable("this store stands still")
