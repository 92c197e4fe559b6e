"""What stands behind the question mark, byte by byte as it came."""

import pytest
from flask import Flask

from tests.campaigns.harness.asking import Asking
from tests.web.checked import NO_MATCH, Description

#: As the server hands them in: each byte as one character. None of these is UTF-8.
RAW = ["\xff=1", "a=\xe9", "seat=\x80", "\xc3(=1", "a=1&\xf0\x9f\x8e"]


@pytest.mark.parametrize("query", RAW)
def test_a_query_that_is_no_utf_8_is_a_bad_parameter_everywhere(
    app: Flask, description: Description, query: str
) -> None:
    asking = Asking(app.wsgi_app)
    values = {"match_id": NO_MATCH, "seat": 0, "game": "wunderland", "code": "internal"}
    values |= {"key_id": "ky_" + "0" * 32, "invitation_id": "iv_" + "0" * 32}
    for method, path, operation in description.operations().values():
        reply = asking.ask(method, f"{path.format_map(_Any(values))}?{query}")
        secured = reply.status == 401 and operation.get("security") is not None
        assert reply.code == "invalid_parameter" or secured, (method, path, reply)


class _Any(dict[str, object]):
    """Anything, for the parameter of a path that is not named here."""

    def __missing__(self, key: str) -> str:
        return "x"
