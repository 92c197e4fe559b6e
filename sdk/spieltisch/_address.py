"""Where a service is, and whether a key may travel there."""

from __future__ import annotations

import ipaddress
from urllib.parse import quote, urlsplit

from spieltisch.errors import InsecureUrl


def segment(name: str) -> str:
    """`name` as one segment of a path. Raises ValueError where it cannot be one."""
    quoted = quote(name, safe="")
    if quoted in ("", ".", ".."):
        raise ValueError(f"{name!r} names nothing")
    return quoted


def checked(url: str, allow_insecure: bool) -> str:
    """The URL without a slash at its end. Raises ValueError, InsecureUrl."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("the URL of a service starts with https:// or http:// and names a host")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ValueError("the URL of a service has no user, password, query or fragment")
    if parts.scheme == "http" and not allow_insecure and not is_loopback(parts.hostname):
        raise InsecureUrl(
            f"http://{parts.hostname} is another machine, and everybody on the way could read the key: "
            "use https, or allow_insecure=True where the network is your own"
        )
    return url.rstrip("/")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its name or number alone."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
