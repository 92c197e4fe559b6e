"""Writes the API description and the recorded examples: `./run spec [--check] [--examples]`.

`openapi/openapi.json` comes from the declared operations and their schemas; the examples in it, and whole matches in
`openapi/examples/`, are recorded by playing against a running service (`recording`, `recorded_service`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spieltisch_service.web import documented
from spieltisch_service.web.app import create_app

FOLDER = Path("openapi")
#: What the description takes its examples from; part of the package.
EXAMPLES = Path(__file__).with_name("examples.json")


def description() -> Mapping[str, Any]:
    """The API description, made anew."""
    written: Mapping[str, Any] = create_app(None).extensions["openapi"]
    return written


def as_text(document: Any) -> str:
    """JSON as it is kept in files: two blanks a level, a line end at the end."""
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Write the files, or compare them (`--check`). Answers the exit code: 1 when a file is not up to date."""
    wanted = set(sys.argv[1:] if argv is None else argv)
    unknown = wanted - {"--check", "--examples"}
    if unknown:
        print(f"spec: unknown option {sorted(unknown)[0]}", file=sys.stderr)
        return 2
    if "--examples" in wanted and "--check" not in wanted:
        from spieltisch_service.web.recorded_service import record_examples

        record_examples(FOLDER / "examples", EXAMPLES)
        documented.recorded.cache_clear()
    return _put(FOLDER / "openapi.json", as_text(description()), check="--check" in wanted)


def _put(path: Path, text: str, *, check: bool) -> int:
    if check:
        if path.exists() and path.read_text(encoding="utf-8") == text:
            return 0
        print(f"{path} is not up to date: ./run spec writes it anew", file=sys.stderr)
        return 1
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
