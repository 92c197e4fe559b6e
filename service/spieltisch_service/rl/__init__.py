"""Learning environments: both games behind PettingZoo's API, for agents that learn by playing.

May import `games`, itself, the standard library, and what the extra `rl` brings (numpy, gymnasium, pettingzoo). Nobody
imports this room. `env` is the door; `neues_land` and `wunderland` say what an agent sees and does, `encoding` what the
two have in common, `laid` is the table of Neues Land in arrays, `layout` divides a vector; `demo` plays:
`python -m spieltisch_service.rl.demo`.
"""
