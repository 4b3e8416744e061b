"""The subject line of each notification."""

from collections.abc import Mapping
from typing import Any, assert_never

from domain.game import Game
from domain.messages import Message, PlayerAt, PlayerWithId, Value, listing, message, plural_message
from replay.language.renderer import Renderer
from service.games.outbox import Subject


def game_name(game: Game) -> Value:
    """Return what a game is called: by its own name, or by its rules."""
    name = game.options.get("name")
    return name if isinstance(name, str) else game.rules.TITLE


def game_name_in(game: Game, renderer: Renderer) -> str:
    """Return what a game is called, as a heading."""
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
    name = details["name"]
    match subject:
        case "tournament_round":
            return message(
                "{tournament}: round {round} is drawn", tournament=name, round=details["round"]
            )
        case "tournament_last_date":
            return message(
                "{tournament}: round {round} ends soon, and your game is not over",
                tournament=name,
                round=details["round"],
            )
        case _ if details["status"] == "cancelled":
            return message("{tournament}: the tournament was cancelled", tournament=name)
        case _:
            return message("{tournament}: the tournament is over", tournament=name)


def title(subject: Subject, game: Game, details: Mapping[str, Any], reader: str) -> Message:
    """Return the subject line for a reader, the id of a player.

    `details` are those of the notification.
    """
    name = game_name(game)
    seat = details.get("seat", 0)
    is_readers = game.seat_of(reader) == seat
    player, number = PlayerAt(seat), details.get("dispute", 0)
    match subject:
        case "invited":
            inviter = PlayerWithId(details["from"])
            return message("{game}: {player} invites you", game=name, player=inviter)
        case "player_joined":
            joining = PlayerWithId(details["from"])
            return message("{game}: {player} has joined", game=name, player=joining)
        case "invitation_declined":
            declining = PlayerWithId(details["from"])
            return message(
                "{game}: {player} has declined your invitation", game=name, player=declining
            )
        case "game_created":
            creator = PlayerWithId(game.creator)
            return message("{game}: {player} has created the game", game=name, player=creator)
        case "game_started":
            return message("{game}: the game has begun", game=name)
        case "your_turn" if is_readers and details.get("begins"):
            return message("{game}: the game has begun, and it is your turn", game=name)
        case "your_turn" if is_readers:
            return message("{game}: it is your turn", game=name)
        case "your_turn":
            return message("{game}: it is the turn of {player}", game=name, player=player)
        case "deadline_near" if is_readers:
            return message("{game}: the time for your turn ends soon", game=name)
        case "deadline_near":
            return message(
                "{game}: the time for the turn of {player} ends soon", game=name, player=player
            )
        case "message":
            sender = PlayerWithId(details["from"])
            return message("{game}: a message from {player}", game=name, player=sender)
        case "round_scored":
            return message("{game}: round {round} is scored", game=name, round=details["round"])
        case "game_over" if details.get("status") == "abandoned":
            return message("{game}: the game was abandoned", game=name)
        case "game_over":
            return message("{game}: the game is over", game=name)
        case "turn_forfeited" if is_readers:
            return message("{game}: your turn was forfeited", game=name)
        case "turn_forfeited":
            return message("{game}: the turn of {player} was forfeited", game=name, player=player)
        case "turn_excused" if is_readers:
            return message("{game}: you missed a deadline, and your time begins anew", game=name)
        case "turn_excused":
            return message(
                "{game}: {player} missed a deadline, and has time again", game=name, player=player
            )
        case "turn_played_by_bot" if is_readers:
            return message("{game}: you missed a deadline, and a bot played for you", game=name)
        case "turn_played_by_bot":
            return message(
                "{game}: {player} missed a deadline, and a bot played instead",
                game=name,
                player=player,
            )
        case "player_removed" if is_readers:
            return message("{game}: you are no longer in the game", game=name)
        case "player_removed":
            return message("{game}: {player} is no longer in the game", game=name, player=player)
        case "seat_vacated" if is_readers:
            return message("{game}: your seat is vacant now", game=name)
        case "seat_vacated":
            return message("{game}: the seat of {player} is vacant now", game=name, player=player)
        case "seat_moved" if is_readers:
            return message("{game}: an administrator has given you a seat", game=name)
        case "seat_moved" if reader in game.excluded_players:
            return message(
                "{game}: an administrator has moved your seat to another account", game=name
            )
        case "seat_moved":
            return message(
                "{game}: an administrator has moved the seat of {player} to another account",
                game=name,
                player=PlayerWithId(details["replaces"]),
            )
        case "dispute_opened":
            return message("{game}: {player} opens a dispute", game=name, player=player)
        case "dispute_answered":
            return message(
                "{game}: {player} comments on dispute {number}",
                game=name,
                player=player,
                number=number,
            )
        case "ruling_proposed":
            return message(
                "{game}: {player} proposes a ruling in dispute {number}",
                game=name,
                player=player,
                number=number,
            )
        case "dispute_withdrawn":
            return message(
                "{game}: {player} withdraws dispute {number}",
                game=name,
                player=player,
                number=number,
            )
        case "dispute_ruled":
            return message("{game}: dispute {number} has a ruling", game=name, number=number)
        case "takeback_requested":
            return message("{game}: {player} asks to take back an action", game=name, player=player)
        case "takeback_answered":
            return message(
                "{game}: {player} answers the request to take back an action",
                game=name,
                player=player,
            )
        case "play_resumed":
            return message(
                "{game}: play continues from event {seq}", game=name, seq=details["from"]
            )
        case "pause_agreed" if details["agree"]:
            return message("{game}: {player} agrees to a pause", game=name, player=player)
        case "pause_agreed":
            return message("{game}: {player} wants to play on", game=name, player=player)
        case "time_given":
            return message("{game}: {player} gives you more time", game=name, player=player)
        case "events_lost":
            return message("{game}: the server has lost events of this game", game=name)
        case "tournament_round" | "tournament_last_date" | "tournament_over":
            return tournament_title(subject, details)
        case _:
            assert_never(subject)


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
