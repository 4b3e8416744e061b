"""What happens at a deadline, and which seats are vacant, as pages show it."""

from collections.abc import Sequence

from domain.clock import substitutes
from domain.clock.deadlines import deadline_policy
from domain.errors import Refused
from domain.game import Game
from domain.messages import Text, message, plural_message


def deadline_texts(game: Game) -> Sequence[Text]:
    """Return sentences that say what happens at a deadline; none for a game without a clock."""
    if game.clock is None:
        return ()
    policy = deadline_policy(game)
    texts: list[Text] = []
    if policy.excused:
        texts.append(
            plural_message(
                "The first missed deadline of each player only begins the time anew.",
                "The first {count} missed deadlines of each player only begin the time anew.",
                count=policy.excused,
            )
        )
    texts.append(
        message("A bot plays the rest of a missed turn.")
        if policy.turn == "bot"
        else message("A missed turn is forfeited.")
    )
    texts.append(
        message("A bot places for a player who misses a placement of the set-up.")
        if policy.placement == "bot"
        else message("A player who misses a placement of the set-up loses the seat.")
    )
    if policy.remove_after is not None:
        texts.append(
            plural_message(
                "A player who misses one deadline loses the seat.",
                "A player who misses {count} deadlines in a row loses the seat.",
                count=policy.remove_after,
            )
        )
    texts.append(
        plural_message(
            "The game is abandoned when every player has missed a deadline and nobody has acted in between.",
            "The game is abandoned when every player has missed {count} deadlines in a row.",
            count=policy.abandon_after,
        )
    )
    return texts


def reason_not_to_leave(game: Game, seat: int | None) -> Text | None:
    """Return why the player at a seat cannot leave it to a substitute; None if they can."""
    if seat is None:
        return message("this is not a player of the game")
    try:
        substitutes.vacate(game, seat)
    except Refused as refusal:
        return refusal.why
    return None


def can_take_seats(game: Game, player: str | None) -> bool:
    """Return whether a player could take a vacant seat of a game, if there is one."""
    return player is not None and not game.has_joined(player) and player != game.arbiter
