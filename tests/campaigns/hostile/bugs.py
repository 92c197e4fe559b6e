"""Bugs for FUZZ to find: each opens the door that one kind of odd request knocks at."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import pytest
from flask import request

from spieltisch_service.app.errors import Forbidden
from spieltisch_service.web import decoder, overrides, problems, sse
from spieltisch_service.web.schemas import requests as schemas

Bug: TypeAlias = Callable[[pytest.MonkeyPatch], None]


def a_decoder_that_takes_the_last_of_two_keys(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(decoder, "_DECODER", json.JSONDecoder())


def true_counts_as_one(patch: pytest.MonkeyPatch) -> None:
    number = schemas._number

    def lenient(data: Mapping[str, Any], name: str, maximum: int, wrong: dict[str, Any]) -> int | None:
        value = data.get(name)
        return number({name: int(value)} if isinstance(value, bool | float) else data, name, maximum, wrong)

    patch.setattr(schemas, "_number", lenient)


def an_event_id_is_read_as_python_reads_numbers(patch: pytest.MonkeyPatch) -> None:
    def careless(asked: Any, after: int) -> tuple[int, str]:
        header = asked.environ.get("HTTP_LAST_EVENT_ID")
        return (after if header is None else int(header)), "after"

    patch.setattr("spieltisch_service.web.blueprints.events.resumed_after", careless)
    assert sse.resumed_after is not careless


def a_form_is_taken_for_json(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(decoder, "_check_type", lambda environ: None)


def a_refusal_that_shows_the_key(patch: pytest.MonkeyPatch) -> None:
    answer = problems.answer

    def talkative(code: str, detail: str, **rest: Any) -> Any:
        sent = request.environ.get("HTTP_AUTHORIZATION", "")
        return answer(code, f"{detail} You sent {sent}." if code == "forbidden" else detail, **rest)

    patch.setattr(problems, "answer", talkative)


def a_status_that_nobody_has_described(patch: pytest.MonkeyPatch) -> None:
    loaded = overrides._loaded_query

    def odd(schema: Any, asked: Any) -> Mapping[str, Any]:
        if "%" in asked.environ["QUERY_STRING"]:
            raise Forbidden("nobody expects this here")
        return loaded(schema, asked)

    patch.setattr(overrides, "_loaded_query", odd)


BUGS: Mapping[str, Bug] = {
    bug.__name__: bug
    for bug in (
        a_decoder_that_takes_the_last_of_two_keys,
        true_counts_as_one,
        an_event_id_is_read_as_python_reads_numbers,
        a_form_is_taken_for_json,
        a_refusal_that_shows_the_key,
        a_status_that_nobody_has_described,
    )
}
