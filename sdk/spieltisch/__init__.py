"""Play board games on a Spieltisch server.

    from spieltisch import Client

    me = Client("http://localhost:8000").register("Ada")

Start at `Client`. All errors are in `spieltisch.errors`, all answers in `spieltisch.models`.
"""

from spieltisch._attempts import Attempt
from spieltisch._version import SPEC_VERSION, __version__
from spieltisch.client import Client
from spieltisch.errors import ApiError, ConnectionFailed, SpieltischError
from spieltisch.resources.match import Match
from spieltisch.resources.turns import Turn

__all__ = [
    "SPEC_VERSION",
    "ApiError",
    "Attempt",
    "Client",
    "ConnectionFailed",
    "Match",
    "SpieltischError",
    "Turn",
    "__version__",
]
