"""The subject lines of notifications."""

from collections.abc import Mapping
from typing import Any

from domain.game import Game
from domain.messages import Message, PlayerAt, Value, listing, plural_message
from replay.language.renderer import Renderer
from service.notification_subjects.sources import Headline
from service.notification_subjects.table import SUBJECTS, Subject


def game_name(game: Game) -> Value:
    """Return the name of a game: its own, or that of its rules."""
    name = game.options.get("name")
    return name if isinstance(name, str) else game.rules.TITLE


def game_name_in(game: Game, renderer: Renderer) -> str:
    """Return the name of a game, rendered as a heading."""
    name = game.options.get("name")
    return name if isinstance(name, str) else renderer.sentence(game.rules.TITLE)


def digest_title(count: int) -> Message:
    """Return the subject line of a digest of this number of notifications."""
    return plural_message(
        "Your games: one notification", "Your games: {count} notifications", count=count
    )


def chat_messages_title(game: Game, count: int) -> Message:
    """Return the subject line of several messages in a game."""
    name = game_name(game)
    return plural_message("{game}: one message", "{game}: {count} messages", count=count, game=name)


def tournament_title(subject: Subject, details: Mapping[str, Any]) -> Message:
    """Return the subject line of a notification about a tournament, from its details."""
    return SUBJECTS[subject].title(Headline(details["name"], details, is_readers=False))


def title(subject: Subject, game: Game, details: Mapping[str, Any], reader: str) -> Message:
    """Return the subject line for a reader, the id of a player.

    `details` are those of the notification.
    """
    is_readers = game.seat_of(reader) == details.get("seat", 0)
    return SUBJECTS[subject].title(Headline(game_name(game), details, is_readers=is_readers))


def club_title(subject: Subject, game: Game, details: Mapping[str, Any], reader: str) -> Message:
    """Return the subject line for the webhook of a club, which names the winners of a game that is over."""
    winners = winning_seats(game)
    if subject != "game_over" or not winners:
        return title(subject, game, details, reader)
    return plural_message(
        "{game}: the game is over. The winner is {players}.",
        "{game}: the game is over. The winners are {players}.",
        count=len(winners),
        game=game_name(game),
        players=listing(map(PlayerAt, winners)),
    )


def winning_seats(game: Game) -> list[int]:
    """Return the seats of the winners of a game, several after a tie; none unless it is finished."""
    return [entry["seat"] for entry in game.ranking or () if entry["place"] == 1]
