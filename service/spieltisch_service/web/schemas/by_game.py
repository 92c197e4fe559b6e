"""Bodies that hold something else for each game."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from spieltisch_service.web.schemas import fields as strict


class ByGame(OneOfSchema):
    """A body whose `game` decides about the rest; `type_schemas` has one for each game."""

    type_field = "game"
    type_field_remove = False

    def load(self, data: Any, **_: Any) -> Any:
        """The body as the game's schema loads it. Raises ValidationError."""
        if type(data) is not dict:
            raise ValidationError({"_schema": [strict.NO_OBJECT]})
        name = data.get("game")
        if type(name) is not str:
            raise ValidationError({"game": [strict.NO_STRING if "game" in data else strict.MISSING]})
        if name not in self.type_schemas:
            raise ValidationError({"game": [strict.not_one_of(tuple(self.type_schemas))]})
        chosen: Any = self.type_schemas[name]
        return chosen.load(data)
