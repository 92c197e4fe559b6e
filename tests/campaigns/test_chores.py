"""The errands of KILL9 make every call to the store that they are said to make."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from pathlib import Path
from typing import Any
from unittest import mock

from spieltisch_service.store.redis_store import RedisStore
from tests.campaigns.harness import chores
from tests.campaigns.harness.armed import CALLS
from tests.campaigns.harness.campaign import Run
from tests.campaigns.harness.site import Within


def noting(call: str, made: set[str]) -> Callable[..., Any]:
    original = getattr(RedisStore, call)

    @wraps(original)
    def noted(*arguments: Any, **named: Any) -> Any:
        made.add(call)
        return original(*arguments, **named)

    return noted


def test_errands_make_every_call_to_the_store_but_those_that_nobody_makes(tmp_path: Path) -> None:
    made: set[str] = set()
    with ExitStack() as noted, Within(Run({}, 1, tmp_path), limits=True) as site:
        for call in CALLS:
            noted.enter_context(mock.patch.object(RedisStore, call, noting(call, made)))
        errands = chores.Chores(site.port, 1)
        for _ in range(2):
            errands.errands()
    # What is made beside requests may be made meanwhile, or not.
    assert set(CALLS) - made - chores.BESIDE_REQUESTS == chores.NEVER
