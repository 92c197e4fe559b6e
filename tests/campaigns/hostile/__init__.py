"""Hostile requests: bodies, headers, paths and sockets that no honest client makes, mixed with ones that it does."""
