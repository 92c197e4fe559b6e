"""Wunderland: a travel game on a map of eight sections. Rules W1 to W70 in `data/rules.*.md`.

`game` is the door (`WUNDERLAND`); `tables` the map and the cards, `model` actions and state, `board` where the
travellers stand, `rules` what may be done and what it does, `scoring`, `view`, `notation`, `codec` and `render`
the rest. May import itself, its neighbours in `games` and the standard library.
"""
