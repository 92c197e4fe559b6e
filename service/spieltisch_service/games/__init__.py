"""The rules of the games, pure: no I/O but a game's own data, no clock, no random, no logging.

May import itself and the standard library. `contract` says what a game is, `catalogue` names the games.
"""
