"""The scripts of games by mail: invitations, missed deadlines, holidays, pauses, substitutes, more time."""

from collections.abc import Callable
from typing import Final

from ledger import commands
from ledger.statements import AgreeToPause, GiveTime
from tests.games.scripted_game import Command, ScriptedGame, in_round

DAY: Final = 24 * 3600


def by_mail(name: str) -> ScriptedGame:
    """Three players are invited, two come; the clock plays, a seat becomes vacant and is taken."""
    game = ScriptedGame(
        name,
        2,
        seed=5,
        clock={
            "per_turn": DAY,
            "holidays": True,
            "on_deadline": {"turn": "bot", "excused": 1, "remove_after": 3},
        },
        seating="joined",
        substitutes=True,
        round_limit=6,
    )
    for player in ("bea", "cid", "dan"):
        game.command(_invitation(player))
    game.command(lambda pending, _: commands.decline(pending, "cid"))
    game.command(lambda pending, _: commands.revoke(pending, "dan"))
    game.join("bea")
    game.play_bots(in_round(2))
    game.miss_deadline()
    game.miss_deadline()
    since, until = "2026-04-06T00:00:00.000Z", "2026-04-09T00:00:00.000Z"
    game.command(lambda pending, _: commands.announce_holiday(pending, "ada", since, until))
    game.command(lambda pending, _: commands.cancel_holiday(pending, "ada", since))
    for seat, agree in ((0, True), (1, True), (0, False)):
        game.command(_answer(seat, agree=agree))
    game.command(lambda pending, _: commands.extend_deadline(pending, "operator", DAY))
    game.play_bots(in_round(4))
    game.command(lambda pending, secret: commands.leave_seat(pending, 1, {"seat": 1}, secret))
    game.command(lambda pending, _: commands.seat_substitute(pending, 1, "eve"))
    game.play_bots(lambda _: False)
    game.finish()
    return game


def courtesy(name: str) -> ScriptedGame:
    """A player gives another one more time, who then misses the later deadline."""
    game = ScriptedGame(name, 2, seed=6, clock={"per_turn": DAY}, seating="joined", round_limit=3)
    game.join("bea")
    game.play_bots(in_round(1))
    to = game.game.to_act
    assert to is not None, "a round has a player to act"
    game.command(lambda pending, secret: GiveTime(to, 2 * DAY).add(pending, 1 - to, secret))
    game.miss_deadline()
    game.play_bots(lambda _: False)
    game.finish()
    return game


def _invitation(player: str) -> Command:
    return lambda pending, _: commands.invite(pending, player)


def _answer(seat: int, *, agree: bool) -> Command:
    return lambda pending, secret: AgreeToPause(agree=agree).add(pending, seat, secret)


SCRIPTS: Final[tuple[Callable[[str], ScriptedGame], ...]] = (by_mail, courtesy)
