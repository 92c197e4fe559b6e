"""The catalogue: enough to write a client without reading our code."""

from __future__ import annotations

import jsonschema
import pytest

from spieltisch_service.games.catalogue import GAMES
from tests.web.checked import Checked, Person


def test_all_games_are_listed_with_players_options_and_phases(client: Checked) -> None:
    games = Checked.ok(client.get("/v1/games"))["games"]
    assert {game["id"]: (game["players"]["min"], game["players"]["max"]) for game in games} == {
        "neues-land": (2, 5),
        "wunderland": (2, 4),
    }
    assert {game["id"]: game["phases"] for game in games} == {
        "neues-land": ["place_tile", "follower", "over"],
        "wunderland": ["turn", "companions", "after", "final", "over"],
    }
    assert {game["rules_version"] for game in games} == {"1"}


@pytest.mark.parametrize("game", GAMES)
def test_its_schemas_are_json_schemas_that_accept_the_legal_actions(client: Checked, ada: Person, game: str) -> None:
    full = Checked.ok(client.get(f"/v1/games/{game}"))
    for schema in (full["options"], *full["actions"].values()):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["description"]
        assert all(each["description"] for each in schema["properties"].values())
    created = Checked.ok(ada.post("/v1/matches", json={"game": game, "seats": ["me", "me"]}))
    jsonschema.Draft202012Validator(full["options"]).validate(created["options"])
    for action in ada.view(f"/v1/matches/{created['id']}", "?seat=0")["legal_actions"]:
        jsonschema.Draft202012Validator(full["actions"][action["type"]]).validate(action)


def test_the_actions_are_those_of_the_rules(client: Checked) -> None:
    assert set(Checked.ok(client.get("/v1/games/neues-land"))["actions"]) == {
        "place_tile",
        "place_follower",
        "recall_follower",
        "pass",
    }
    assert set(Checked.ok(client.get("/v1/games/wunderland"))["actions"]) == {
        "travel",
        "travel_along",
        "stay",
        "collect",
        "redeem",
        "end_turn",
    }


def test_the_material_is_complete(client: Checked) -> None:
    assert len(Checked.ok(client.get("/v1/games/neues-land"))["material"]["kinds"]) == 70
    wunderland = Checked.ok(client.get("/v1/games/wunderland"))["material"]
    assert [len(wunderland[name]) for name in ("places", "tracks", "cards")] == [43, 62, 48]


@pytest.mark.parametrize(("lang", "word"), [("de", "Regeln"), ("en", "rules")])
@pytest.mark.parametrize("game", GAMES)
def test_the_rules_are_markdown_in_two_languages(client: Checked, game: str, lang: str, word: str) -> None:
    answer = client.get(f"/v1/games/{game}/rules?lang={lang}")
    assert answer.mimetype == "text/markdown"
    assert answer.headers["Content-Language"] == lang
    assert word in answer.text
    assert answer.text.startswith("#")
    full = Checked.ok(client.get(f"/v1/games/{game}"))
    assert client.get(full["rules"][lang]).data == answer.data


def test_english_is_what_nobody_asked_for(client: Checked) -> None:
    assert client.get("/v1/games/wunderland/rules").headers["Content-Language"] == "en"
