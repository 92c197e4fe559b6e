"""Matches in bulk over HTTP: the very bytes of each record, a line each, sent as they are read."""

from __future__ import annotations

import json

from tests.web.checked import Checked, Person


def test_each_line_is_what_the_record_answers(client: Checked, ada: Person) -> None:
    paths = [ada.creates(["me", "me"]) for _ in range(3)]
    for path in paths:
        Checked.ok(ada.post(f"{path}/resignation", json={"seat": 0}))
    answer = client.get("/v1/exports/matches?game=neues-land&limit=2")
    assert answer.mimetype == "application/x-ndjson"
    assert "Content-Length" not in answer.headers
    assert answer.headers["Cache-Control"] == "private, no-store"
    *lines, last, nothing = answer.data.split(b"\n")
    assert nothing == b""
    assert lines == [client.get(f"{path}/record").data for path in (paths[2], paths[1])]
    cursor = json.loads(last)["next_cursor"]
    rest = client.get(f"/v1/exports/matches?game=neues-land&limit=2&cursor={cursor}").data
    assert rest == client.get(f"{paths[0]}/record").data + b'\n{"next_cursor":null}\n'
    assert client.get("/v1/exports/matches?game=wunderland").data == b'{"next_cursor":null}\n'


def test_a_page_has_its_bounds(client: Checked) -> None:
    for query in ("limit=0", "limit=201", "game=chess", "cursor=x", "mine=true"):
        refused = client.get(f"/v1/exports/matches?{query}")
        assert refused.json is not None
        assert (refused.status_code, refused.json["code"]) == (400, "invalid_parameter"), query
