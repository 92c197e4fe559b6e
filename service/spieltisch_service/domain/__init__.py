"""The platform's pure rules: a match, its events and their chain, fair deals, records. No I/O, no clock, no random.

May import `games`, itself and the standard library; tournaments also rustworkx (matchings) and openskill (ratings).
"""
