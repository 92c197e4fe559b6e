"""Play one match with random actions: python play_random.py [GAME] [URL]"""

import random
import sys

from spieltisch import Client


def main(game: str = "neues-land", url: str = "http://localhost:8000") -> None:
    me = Client(url).register("Random Rita", kind="bot")
    match = me.matches.create(game, seats=["me", "bot:random"])
    print(f"match {match.id}")
    for turn in match.turns():
        acted = turn.act(random.choice(turn.legal_actions))
        if acted is not None:
            print(f"version {acted.version}: {acted.events[0].data['action']}")
    print(match.result)


if __name__ == "__main__":
    main(*sys.argv[1:])
