"""Write a bot as one function, and play it anywhere.

    from spieltisch.bot import bot

    @bot
    def decide(turn):
        return turn.rng.choice(turn.legal_actions)

    if __name__ == "__main__":
        decide.main()

`python my_bot.py -n 200 --against random` plays it here, without a server; `--url http://127.0.0.1:8000` plays the
same file on a server, `--stdio` lets another program host it, and `--help` tells the rest.
"""

from spieltisch.bot.player import Bot, BotTurn, bot

__all__ = ["Bot", "BotTurn", "bot"]
