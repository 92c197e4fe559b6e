"""The checker of histories: whether what clients were told can have happened in one order, the one of the logs.

Every version of a match is one event, so the order is known, and the check needs no search. The rules, by match:

R1 the log is numbered 1 … N without gaps, and its hash chain holds;
R2 an acknowledged intent is in the log at exactly the versions, with the hashes, that it was told;
R3 an intent of unknown outcome is in the log once or not at all;
R4 a refused intent is not in the log: every action of a player has one author, an intent that was not refused;
R5 an intent that was sent after another had been acknowledged lies behind it;
R6 a read shows no less than what was acknowledged or read before it was asked, no more than what had been sent
   before it was answered, and nothing half done; reads of one client and of all never go back;
R7 two views of one viewer at one version are the same (that the log gives the state is proved from the store);
R8 no two clients were ever told different events at one version: follows from R2, and is checked among what was told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from spieltisch_service.domain.events import GENESIS_HASH, canonical, chain_hash

Outcome: TypeAlias = Literal["acknowledged", "refused", "unknown"]
_NEVER = float("inf")


@dataclass(slots=True)
class Act:
    """One intent: all that was sent under one key. Times are of one monotonic clock; `returned` is inf if never.

    `actions` are canonical JSON; `hashes` those of all events that the answer told, the first of which is `first`.
    """

    match: str
    client: int
    seat: int
    actions: tuple[str, ...]
    invoked: float
    returned: float = _NEVER
    outcome: Outcome = "unknown"
    first: int = 0
    hashes: tuple[str, ...] = ()

    @property
    def last(self) -> int:
        """The version of an acknowledged intent."""
        return self.first + len(self.hashes) - 1


@dataclass(slots=True)
class Read:
    """A view that was answered: its version and the digest of its bytes; `viewer` is the seat or None."""

    match: str
    client: int
    viewer: int | None
    invoked: float
    returned: float
    version: int
    digest: bytes = b""


@dataclass(slots=True)
class History:
    """What clients saw. Threads may append at the same time."""

    acts: list[Act] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)


Log: TypeAlias = Sequence[Mapping[str, Any]]


def problems(history: History, logs: Mapping[str, Log]) -> list[str]:
    """What contradicts the rules, each with its rule and match; empty for a history that can have happened.

    `logs` are the final logs of all matches (events as the service tells them); all actions of players in them must
    come from intents of the history.
    """
    acts: defaultdict[str, list[Act]] = defaultdict(list)
    reads: defaultdict[str, list[Read]] = defaultdict(list)
    for act in history.acts:
        acts[act.match].append(act)
    for read in history.reads:
        reads[read.match].append(read)
    found: list[str] = []
    for match in sorted({*acts, *reads, *logs}):
        log = logs.get(match, ())
        found += [f"{match}: {problem}" for problem in _of_match(acts[match], reads[match], log)]
    return found


def _of_match(acts: Sequence[Act], reads: Sequence[Read], log: Log) -> list[str]:
    found = list(_chain(log))
    if found:
        return found
    found += _told(acts)
    known = [act for act in acts if act.outcome == "acknowledged"]
    authors: dict[int, Act] = {}
    for act in known:
        found += _claimed(act, log, authors)
    if found:
        return found
    orphans = [event["seq"] for event in log if _is_played(event) and event["seq"] not in authors]
    unknown = [act for act in acts if act.outcome == "unknown"]
    found += _views(reads)
    # One way to give the orphans authors is enough.
    candidates = list(_adopted(orphans, unknown, log))
    verdicts = []
    for adopted in candidates:
        placed = [(act.first, act.last, act.invoked, act.returned) for act in known]
        placed += [(first, last, act.invoked, _NEVER) for act, first, last in adopted]
        verdicts.append(list(_order(placed, reads, len(log))))
        if not verdicts[-1]:
            break
    if not candidates:
        found.append(f"R3/R4 nobody but a refused or a repeated intent can be the author of version {orphans[0]}")
    elif all(verdicts):
        found += min(verdicts, key=len)
    return found


def _chain(log: Log) -> Iterator[str]:
    previous = GENESIS_HASH
    for seq, event in enumerate(log, 1):
        if event["seq"] != seq:
            yield f"R1 version {seq} is missing, {event['seq']} is there"
            return
        body = canonical({key: event[key] for key in ("data", "seat", "seq", "type")})
        previous = chain_hash(previous, body)
        if event["hash"] != previous:
            yield f"R1 the chain breaks at version {seq}"
            return


def _told(acts: Sequence[Act]) -> Iterator[str]:
    told: dict[int, str] = {}
    for act in acts:
        for version, hash_ in enumerate(act.hashes, act.first):
            if told.setdefault(version, hash_) != hash_:
                yield f"R8 two clients were told different events at version {version}"


def _is_played(event: Mapping[str, Any]) -> bool:
    return bool(event["type"] == "action" and event["data"]["cause"] == "player")


def _claimed(act: Act, log: Log, authors: dict[int, Act]) -> Iterator[str]:
    if not act.hashes or act.first < 1 or act.last > len(log):
        yield f"R2 acknowledged versions {act.first} to {act.last} are not in the log of {len(log)}: lost"
        return
    own = log[act.first - 1 : act.last]
    if [event["hash"] for event in own] != list(act.hashes):
        yield f"R2 at versions {act.first} to {act.last} the log has other events than those that were acknowledged"
        return
    if not _is_made_of(act, own):
        yield f"R2 the events at versions {act.first} to {act.last} are not what was asked for"
        return
    for event in own:
        if authors.setdefault(event["seq"], act) is not act:
            yield f"R4 version {event['seq']} was acknowledged to two intents"


def _is_made_of(act: Act, events: Log) -> bool:
    """Whether these events are the actions of the intent, and what may come with the last of them."""
    played = [event for event in events if _is_played(event)]
    return (
        [canonical(event["data"]["action"]) for event in played] == list(act.actions)
        and all(event["seat"] == act.seat for event in played)
        and events[0] is played[0]
    )


def _views(reads: Sequence[Read]) -> Iterator[str]:
    seen: dict[tuple[int, int | None], bytes] = {}
    for read in reads:
        if seen.setdefault((read.version, read.viewer), read.digest) != read.digest:
            yield f"R7 viewer {read.viewer} saw two different views at version {read.version}"


def _adopted(orphans: Sequence[int], unknown: Sequence[Act], log: Log) -> Iterator[list[tuple[Act, int, int]]]:
    """All ways to give each orphan an author of unknown outcome, as (intent, first, last version)."""
    if not orphans:
        yield []
        return
    first = orphans[0]
    for index, act in enumerate(unknown):
        count = len(act.actions)
        own = log[first - 1 : first - 1 + count]
        if list(orphans[:count]) != list(range(first, first + count)) or not _is_made_of(act, own):
            continue
        last = first + count - 1
        if last < len(log) and log[last]["type"] == "match_finished":
            last += 1
        rest = [*unknown[:index], *unknown[index + 1 :]]
        for others in _adopted(orphans[count:], rest, log):
            yield [(act, first, last), *others]


def _order(placed: Sequence[tuple[int, int, float, float]], reads: Sequence[Read], version: int) -> Iterator[str]:
    """R5 and R6: whatever came earlier in time has no later place. Places: 2v for an act, 2v + 1 for a read of v."""
    inner = {v for first, last, _, _ in placed for v in range(first, last)}
    steps = [(2 * first, invoked, returned) for first, _, invoked, returned in placed]
    for read in reads:
        if read.version > version:
            yield f"R6 a read showed version {read.version} of a log of {version}: lost"
        if read.version in inner:
            yield f"R6 a read showed version {read.version}, the middle of one commit"
        steps.append((2 * read.version + 1, read.invoked, read.returned))
    steps.sort(reverse=True)
    earliest, earliest_at = _NEVER, 0
    same, same_place = _NEVER, -1
    for place, invoked, returned in steps:
        if place != same_place:
            if same < earliest:
                earliest, earliest_at = same, same_place
            same, same_place = _NEVER, place
        if earliest < invoked:
            rule = "R6" if (place | earliest_at) & 1 else "R5"
            yield f"{rule} version {earliest_at // 2} was known before what came to version {place // 2} was asked"
        same = min(same, returned)
