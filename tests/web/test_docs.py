"""Documentation from this service alone."""

from __future__ import annotations

import re

from tests.web.checked import Checked, Description


def test_the_description_is_served(client: Checked, description: Description) -> None:
    assert client.get("/openapi.json").json == description.document


def test_the_index_leads_to_everything(client: Checked) -> None:
    for path in ("/", "/v1"):
        index = Checked.ok(client.get(path))
        for name in ("docs", "openapi", "games"):
            assert client.get(index[name]).status_code == 200


def test_the_page_loads_nothing_from_elsewhere_and_runs_no_inline_script(client: Checked) -> None:
    page = client.get("/docs")
    policy = dict(part.strip().split(" ", 1) for part in page.headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["connect-src"] == "'self'"
    assert "://" not in page.text
    assert not re.search(r"<script>|<script (?!src=)", page.text)
    for path in re.findall(r'(?:src|href)="([^"]+)"', page.text):
        assert path.startswith("/docs/")
        file = client.get(path)
        assert file.status_code == 200, path
        file.close()


def test_only_the_files_of_the_page_are_served(client: Checked) -> None:
    for name in ("index.html", "swagger-ui.js", "LICENSE", "..%2f__init__.py", "%2e%2e"):
        assert client.get(f"/docs/{name}").status_code == 404


def test_files_of_the_page_are_sent_once(client: Checked) -> None:
    sent = client.get("/docs/swagger-ui.css")
    assert int(sent.headers["Content-Length"]) == len(sent.data) > 0
    sent.close()
    known = client.get("/docs/swagger-ui.css", headers={"If-None-Match": sent.headers["ETag"]})
    assert (known.status_code, known.data) == (304, b"")
    known.close()
    assert not {"Content-Type", "Content-Length"} & set(known.headers.keys())
