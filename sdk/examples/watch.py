"""Watch a match as it is played, or replay an ended one: python watch.py MATCH [URL]"""

import sys

from spieltisch import Client


def main(match_id: str, url: str = "http://localhost:8000") -> None:
    match = Client(url).matches.get(match_id)
    for event in match.events():
        seat = "" if event.seat is None else f" seat {event.seat}"
        what = event.data.get("action") or event.data.get("result") or event.data.get("reason") or ""
        print(f"{event.at:%H:%M:%S} {event.seq:4} {event.type}{seat} {what}")
    print(match.board_text())


if __name__ == "__main__":
    main(*sys.argv[1:])
