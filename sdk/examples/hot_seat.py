"""Play at one keyboard, all seats by turns: python hot_seat.py [GAME] [PLAYERS] [URL]"""

import json
import sys

from spieltisch import Client


def main(game: str = "wunderland", players: str = "2", url: str = "http://localhost:8000") -> None:
    me = Client(url).register("Table")
    match = me.matches.create(game, seats=["me"] * int(players))
    for turn in match.turns():
        print(turn.text())
        for number, action in enumerate(turn.legal_actions):
            print(f"{number:4} {json.dumps(action)}")
        answer = input(f"seat {turn.seat}, which one? ")
        if answer == "resign":
            match.resign(seat=turn.seat)
        elif answer.isdigit() and int(answer) < len(turn.legal_actions):
            turn.act(turn.legal_actions[int(answer)])
        else:
            print("a number from the list, or: resign")
    print(match.result)


if __name__ == "__main__":
    main(*sys.argv[1:])
