"""Which representation a caller wants, where a path has several."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Request

from spieltisch_service.web.refusals import NotAcceptable


def chosen(request: Request, offered: Sequence[str], what: str) -> str:
    """The media type of `offered` that the Accept header likes best, the first without one. Raises `NotAcceptable`."""
    if not request.environ.get("HTTP_ACCEPT"):
        return offered[0]
    best = request.accept_mimetypes.best_match(offered)
    if best is None:
        msg = f"{what} are sent as {', '.join(offered)}."
        raise NotAcceptable(msg)
    return best


def preferred(request: Request, offered: Sequence[str]) -> str:
    """The media type of `offered` that the Accept header likes best, the first where it likes none."""
    return request.accept_mimetypes.best_match(offered) or offered[0]


def none_match(request: Request, etag: str) -> bool:
    """Whether If-None-Match names `etag` (in its quotation marks): the caller has that already."""
    header = request.environ.get("HTTP_IF_NONE_MATCH")
    if not header:
        return False
    if header == etag:
        return True
    return bool(request.if_none_match.contains_weak(etag.strip('"')))
