"""What `POST /v1/sandbox` takes and answers."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, ValidationError
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from spieltisch_service.app.sandbox import MOST_POSITIONS, WhatIf
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Game
from spieltisch_service.web.schemas import fields as strict
from spieltisch_service.web.schemas.answers import ResultShape
from spieltisch_service.web.schemas.fields import (
    AnswerShape,
    Documented,
    Inner,
    Length,
    OneOf,
    Range,
    RequestShape,
    Several,
    Text,
    Whole,
)
from spieltisch_service.web.schemas.games import STATES
from spieltisch_service.web.schemas.requests import MOST_SEATS, ActionSchema, OptionsField
from spieltisch_service.web.schemas.shapes import any_of, inner, listed, number, text
from spieltisch_service.web.schemas.wire import ActionReader, schema_of

MOST_WORLDS = 32
MOST_BRANCHES = 64
MOST_STEPS = 64
_ANYTHING = ("match", "version", "status", "legal_actions", "deadline_at", "remaining_ms", "result")


class Branches(Several):
    """Lists of actions of one game. The schemas document; what is read is what a match reads."""

    def __init__(self, game: Game[Any], **rest: Any) -> None:
        kinds = {name: schema_of(kind, f"{kind.__name__}Action") for name, kind in game.kinds.items()}
        attributes = {"type_field": "type", "type_field_remove": False, "type_schemas": kinds}
        one: Any = type(f"{_name(game)}ActionSchema", (OneOfSchema,), attributes)
        super().__init__(Several(Inner(one()), validate=Length(0, MOST_STEPS)), **rest)
        self._reader = ActionReader(game.actions)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> list[Any]:
        if type(value) is not list:
            raise ValidationError([strict.NO_LIST])
        wrong: dict[int, Any] = {}
        branches = []
        for index, raw in enumerate(value):
            if type(raw) is not list:
                wrong[index] = [strict.NO_LIST]
                continue
            if len(raw) > MOST_STEPS:
                wrong[index] = [strict.wrong_length(0, MOST_STEPS, "items")]
                continue
            read = [self._reader.read(each) for each in raw]
            refused = {step: messages for step, (action, messages) in enumerate(read) if action is None}
            if refused:
                wrong[index] = refused
            branches.append([action for action, _ in read])
        if wrong:
            raise ValidationError(wrong)
        return branches


def _name(game: Game[Any]) -> str:
    return "".join(part.capitalize() for part in game.id.split("-"))


def _seat(description: str) -> Whole:
    metadata = {"description": description}
    return Whole(required=True, allow_none=True, validate=Range(0, MOST_SEATS - 1), metadata=metadata)


def _view_schema(game: Game[Any]) -> Schema:
    """A view of one game as it is sent back. It is the game that reads and checks it."""
    state = (STATES[game.id],) if game.id in STATES else ()
    shape: dict[str, Any] = {
        "game": Text(required=True, validate=OneOf((game.id,)), metadata={"description": "The game's id."}),
        "seat": _seat("Whose view it is; null: a spectator's."),
        "to_act": _seat("The seat that must act; null once the game is over."),
        "phase": Text(required=True, validate=OneOf(game.phases), metadata={"description": "The phase."}),
        "scores": Several(
            Whole(validate=Range(0, strict.WHOLE_MAX)),
            required=True,
            validate=Length(game.min_players, game.max_players),
            metadata={"description": "Points so far, by seat; once the game is over, those of its result."},
        ),
        "state": Documented(
            {"type": "object"}, any_of=state, required=True, metadata={"description": "The game's part."}
        ),
    }
    unread = {name: Documented(metadata={"description": "Not read: it may be left out."}) for name in _ANYTHING}
    made: Schema = RequestShape.from_dict(shape | unread, name=f"{_name(game)}ViewRequest")()
    return made


def _sandbox_schema(game: Game[Any]) -> Schema:
    """The body for one game."""
    shape: dict[str, Any] = {
        "game": Text(required=True, validate=OneOf((game.id,)), metadata={"description": "The game's id."}),
        "options": OptionsField(
            game,
            allow_none=True,
            load_default=None,
            metadata={"description": "Those of the match that the view is of. Null or absent ones are the default."},
        ),
        "view": Documented(
            any_of=(_view_schema(game),),
            required=True,
            metadata={"description": "A view of the game, as a seat or a spectator got it."},
        ),
        "worlds": Whole(
            validate=Range(1, MOST_WORLDS),
            load_default=1,
            metadata={"description": "How many worlds to look at.", "default": 1},
        ),
        "seed": Text(
            validate=Length(0, 64),
            load_default="",
            metadata={
                "description": "Which worlds: the same seed gives the same ones, first ones first however many.",
                "default": "",
            },
        ),
        "branches": Branches(
            game,
            validate=Length(1, MOST_BRANCHES),
            load_default=lambda: [[]],
            metadata={
                "description": "Each is tried in each world by itself: actions in order, each by whoever must act. "
                f"Worlds times (1 + actions) of all branches is at most {MOST_POSITIONS}.",
                "default": [[]],
            },
        ),
    }
    made: Schema = RequestShape.from_dict(shape, name=f"{_name(game)}SandboxRequest")()
    return made


_SANDBOXES = {game.id: _sandbox_schema(game) for game in GAMES.values()}


class SandboxRequest(OneOfSchema):
    """`POST /v1/sandbox`: the game decides about options, view and actions."""

    type_field = "game"
    type_field_remove = False
    type_schemas = _SANDBOXES

    def load(self, data: Any, **_: Any) -> WhatIf:
        """The checked body. Raises ValidationError."""
        if type(data) is not dict:
            raise ValidationError({"_schema": [strict.NO_OBJECT]})
        name = data.get("game")
        if type(name) is not str:
            raise ValidationError({"game": [strict.NO_STRING if "game" in data else strict.MISSING]})
        if name not in _SANDBOXES:
            raise ValidationError({"game": [strict.not_one_of(tuple(_SANDBOXES))]})
        return WhatIf(**_SANDBOXES[name].load(data))


class ImaginedViewShape(AnswerShape):
    """A view of an imagined world, of the same seat as the one that was sent; it can be sent again."""

    game = text("The game.")
    seat = number("Whose view it is; null: a spectator's.", allow_none=True)
    to_act = number("The seat that must act; null once the game is over.", allow_none=True)
    phase = text("The phase, as the catalogue lists them.")
    scores = listed(Whole(), "Points so far, by seat; once the game is over, those of its result.")
    state = any_of(STATES.values(), "The game's part.")
    legal_actions = listed(
        Inner(ActionSchema()), "What whoever must act may do, whose view this may be or not.", allow_none=True
    )
    result = inner(ResultShape(), "How it ended, once it is over.", allow_none=True)


class RefusedStepShape(AnswerShape):
    """The action of a branch that the rules forbid in this world."""

    index = number("Its place in the branch, 0 first.")
    rule = text("The number of the rule that forbids it.")
    detail = text("Why.")
    suggestions = listed(Inner(ActionSchema()), "Up to three legal actions near it.")


class BranchShape(AnswerShape):
    """What came of a branch in a world: a view or an error, the other is null."""

    view = inner(ImaginedViewShape(), "After all actions.", allow_none=True)
    error = inner(RefusedStepShape(), "What stopped it; then none of its actions counts.", allow_none=True)


class WorldShape(AnswerShape):
    """One world."""

    branches = listed(Inner(BranchShape()), "In the order asked.")


class SandboxShape(AnswerShape):
    """`POST /v1/sandbox`."""

    worlds = listed(Inner(WorldShape()), "As many as asked for.")
