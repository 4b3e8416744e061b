"""The decisions in a game's life cycle: create, join, leave, start, score, finish, abandon.

Each function looks at a game and returns the `DomainEvent` that follows, or raises Refused. Nothing is
applied here; `domain.fold` does that with what was recorded.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from domain import chance
from domain.clock.deadlines import is_deserted
from domain.contract import A, AnyRuleSystem, DomainEvent, OwnOptions, P, S
from domain.errors import Malformed, not_now
from domain.event import (
    Clock,
    EventsLost,
    GameAbandoned,
    GameCreated,
    GameFinished,
    GameStarted,
    NonceSource,
    Options,
    PlayerKeyAdded,
    PlayerKeyRevoked,
    PlayResumed,
    Ranked,
    RoundScored,
    SeatLeft,
    SeatTaken,
)
from domain.game import STATUS_MESSAGES, Game, GameOf, require_not_ended
from domain.json_fields import one_of
from domain.json_types import BOT_NAME
from domain.life_cycle_messages import places_taken
from domain.messages import Text, message
from domain.options import COMMON_OPTIONS, check_common_options
from domain.registry import EXPANSIONS, RULES, UnknownRules, rule_system_for

FIRST_NONCE_SOURCES: Final = ("player", "server")
"""The sources of nonces in games with seed version 1."""
SEATS_OF_ANY_GAME: Final = 2
"""A number of seats that every rule system allows."""
MOST_SEATS: Final = 16
"""The largest number of seats that `seat_counts` considers."""
RATED_SEATS: Final = range(2, 6)
"""The numbers of seats of games that can be rated."""
TUTORIAL_SEATS: Final = 2
"""The number of seats of a game with lessons: a learner and a bot."""
ARBITER_PLAYS: Final = message("must not be one of the players")


def check_options(rules: object, seats: object, options: Mapping[str, object]) -> Options:
    """All options of a game, with defaults filled in: its own, and those of every game.

    Raises Malformed, which names every wrong field, as `rules`, `seats` or `options.NAME`. If `rules` is
    unknown, it also names what no rule system allows.
    """
    common, errors = check_common_options(options)
    others = {name: value for name, value in options.items() if name not in COMMON_OPTIONS}
    if isinstance(seats, bool) or not isinstance(seats, int):
        errors["seats"] = message("must be a whole number")
        seats = SEATS_OF_ANY_GAME
    own: OwnOptions = {}
    try:
        system = rule_system_for(rules, options)
        if common.get("rated") and seats not in RATED_SEATS:
            errors["options.rated"] = message("only games of two to five players are rated")
        if common.get("tutorial") and (fault := _tutorial_fault(system, seats)) is not None:
            errors["options.tutorial"] = fault
        own = system.check_options(seats, others)
    except UnknownRules as error:
        errors |= error.fields | _refused_by_all(seats, others)
    except Malformed as error:
        errors |= error.fields
    if errors:
        raise Malformed(errors)
    return cast("Options", {**own, **common})


def _tutorial_fault(system: AnyRuleSystem, seats: int) -> Text | None:
    """Return why there is no tutorial game with these rules and seats; None if there is."""
    if not system.LESSONS:
        return message("there are no lessons for this game")
    if seats != TUTORIAL_SEATS:
        return message("a tutorial game has {seats} seats", seats=TUTORIAL_SEATS)
    return None


def _refused_by_all(seats: int, options: Mapping[str, object]) -> dict[str, Text]:
    """Return what is wrong with seats and options in every rule system, by field."""
    errors: list[Mapping[str, Text]] = []
    for rules in (*RULES.values(), *EXPANSIONS.values()):
        try:
            rules.check_options(seats, options)
        except Malformed as error:
            errors.append(error.fields)
        else:
            return {}
    common = [field for field in errors[0] if all(field in fields for fields in errors)]
    return dict.fromkeys(common, message("is not valid in any game"))


def seat_counts(rules: AnyRuleSystem) -> tuple[int, ...]:
    """The numbers of seats that a rule system allows with the default values of its options."""
    return tuple(seats for seats in range(1, MOST_SEATS + 1) if _allows_seats(rules, seats))


def _allows_seats(rules: AnyRuleSystem, seats: int) -> bool:
    try:
        rules.check_options(seats, {})
    except Malformed:
        return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGame:
    """What its creator decides about a game.

    `invited` are the ids of the players who are invited; `arbiter` is that of the player who rules disputes,
    if there is one.
    """

    rules: str
    seats: int
    options: Mapping[str, object]
    clock: Clock | None = None
    invited: Sequence[str] = ()
    arbiter: str | None = None


def create(new: NewGame, secret: bytes, seed_version: int = chance.SEED_VERSION) -> DomainEvent:
    """`GameCreated`, with the commitment to the secret.

    Raises Malformed as `check_options` does, if the arbiter is invited to play, and if there is no such
    version of the seed.
    """
    if new.arbiter is not None and new.arbiter in new.invited:
        raise Malformed({"arbiter": ARBITER_PLAYS})
    data: GameCreated = {
        "rules": new.rules,
        "seats": new.seats,
        "options": check_options(new.rules, new.seats, new.options),
        "clock": new.clock,
        "commitment": chance.commitment(secret),
    }
    if seed_version == chance.SEED_VERSION:
        data["seed"] = chance.SEED_VERSION
    elif seed_version != chance.FIRST_SEED_VERSION:
        raise Malformed({"seed": message("is not a version of the seed")})
    if new.invited:
        data["invited"] = list(new.invited)
    if new.arbiter is not None:
        data["arbiter"] = new.arbiter
    return DomainEvent("GameCreated", data)


def join(
    game: Game,
    player: str,
    nonce: bytes,
    nonce_from: NonceSource | None = None,
    bot: str | None = None,
    invited_by: str | None = None,
) -> DomainEvent:
    """`SeatTaken`. Raises NotNow if the game is full, started or over, if the player has joined before, is
    the arbiter, or is not invited to a private game; Malformed if the nonce is too long.

    `nonce_from` is who supplied the nonce in a game with seed version 1; None leaves it out, as logs did
    before it was recorded. With version 2 the nonce itself shows it: an empty one was supplied by nobody.
    `bot` is the name of the bot that the player is, which the creator of the game adds while having a place
    in it. `invited_by` is the player of the game whose invitation link lets the player join a private game,
    if the player could not join it otherwise.
    """
    chance.check_nonce(nonce)
    if game.seed_version != chance.FIRST_SEED_VERSION:
        nonce_from = "player" if nonce else "none"
    elif nonce_from not in (None, *FIRST_NONCE_SOURCES):
        raise Malformed({"nonce_from": one_of(FIRST_NONCE_SOURCES)})
    if bot is not None and not re.fullmatch(BOT_NAME, bot):
        raise Malformed({"bot": message("is not the name of a bot")})
    if game.has_joined(player):
        raise not_now("this player has a place in the game already")
    if player == game.arbiter:
        raise not_now("the arbiter of a game cannot play in it")
    if game.status != "open":
        raise not_now(
            "the game takes no more players: {status}", status=STATUS_MESSAGES[game.status]
        )
    if len(game.places) == game.seats:
        raise not_now("all {seats} places are taken", seats=game.seats)
    if bot is not None:
        if not game.has_joined(game.creator):
            raise not_now("bots are added by the creator of a game, who has left this one")
        if invited_by is not None:
            raise not_now("a bot joins without an invitation")
        if game.options.get("rated"):
            raise not_now("bots cannot play in a rated game")
    elif not _may_join(game, player, invited_by):
        if invited_by is not None:
            raise not_now("the invitation is not needed, or not by a player of the game")
        raise not_now("the game is private, and this player is not invited")
    data: SeatTaken = {"player": player, "nonce": nonce.hex()}
    if nonce_from is not None:
        data["nonce_from"] = nonce_from
    if bot is not None:
        data["bot"] = bot
    if invited_by is not None:
        data["invited_by"] = invited_by
    return DomainEvent("SeatTaken", data)


def _may_join(game: Game, player: str, invited_by: str | None) -> bool:
    """Whether a player may join an open game.

    `invited_by` must be one of its people, and is stated only for a player who could not join otherwise. Who
    was a member of the club of a game, or was drawn at its table of a tournament, is not in its log.
    """
    is_free_to_join = (
        not game.options["private"]
        or "club" in game.options
        or "tournament" in game.options
        or player == game.creator
        or player in game.invited
    )
    if invited_by is None:
        return is_free_to_join
    is_person = game.has_joined(invited_by) and game.bot_of(invited_by) is None
    return is_person and not is_free_to_join


def leave(game: Game, player: str) -> DomainEvent:
    """`SeatLeft`. Raises NotNow if the player has no place, or after the start, when players `resign`."""
    if not game.has_joined(player):
        raise not_now("this player has no place in the game")
    if game.status != "open":
        raise not_now(
            "places can be left only before the start: {status}",
            status=STATUS_MESSAGES[game.status],
        )
    data: SeatLeft = {"player": player}
    return DomainEvent("SeatLeft", data)


def add_key(game: Game, player: str, key: str, public: str) -> DomainEvent:
    """`PlayerKeyAdded`. Raises NotNow for a player who has nothing to sign, for a known key, and after the
    end.
    """
    if not can_bring_keys(game, player):
        _require_participant(game, player)
    if key in game.keys.get(player, {}):
        raise not_now("the key {key} was registered in this game before", key=key)
    data: PlayerKeyAdded = {"player": player, "key": key, "public": public}
    return DomainEvent("PlayerKeyAdded", data)


def can_bring_keys(game: Game, player: str) -> bool:
    """Whether a person without a place may register keys, because they may sign something in the game: its
    arbiter, and anybody who could take a vacant seat.
    """
    if game.status != "playing" or game.has_joined(player):
        return False
    return player == game.arbiter or bool(game.options.get("substitutes") and game.vacant_seats)


def revoke_key(game: Game, player: str, key: str) -> DomainEvent:
    """`PlayerKeyRevoked`. Raises NotNow if it is not a key of a player of this game, or after the end."""
    _require_participant(game, player)
    if game.keys.get(player, {}).get(key) is None:
        raise not_now("the key {key} is not registered in this game", key=key)
    data: PlayerKeyRevoked = {"player": player, "key": key}
    return DomainEvent("PlayerKeyRevoked", data)


def _require_participant(game: Game, player: str) -> None:
    if not game.is_participant(player):
        raise not_now("this player has no place in the game")
    require_not_ended(game)


def can_start(game: Game) -> bool:
    """Whether every place is taken and play has not begun."""
    return game.status == "open" and len(game.places) == game.seats


def start(game: Game, secret: bytes) -> DomainEvent:
    """`GameStarted`, with seats and set-up drawn from the seed. Raises NotNow while places are free."""
    if not can_start(game):
        raise not_now(
            "{places}; {status}",
            places=places_taken(len(game.places), game.seats),
            status=STATUS_MESSAGES[game.status],
        )
    draws = chance.Chance(_seed(game, secret))
    players = [place.player for place in game.places]
    if game.options["seating"] == "drawn":
        players = draws.shuffle(players)
    opening = game.rules.set_up(game.seats, game.options, draws)
    data: GameStarted = {"players": players, **opening.data}
    return DomainEvent(opening.type, data, opening.secrets)


def _seed(game: Game, secret: bytes) -> bytes:
    return chance.seed(secret, map(bytes.fromhex, game.seed_nonces), game.seed_version)


def resume(
    game: GameOf[S, A, P], origin: GameOf[S, A, P], because: int, secret: bytes
) -> DomainEvent:
    """`PlayResumed` from the position of `origin`, an earlier game, because of the event with this seq.

    What was not yet drawn at that position is drawn again. Raises NotNow if the game is not in progress, or
    if `origin` is not the game after an event of play, or after the start, on the current branch.
    """
    if game.status != "playing":
        raise not_now("play cannot resume: {status}", status=STATUS_MESSAGES[game.status])
    if origin.state is None or origin.seq != origin.position_seq or game.is_superseded(origin.seq):
        raise not_now(
            "play cannot resume after event {event}, which is not an event of play on the current branch",
            event=origin.seq,
        )
    draws = chance.Chance(_resumed_seed(game, because, secret))
    data: PlayResumed = {"from": origin.seq, "because": because}
    return DomainEvent("PlayResumed", data, game.rules.redraw(origin.state, draws))


def _resumed_seed(game: Game, because: int, secret: bytes) -> bytes:
    seed = _seed(game, secret)
    if game.seed_version == chance.FIRST_SEED_VERSION:
        return chance.first_resumed_seed(seed, bytes.fromhex(game.hash))
    nonces = (bytes.fromhex(nonce.value) for nonce in game.resumption_nonces(because))
    return chance.resumed_seed(seed, len(game.resumptions) + 1, nonces)


def forfeit(game: GameOf[S, A, P]) -> DomainEvent:
    """The event that follows from a deadline that has passed. Raises NotNow when nobody is to act."""
    if game.state is None or game.to_act is None:
        raise not_now("nobody is to act")
    return game.rules.forfeit(game.state)


def remove(game: GameOf[S, A, P], seat: int) -> DomainEvent:
    """`PlayerRemoved`, by an arbiter. Raises NotNow when nobody is to act, Refused by the rules."""
    if game.state is None or game.to_act is None:
        raise not_now("a seat can only be removed during play")
    return game.rules.remove(game.state, seat)


def is_without_people(game: Game) -> bool:
    """Whether bots have the places of a game that has not started, and nobody else."""
    return game.status == "open" and all(place.bot is not None for place in game.places)


def abandon_deserted(game: Game, secret: bytes) -> DomainEvent:
    """`GameAbandoned`, by the clock. Raises NotNow when the game is not deserted."""
    if not is_deserted(game):
        raise not_now("the game is not deserted: a player may still act")
    return abandon(game, secret)


def lose_events(game: Game, last: int, hash: str) -> DomainEvent:
    """`EventsLost`: the store has lost events up to this one. Raises NotNow when the game is over."""
    require_not_ended(game)
    data: EventsLost = {"last": last, "hash": hash}
    return DomainEvent("EventsLost", data)


def score(game: GameOf[S, A, P], round: int, at_end: GameOf[S, A, P]) -> DomainEvent:
    """`RoundScored` for the round, from the game as it stood at its end (`at_end`).

    Raises NotNow when the round is not the next one to be scored, or has not ended, or the game is over.
    """
    if game.status != "playing":
        raise not_now("there are no rounds to score: {status}", status=STATUS_MESSAGES[game.status])
    if round != game.rounds_scored + 1 or round not in game.rounds_ended:
        raise not_now("round {round} is not the next to be scored", round=round)
    if at_end.seq != game.rounds_ended[round]:
        raise ValueError(f"round {round} ended with {game.rounds_ended[round]}, not {at_end.seq}")
    assert at_end.state is not None, "a round ends in play"
    data: RoundScored = {"round": round, "standings": game.rules.standings(at_end.state)}
    return DomainEvent("RoundScored", data)


def finish(game: GameOf[S, A, P], secret: bytes) -> DomainEvent:
    """`GameFinished`, which publishes the secret.

    Raises NotNow until play is over and every round is scored.
    """
    if game.state is None or not game.is_played_out:
        raise not_now("play is not over")
    if game.rounds_ended:
        raise not_now("round {round} is to be scored first", round=min(game.rounds_ended))
    result = game.rules.finish(game.state)
    data: GameFinished = {**cast("Ranked", result.data), "secret": secret.hex()}
    return DomainEvent(result.type, data, result.secrets)


def abandon(game: Game, secret: bytes) -> DomainEvent:
    """`GameAbandoned`, which publishes the secret. Raises NotNow when the game is over."""
    require_not_ended(game)
    data: GameAbandoned = {"secret": secret.hex()}
    return DomainEvent("GameAbandoned", data)
