"""What requests may hold: one schema per body and per query, each made once."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from marshmallow import Schema, ValidationError
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from spieltisch_service.app.matches import NewMatch
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Action, Game
from spieltisch_service.web.schemas import fields as strict
from spieltisch_service.web.schemas.by_game import ByGame
from spieltisch_service.web.schemas.clocks import ClockRequest
from spieltisch_service.web.schemas.fields import (
    Documented,
    Inner,
    Length,
    OneOf,
    Pattern,
    QueryFlag,
    QueryWhole,
    Range,
    RequestShape,
    Said,
    Several,
    Text,
    TextMap,
    Whole,
)
from spieltisch_service.web.schemas.wire import ActionReader, check, schema_of, slots_of

STATUSES = ("open", "running", "finished", "aborted")
#: A request does not do more at once; a turn of the longest kind has fewer.
MOST_ACTIONS = 100
MOST_SEATS = max(game.max_players for game in GAMES.values())
NONCE = r"^[A-Za-z0-9_-]{1,64}$"

_CONTROL = ("Cc", "Cs")
#: For the API description alone: the check itself asks for the categories.
_NAME_FORM = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$"


class Name(Text):
    """What somebody is called: 1 to 64 code points, no control characters; kept in NFC."""

    def _deserialize(self, value: Any, *rest: Any, **options: Any) -> str:
        name = unicodedata.normalize("NFC", super()._deserialize(value, *rest, **options))
        if any(unicodedata.category(char) in _CONTROL for char in name):
            raise ValidationError([Said.of("bad_format", "A name has no control characters.")])
        return name


def named(description: str, **options: Any) -> Name:
    """A field for what somebody or something is called."""
    description = f"{description} 1 to 64 code points, no control characters; kept in NFC, not unique."
    metadata = {"description": description, "pattern": _NAME_FORM}
    return Name(validate=Length(1, 64), metadata=metadata, **options)


def seat_of(description: str) -> Whole:
    """A field for the number of a seat."""
    return Whole(validate=Range(0, MOST_SEATS - 1), allow_none=True, metadata={"description": description})


def _nonce(description: str, **options: Any) -> Text:
    text = "A nonce is 1 to 64 characters of A-Z, a-z, 0-9, _ and -."
    return Text(validate=Pattern(NONCE, text), metadata={"description": description}, **options)


class AccountRequest(RequestShape):
    """`POST /v1/accounts`."""

    name = named("What others see.", required=True)
    kind = Text(
        validate=OneOf(("human", "bot")),
        load_default="human",
        metadata={"description": "Who plays.", "default": "human"},
    )


class JoinRequest(RequestShape):
    """`POST …/seats`."""

    seat = seat_of("The seat to take; without it, that of the invitation or the lowest free open one.")
    nonce = _nonce("What this seat adds to the shuffle.", allow_none=True)
    invitation = Text(
        validate=Length(1, 256),
        allow_none=True,
        metadata={"description": "The invitation's token. With one, no API key is needed."},
    )
    name = named("A guest's name.", allow_none=True)


class StartRequest(RequestShape):
    """`POST …/start`."""

    nonces = TextMap(
        f"^[0-{MOST_SEATS - 1}]$",
        {"minLength": 1, "maxLength": 64, "pattern": NONCE},
        MOST_SEATS,
        allow_none=True,
        metadata={"description": "Nonces of the creator's own seats, by seat."},
    )


class SeatRequest(RequestShape):
    """`POST …/resignation` and `…/rematch`."""

    seat = seat_of("The seat that this is for; needed by whoever holds several.")


@dataclass(frozen=True, slots=True)
class Acting:
    """The checked body of `POST …/actions`."""

    actions: list[Action]
    version: int | None
    seat: int | None


ACTIONS = ActionReader(tuple(kind for game in GAMES.values() for kind in game.actions))


class ActionSchema(OneOfSchema):
    """Any action of any game."""

    type_field = "type"
    type_field_remove = False
    type_schemas = {  # noqa: RUF012 (marshmallow's own protocol)
        name: schema_of(kind, f"{kind.__name__}Action") for name, kind in ACTIONS.kinds.items()
    }


class ActionsRequest(RequestShape):
    """`POST …/actions`. The fields document; `load` is the hot path, and reads the same definitions itself."""

    actions = Several(
        Inner(ActionSchema()),
        required=True,
        validate=Length(1, MOST_ACTIONS),
        metadata={"description": "Done in order, all or nothing; all by one seat, within its turn."},
    )
    version = Whole(
        validate=Range(0, strict.WHOLE_MAX),
        allow_none=True,
        metadata={"description": "If given, the match's current version; else 412."},
    )
    seat = seat_of("The seat that acts; without it the one to act, if the caller holds it.")

    def load(self, data: Any, **_: Any) -> Acting:
        """The checked body. Raises ValidationError."""
        if type(data) is not dict:
            raise ValidationError({"_schema": [strict.NO_OBJECT]})
        wrong: dict[str, Any] = {}
        raw = data.get("actions")
        actions: list[Action] = []
        if type(raw) is not list:
            wrong["actions"] = [_no_list(data, "actions")]
        elif not 1 <= len(raw) <= MOST_ACTIONS:
            wrong["actions"] = [strict.wrong_length(1, MOST_ACTIONS, "items")]
        else:
            refused: dict[int, Any] = {}
            for index, item in enumerate(raw):
                action, messages = ACTIONS.read(item)
                if action is None:
                    refused[index] = messages
                else:
                    actions.append(action)
            if refused:
                wrong["actions"] = refused
        version = _number(data, "version", strict.WHOLE_MAX, wrong)
        seat = _number(data, "seat", MOST_SEATS - 1, wrong)
        if len(data) > 1:
            wrong |= {name: [strict.UNKNOWN] for name in data if name not in ("actions", "version", "seat")}
        if wrong:
            raise ValidationError(wrong)
        return Acting(actions, version, seat)


def _no_list(data: Mapping[str, Any], name: str) -> Said:
    if name not in data:
        return strict.MISSING
    return strict.NULL if data[name] is None else strict.NO_LIST


def _number(data: Mapping[str, Any], name: str, maximum: int, wrong: dict[str, Any]) -> int | None:
    value = data.get(name)
    if value is None:
        return None
    if type(value) is not int:
        wrong[name] = [strict.NO_INTEGER]
        return None
    if not 0 <= value <= maximum:
        wrong[name] = [strict.out_of_range(0, maximum)]
    return value


class OptionsField(Documented):
    """The options of one game, checked against its dataclass; null and absent ones have their default."""

    def __init__(self, game: Game[Any], **rest: Any) -> None:
        name = "".join(part.capitalize() for part in game.id.split("-"))
        super().__init__(any_of=(schema_of(game.options_type, f"{name}OptionsRequest"),), **rest)
        self._slots = slots_of(game.options_type)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        wrong = check(value, self._slots)
        if wrong:
            raise ValidationError(wrong.get("_schema", wrong))
        return {key: item for key, item in value.items() if item is not None}


def _new_match_schema(game: Game[Any]) -> Schema:
    """The body of `POST /v1/matches` for one game."""
    seat_form = "A seat is one of: me, open, invite, bot:NAME."
    shape: dict[str, Any] = {
        "game": Text(required=True, validate=OneOf((game.id,)), metadata={"description": "The game's id."}),
        "seats": Several(
            Text(validate=[Length(1, 68), Pattern(r"^(?:me|open|invite|bot:[a-z0-9-]{1,64})$", seat_form)]),
            required=True,
            validate=Length(game.min_players, game.max_players),
            metadata={"description": "Who sits where, seat 0 first: `me`, `open`, `invite` or `bot:NAME`."},
        ),
        "options": OptionsField(
            game, allow_none=True, metadata={"description": "Null or absent ones are the default."}
        ),
        "deal": Documented(
            {
                "type": "object",
                "description": "An explicit deal, as the game's rules tell its form; unrated.",
                "additionalProperties": True,
            },
            allow_none=True,
            validate=_is_object,
        ),
        "start": Text(
            validate=OneOf(("auto", "manual")),
            load_default="auto",
            metadata={"description": "`auto`: with the last seat; `manual`: by `POST …/start`.", "default": "auto"},
        ),
        "visibility": Text(
            validate=OneOf(("public", "unlisted", "private")),
            load_default="public",
            metadata={
                "description": "`public`: listed; `unlisted`: for whoever knows the id; `private`: seats and creator.",
                "default": "public",
            },
        ),
        "clock": Inner(
            ClockRequest(),
            allow_none=True,
            metadata={"description": "How long decisions may take; null or absent: as long as they like."},
        ),
        "metadata": TextMap(
            r"^[\s\S]{1,64}$",
            {"maxLength": 500},
            50,
            allow_none=True,
            metadata={"description": "Your own notes on the match; shown to whoever may read it."},
        ),
    }
    name = "".join(part.capitalize() for part in game.id.split("-"))
    made: Schema = RequestShape.from_dict(shape, name=f"{name}MatchRequest")()
    return made


def _is_object(value: Any) -> None:
    if type(value) is not dict:
        raise ValidationError([strict.NO_OBJECT])


class MatchRequest(ByGame):
    """`POST /v1/matches`: the game decides about seats and options."""

    type_schemas = {game.id: _new_match_schema(game) for game in GAMES.values()}  # noqa: RUF012 (marshmallow's own)

    def load(self, data: Any, **_: Any) -> NewMatch:
        """The checked body. Raises ValidationError."""
        return NewMatch(**super().load(data))


class NothingRequest(RequestShape):
    """A POST without fields: no body, or `{}`."""


# --- queries ----------------------------------------------------------------------------------------------------


def _count(name: str, maximum: int, **options: Any) -> QueryWhole:
    return QueryWhole(validate=Range(0, maximum), metadata={"description": name}, **options)


def _query_seat() -> QueryWhole:
    return _count("Read as this seat, which the caller must hold. Without it, a caller of one seat is that seat.", 9)


def _cursor(description: str) -> Text:
    return Text(validate=Length(1, 512), metadata={"description": description})


def paging_cursor() -> Text:
    """Where a list goes on."""
    return _cursor("`next_cursor` of the page before.")


def _wait() -> QueryWhole:
    return _count("Wait this many seconds at most.", 25, load_default=0)


class NoQuery(RequestShape):
    """No parameters; any is an error."""


class SeatQuery(RequestShape):
    """Reads that a caller of several seats does as one of them."""

    seat = _query_seat()


class RulesQuery(RequestShape):
    """`GET …/rules`."""

    lang = Text(
        validate=OneOf(("de", "en")), load_default="en", metadata={"description": "The language.", "default": "en"}
    )


class MatchesQuery(RequestShape):
    """`GET /v1/matches`."""

    game = Text(validate=OneOf(tuple(GAMES)), metadata={"description": "Matches of this game only."})
    status = Text(validate=OneOf(STATUSES), metadata={"description": "Matches of this status only."})
    open_seats = QueryFlag(metadata={"description": "Matches that have (or have not) a seat for anybody."})
    mine = QueryFlag(
        load_default=False,
        metadata={"description": "The caller's matches, whatever their visibility.", "default": False},
    )
    cursor = paging_cursor()
    limit = QueryWhole(
        validate=Range(1, 100), load_default=50, metadata={"description": "Matches a page.", "default": 50}
    )


class DecisionsQuery(RequestShape):
    """`GET /v1/me/decisions`."""

    wait = _wait()
    cursor = _cursor("`cursor` of the answer before: wait until the list is another one.")


class ViewQuery(RequestShape):
    """`GET …/view`."""

    seat = _query_seat()
    at = _count("Show the match as it was at this version.", strict.WHOLE_MAX)
    after = _count("Answer once the version is greater than this, or the match has ended.", strict.WHOLE_MAX)
    wait = _wait()


class BoardQuery(RequestShape):
    """`GET …/board.txt`."""

    seat = _query_seat()
    at = _count("Show the match as it was at this version.", strict.WHOLE_MAX)


class LogQuery(RequestShape):
    """`GET …/events` of what has no seats."""

    after = _count("Events after this one.", strict.WHOLE_MAX, load_default=0)
    limit = QueryWhole(
        validate=Range(1, 500),
        load_default=500,
        metadata={"description": "Events a page; not for streams.", "default": 500},
    )
    wait = _wait()


class EventsQuery(LogQuery):
    """`GET …/events` of a match."""

    seat = _query_seat()
