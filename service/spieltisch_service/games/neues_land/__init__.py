"""Neues Land: a tile-laying game for 2 to 5 players (`data/rules.en.md`).

`tables` reads the tiles, `model` says what the game is made of, `board` holds the table and its areas, `rules` plays,
`scoring` counts, `refusals` explains, `view`, `notation` and `render` show, `codec` stores; `game` is the whole.
May import `games.contract`, `games.errors`, `games.chance` and the standard library.
"""
