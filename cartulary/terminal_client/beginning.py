"""What comes before a session: reading the URL, signing in, and choosing or creating a game.

Questions have a default that Enter chooses.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cartulary.addresses import Address
from cartulary.client import Client, Conflict, GameSummary, MalformedRequest, Unauthorised
from cartulary.terminal_client.console import Console
from cartulary.terminal_client.tokens import TokensFile
from domain.errors import CartularyError
from domain.messages import Message, Text, Value, message, plural_message
from domain.registry import RegisteredRuleSystem, rule_systems
from replay.language.renderer import Renderer

MAX_CURRENT_GAMES = 9
"""Games of the player that are offered."""
DEFAULT_SEATS = 2
DEFAULT_BOT = "sensible"


class InputEnded(CartularyError):
    """The input ended before there was a game."""

    def __init__(self) -> None:
        super().__init__(message("the input has ended"))


@dataclass(frozen=True, slots=True)
class RequestedGame:
    """The game that the options of the command describe. `rules` is the name of a rule system."""

    rules: str | None = None
    seats: int | None = None
    bot: str | None = None
    tutorial: bool = False


class Beginning:
    """Signs the player in and finds or creates a game, and asks for what the command line leaves open."""

    def __init__(
        self, client: Client, console: Console, renderer: Renderer, tokens: TokensFile
    ) -> None:
        self._client = client
        self._console = console
        self._render = renderer
        self._tokens = tokens

    def sign_in(self, server: str, *, as_guest: bool, token: str | None = None) -> str:
        """Return the player's id. Uses a given token, else the stored one, or asks for an account.

        A given token is not stored. Raises InputEnded, TokensError and ClientError.
        """
        if token is not None and not as_guest:
            self._client.token = token
            player = self._client.me().player
            self._say(message("you play as {handle}", handle=player.handle))
            return player.id
        token = self._tokens.token(server)
        if token is not None and not as_guest:
            self._client.token = token
            try:
                player = self._client.me().player
            except Unauthorised:
                self._client.token = None
                self._say(message("your last session on this server has ended"))
            else:
                self._say(message("you play as {handle}", handle=player.handle))
                return player.id
        if not as_guest:
            # Nobody is asked for a name where there is no server.
            self._client.games(limit=1)
            self._ask_for_account()
        if self._client.token is None:
            handle = self._client.become_guest(locale=self._render.language).player.handle
            self._say(message("you play as the guest {handle}", handle=handle))
        assert self._client.token is not None, "registering and logging in set it"
        self._tokens.keep(server, self._client.token)
        return self._client.me().player.id

    def _ask_for_account(self) -> None:
        choice = self._choose(
            message("How do you want to play?"),
            [
                message("as a guest, at once"),
                message("with my account"),
                message("with a new account"),
            ],
        )
        while choice > 0 and self._client.token is None:
            handle = self._ask(message("Handle"))
            password = self._console.ask_secret(self._label(message("Password")))
            if password is None:
                raise InputEnded
            try:
                if choice == 1:
                    self._client.log_in(handle, password)
                else:
                    self._client.register(handle, password, locale=self._render.language)
            except (Unauthorised, Conflict, MalformedRequest) as problem:
                self._say(message("{reason}", reason=problem.detail))

    def find_game(
        self, address: Address, player: str, requested_game: RequestedGame
    ) -> GameSummary:
        """Return the game that the URL or the options name, or ask for one.

        Raises InputEnded, InvalidAddress and ClientError.
        """
        if address.game is not None:
            return self._client.game(address.game)
        if address.invitation is not None:
            game = self._client.invitation(address.invitation).game
            if game.seat_of(player) is None and game.status == "open":
                return self._client.join(game.id, invitation=address.invitation)
            return game
        if (
            requested_game.rules is None
            and (game_to_resume := self._ask_for_current_game()) is not None
        ):
            return game_to_resume
        if requested_game.rules is None:
            entry, has_lessons = self._ask_for_rules()
        else:
            entry, has_lessons = rule_systems()[requested_game.rules], requested_game.tutorial
        return self._create(entry, requested_game, has_lessons=has_lessons)

    def _ask_for_current_game(self) -> GameSummary | None:
        handle = self._client.me().player.handle
        games = self._client.games(
            player=handle, status="open,playing", limit=MAX_CURRENT_GAMES
        ).games
        if not games:
            return None
        titles: list[Value] = [
            message("{title}, game {game}", title=_title(game), game=game.id) for game in games
        ]
        choice = self._choose(
            message("You have games in progress. Which one do you want to play?"),
            [*titles, message("a new game")],
        )
        return None if choice == len(games) else games[choice]

    def _ask_for_rules(self) -> tuple[RegisteredRuleSystem, bool]:
        """Return the rule system that the player chooses, and whether it is to be a tutorial game."""
        entries = list(rule_systems().values())
        lessons = [entry for entry in entries if entry.system.LESSONS]
        choice = self._choose(
            message("Which game do you want to play against the server's bot?"),
            [
                *(message("learn {game} by playing", game=entry.system.TITLE) for entry in lessons),
                *(
                    message(
                        "{title}: {description}",
                        title=entry.system.TITLE,
                        description=entry.system.DESCRIPTION,
                    )
                    for entry in entries
                ),
            ],
        )
        return [*((entry, True) for entry in lessons), *((entry, False) for entry in entries)][
            choice
        ]

    def _create(
        self, entry: RegisteredRuleSystem, requested_game: RequestedGame, *, has_lessons: bool
    ) -> GameSummary:
        seats = requested_game.seats or DEFAULT_SEATS
        options: dict[str, bool] = dict(entry.options)
        if has_lessons:
            options["tutorial"] = True
        game = self._client.create_game(
            entry.rules,
            seats,
            options=options,
            bots=[requested_game.bot or DEFAULT_BOT] * (seats - 1),
        )
        self._say(
            plural_message(
                "a game of {title} against a bot has begun: {game}",
                "a game of {title} against {count} bots has begun: {game}",
                count=seats - 1,
                title=entry.system.TITLE,
                game=game.id,
            )
        )
        return game

    def _choose(self, question: Message, answers: Sequence[Value]) -> int:
        """Return the index of the answer that the player chooses, by number; Enter is the first one."""
        self._say(question)
        for number, answer in enumerate(answers, 1):
            self._console.show(f"  {number}  {self._render(answer)}")
        while True:
            reply = self._console.ask(lambda: self._label(message("Number [1]")))
            if reply is None:
                raise InputEnded
            if not reply:
                return 0
            if reply.isascii() and reply.isdecimal() and 1 <= int(reply[:4]) <= len(answers):
                return int(reply) - 1
            self._say(message("type a number from 1 to {last}", last=len(answers)))

    def _ask(self, question: Message) -> str:
        while True:
            reply = self._console.ask(lambda: self._label(question))
            if reply is None:
                raise InputEnded
            if reply:
                return reply

    def _label(self, question: Message) -> str:
        return self._render(message("{question}: ", question=question))

    def _say(self, text: Text) -> None:
        self._console.show(self._render.sentence(text))


def _title(game: GameSummary) -> Value:
    """Return the title of the game of a summary, or the name of rules that this program does not have."""
    for entry in reversed(list(rule_systems().values())):
        if entry.rules == game.rules and all(
            bool(game.options.get(name)) == value for name, value in entry.options.items()
        ):
            return entry.system.TITLE
    return game.rules
