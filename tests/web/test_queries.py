"""What stands behind the question mark, byte by byte as it came."""

import pytest
from flask import Flask

from tests.campaigns.harness.asking import Asking
from tests.web.checked import NOTHING, Description

#: As the server hands them in: each byte as one character. None of these is UTF-8.
RAW = ["\xff=1", "a=\xe9", "seat=\x80", "\xc3(=1", "a=1&\xf0\x9f\x8e"]


@pytest.mark.parametrize("query", RAW)
def test_a_query_that_is_no_utf_8_is_a_bad_parameter_everywhere(
    app: Flask, description: Description, query: str
) -> None:
    asking = Asking(app.wsgi_app)
    for method, path, operation in description.operations().values():
        reply = asking.ask(method, f"{path.format(**NOTHING)}?{query}")
        secured = reply.status == 401 and operation.get("security") is not None
        assert reply.code == "invalid_parameter" or secured, (method, path, reply)
