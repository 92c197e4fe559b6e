"""The platform's pure rules: a match, its events and their chain, fair deals, records. No I/O, no clock, no random.

May import `games`, itself, the standard library and orjson; tournaments also rustworkx (matchings) and openskill
(ratings).
"""
