"""All finished matches of a service, page by page."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from spieltisch import Client, errors
from tests.sdk.faults import Answer, StandIn


def page(*lines: Any) -> Answer:
    body = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    return Answer(200, body.encode(), {"Content-Type": "application/x-ndjson"})


def test_the_records_of_a_service(live_server: str) -> None:
    ada = Client(live_server).register("Ada")
    made = []
    for _ in range(3):
        match = ada.matches.create("wunderland", ["me", "me"], options={"round_limit": 2})
        made.append(match.resign(seat=0))
    mine = {match.id: match.record() for match in made}
    anybody = Client(live_server).matches
    found = [record for record in anybody.export_all(game="wunderland", page_size=2) if record["match"] in mine]
    assert found == [mine[match.id] for match in reversed(made)]


def test_pages_are_asked_for_as_they_are_needed(stand_in: StandIn) -> None:
    # What Unicode takes for the end of a line is part of a name.
    one = {"match": "mt_1", "name": "A\u2028da\u0085"}
    stand_in.answers = [page(one, {"match": "mt_2"}, {"next_cursor": "c"}), page({"next_cursor": None})]
    records = Client(stand_in.url).matches.export_all(page_size=2)
    assert [next(records), next(records)] == [one, {"match": "mt_2"}]
    assert len(stand_in.asked) == 1
    assert list(records) == []
    queries = [parse_qs(urlsplit(asked.path).query) for asked in stand_in.asked]
    assert queries == [{"limit": ["2"]}, {"limit": ["2"], "cursor": ["c"]}]


@pytest.mark.parametrize("body", [b"", b'{"match":"mt_1"}\n', b'{"match":"mt_1"}\n{"next_cu'])
def test_a_page_without_its_end_is_none(stand_in: StandIn, body: bytes) -> None:
    stand_in.answers = [Answer(200, body or b"\n", {"Content-Type": "application/x-ndjson"})]
    with pytest.raises(errors.UnexpectedAnswer, match="cut"):
        next(Client(stand_in.url).matches.export_all())
