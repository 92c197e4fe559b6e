"""The Lua scripts, read once from `lua/`. They are called by hash; a server that lost them gets them again."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha1
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Script:
    """One script: its text and the hash under which the server keeps it."""

    source: bytes
    sha: bytes


def _script(name: str, *steps: Script) -> Script:
    """The script of that name; `steps` are functions for it, in a table of this name."""
    source = files(__package__).joinpath("lua", f"{name}.lua").read_bytes()
    if steps:
        functions = (b"function(KEYS, ARGV)\n%b\nend,\n" % step.source for step in steps)
        source = b"local steps = {\n%b}\n%b" % (b"".join(functions), source)
    return Script(source, sha1(source, usedforsecurity=False).hexdigest().encode())


COMMIT = _script("commit")
ERASE = _script("erase")
LOAD = _script("load")
REMATCH = _script("rematch")
ADD_TO_ACCOUNT = _script("add_to_account")
PUT_ACCOUNT = _script("put_account")
REPLACE_ACCOUNT = _script("replace_account")
COUNT = _script("count")
DUE = _script("due")
PAGE = _script("page")
WHOLE_MATCH = _script("whole_match")
PUT_WHOLE_MATCH = _script("put_whole_match")
PULSE = _script("pulse")

#: What `IN_ORDER` can do, by number (1 first).
STEPS = (COUNT, ADD_TO_ACCOUNT, COMMIT)
IN_ORDER = _script("in_order", *STEPS)
