"""Pages of lists, newest first, of which a filter may leave little over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spieltisch_service.app.cursors import cursor_of, position_of
from spieltisch_service.app.ports import Store

#: How many pages of a list are read for one answer at most, when a filter leaves little over.
_MOST_PAGES = 20

#: What is wanted of those with these ids, as it is shown, by id.
Shown = Callable[[Sequence[str]], Mapping[str, dict[str, Any]]]


def page_of(
    store: Store, of: str | Sequence[str], shown: Shown, cursor: str | None, limit: int
) -> tuple[list[dict[str, Any]], str | None]:
    """A page of an account's list (`of` is its id) or of several public lists, and the cursor of the next one.

    Raises InvalidParameter for a `cursor` that is none.
    """
    before = None if cursor is None else position_of(cursor)
    found: list[dict[str, Any]] = []
    for _ in range(_MOST_PAGES):
        page = store.list_of_account(of, before, limit) if isinstance(of, str) else store.list_public(of, before, limit)
        wanted = shown([id_ for _, id_ in page])
        for before in page:
            if before[1] not in wanted:
                continue
            found.append(wanted[before[1]])
            if len(found) == limit:
                return found, cursor_of(before)
        if len(page) < limit:
            return found, None
    return found, None if before is None else cursor_of(before)
