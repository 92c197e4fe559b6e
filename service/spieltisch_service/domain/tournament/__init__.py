"""Tournaments: an append-only log of entries, and everything else as a pure function of that log.

`setup` says what is played, `log` which entries there are, `fold` what they come to (`state`), `due` which matches are
to be played now, `pairing` who meets whom next, `standings` who is ahead, `ratings` and `statistics` what the matches
say, `export` how all of that leaves the house; `sequential` asks whether one bot is better than another. No I/O, no
clock, no chance but from the tournament's seed (`lots`). May import `games`, `domain`, the standard library, rustworkx
and openskill.
"""
