"""The shortest bot: python first_legal.py -n 100, or --url http://127.0.0.1:8000 -n 5"""

from spieltisch.bot import BotTurn, bot


@bot
def decide(turn: BotTurn) -> dict[str, object]:
    return turn.rng.choice(turn.legal_actions)


if __name__ == "__main__":
    decide.main()
