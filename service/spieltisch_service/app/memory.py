"""What a worker remembers of matches, for a moment: it can be behind the store, and the commit tells."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

from spieltisch_service.app.live_match import LiveMatch

_KEEP_S = 30.0
_KEPT_MATCHES = 512


class Memory:
    """The matches that a worker has seen last, each for half a minute at most."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, LiveMatch] = OrderedDict()
        self._lock = threading.Lock()

    def recall(self, match_id: str) -> LiveMatch | None:
        """The match as it was seen last, if that is not too long ago."""
        with self._lock:
            kept = self._kept.get(match_id)
            if kept is None:
                return None
            if time.monotonic() - kept.loaded_s > _KEEP_S:
                del self._kept[match_id]
                return None
            self._kept.move_to_end(match_id)
            return kept

    def remember(self, live: LiveMatch) -> None:
        """Keep the match as it is now, unless it is one whose document was rewritten since it was read."""
        with self._lock:
            kept = self._kept.get(live.match.id)
            if kept is not None and kept.match.revision > live.match.revision:
                # An action that began before the match was rewritten: it was right, and what it remembers is not.
                return
            self._kept[live.match.id] = live
            self._kept.move_to_end(live.match.id)
            if len(self._kept) > _KEPT_MATCHES:
                self._kept.popitem(last=False)

    def forget(self, match_id: str) -> None:
        """Remember the match no more."""
        with self._lock:
            self._kept.pop(match_id, None)

    def clear(self) -> None:
        """Remember nothing."""
        with self._lock:
            self._kept.clear()
