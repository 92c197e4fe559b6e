"""The strict decoder is the only door: nothing in the web reads a request's body but through it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from spieltisch_service.web.app import create_app
from spieltisch_service.web.blueprints import docs
from tests.architecture.places import SERVICE

WEB = SERVICE / "web"
DECODER = WEB / "decoder.py"
#: What Flask and Werkzeug offer for bodies, and of that, what other things have, too.
BODIES = {"get_json", "get_data", "form", "stream", "want_form_data_parsed", "make_form_data_parser"}
OF_REQUESTS = {"json", "data", "files", "values"}
QUERIES = {"args", "query_string"}
#: Who reads queries: the check of the declared schema, tokens that stand there by mistake, and idempotency.
READS_QUERIES = {"overrides.py", "auth.py", "idempotency.py", "operation.py"}


def _attributes(path: Path) -> Iterator[tuple[str, str]]:
    """(what it is read from, name) of every attribute that is read."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute):
            yield ast.unparse(node.value), node.attr


def _of_request(source: str) -> bool:
    return source.rpartition(".")[2] in ("request", "asked", "_get_current_object()", "self") and source != "self"


@pytest.mark.parametrize("path", sorted(WEB.rglob("*.py")), ids=lambda path: path.name)
def test_only_the_decoder_reads_bodies(path: Path) -> None:
    read = set(_attributes(path))
    assert not {pair for pair in read if pair[1] in BODIES}
    assert not {pair for pair in read if pair[1] in OF_REQUESTS and _of_request(pair[0])}
    assert ("wsgi.input" in path.read_text()) == (path == DECODER)
    assert path.name in READS_QUERIES or not {pair for pair in read if pair[1] in QUERIES}


def test_the_search_sees_what_it_looks_for(tmp_path: Path) -> None:
    careless = tmp_path / "careless.py"
    careless.write_text("def view(call):\n    return call.request.json, request.get_json(), request.args\n")
    read = set(_attributes(careless))
    assert {("call.request", "json"), ("request", "get_json"), ("request", "args")} <= read
    assert _of_request("call.request")


def test_every_path_that_takes_a_body_declares_it() -> None:
    """A rule that is no operation is documentation, and takes nothing."""
    app: Flask = create_app(None)
    operations = {
        f"{blueprint.name}.{operation.id}": operation
        for blueprint in app.blueprints.values()
        for operation in getattr(blueprint, "operations", ())
    }
    for rule in app.url_map.iter_rules():
        operation = operations.get(rule.endpoint)
        if operation is None:
            assert rule.endpoint.startswith(docs.BLUEPRINT.name), rule
            assert rule.methods is not None
            assert rule.methods <= {"GET", "HEAD", "OPTIONS"}
        elif operation.method in ("POST", "PUT", "PATCH"):
            assert operation.body is not None, operation.id
