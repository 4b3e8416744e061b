"""Creates games with other players, and invites them by their handles, for the API and for pages."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from domain.errors import Malformed
from domain.game import Game
from domain.json_types import JsonObject
from domain.lifecycle import ARBITER_PLAYS, NewGame
from domain.messages import Text, message, plural_message
from service.accounts.account_reader import AccountReader, handle_fault
from service.clubs.clubs import Clubs
from service.games.commands import GameCommands
from service.games.game_settings import settings_faults
from service.games.invitations import InvitationCommands
from service.settings import Settings

log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class Lobby:
    """Creates games and invites players to them. Thread-safe."""

    _commands: GameCommands
    _invitation_commands: InvitationCommands
    _accounts: AccountReader
    _clubs: Clubs
    _settings: Settings

    def faults(self, body: JsonObject) -> dict[str, Text]:
        """Return the faults of the fields of `CreateGame`, whose types are not checked, by field.

        These are the faults that a schema does not find: of the rules, the clock and the bots.
        """
        options = body.get("options")
        faults = settings_faults(
            body.get("rules"),
            body.get("seats"),
            options,
            body.get("clock"),
            body.get("bots"),
            self._settings.bounds.min_seconds_per_turn,
        )
        if isinstance(options, dict) and "rematch_of" in options:
            faults["options.rematch_of"] = message("is set by a request for a rematch only")
        if isinstance(options, dict) and "tournament" in options:
            faults["options.tournament"] = message("is set for the games of a tournament only")
        return faults

    def create(self, player: str, body: JsonObject, idempotency_key: str | None = None) -> Game:
        """Create a game from the fields of `CreateGame`, and return it.

        Raises Malformed, which names every wrong field, and TooManyGames.
        """
        others = self._find_other_players(player, body["invite"], body["arbiter"])
        if not others.faults:
            others.faults |= self._faults_of_club(player, body["options"], others.invited)
        if others.faults or {"rematch_of", "tournament"} & body["options"].keys():
            raise Malformed({**self.faults(body), **others.faults})
        new = NewGame(
            rules=body["rules"],
            seats=body["seats"],
            options=body["options"],
            clock=body["clock"],
            invited=tuple(others.invited),
            arbiter=others.arbiter,
        )
        return self._commands.create(
            player,
            new,
            default_arbiter=others.default_arbiter,
            bots=tuple(body["bots"]),
            nonce=body["nonce"],
            idempotency_key=idempotency_key,
        )

    def invite(
        self, game_id: str, player: str, handle: str, idempotency_key: str | None = None
    ) -> str:
        """Invite the player with this handle to a game, and return the id of that player.

        Raises Malformed, and the errors of `InvitationCommands.invite`.
        """
        invited = self._accounts.person_with_handle(handle)
        if invited.id == player:
            raise Malformed({"handle": message("must be the handle of another player")})
        self._invitation_commands.invite(game_id, player, invited.id, idempotency_key)
        return invited.id

    def _faults_of_club(
        self, creator: str, options: JsonObject, invited: Sequence[str]
    ) -> dict[str, Text]:
        """Return the faults of the club of a new game, and of the players invited to it, by field."""
        faults = self._clubs.option_faults(options, creator)
        club = options.get("club")
        if faults or not isinstance(club, str):
            return faults
        members = self._clubs.members_among(club, invited)
        return {
            f"invite.{index}": message("is not the handle of a member of the club")
            for index, player in enumerate(invited)
            if player not in members
        }

    def _find_other_players(
        self, creator: str, handles: Sequence[str], arbiter: str | None
    ) -> "_OtherPlayers":
        """Look up the handles of the players to invite and of the arbiters in one request."""
        limit, server_arbiter = self._settings.bounds.max_invitations, self._settings.arbiter
        if len({handle.casefold() for handle in handles}) > limit:
            fault = plural_message(
                "must name at most one player", "must name at most {count} players", count=limit
            )
            return _OtherPlayers(faults={"invite": fault})
        arbiters = [handle for handle in (arbiter, server_arbiter) if handle is not None]
        players = self._accounts.by_handles([*handles, *arbiters])
        others = _OtherPlayers()
        for index, handle in enumerate(handles):
            if refusal := handle_fault(players[handle]):
                others.faults[f"invite.{index}"] = refusal
            elif (invited := players[handle]) is not None:
                others.invited.append(invited.id)
        if arbiter is not None:
            if refusal := handle_fault(players[arbiter]):
                others.faults["arbiter"] = refusal
            elif (ruler := players[arbiter]) is not None:
                others.arbiter = ruler.id
                if others.arbiter in (creator, *others.invited):
                    others.faults["arbiter"] = ARBITER_PLAYS
        elif server_arbiter is not None:
            default = players[server_arbiter]
            if default is None or default.bot is not None:
                log.warning("CARTULARY_ARBITER is not the handle of a person: %s", server_arbiter)
            else:
                others.default_arbiter = default.id
        return others


@dataclass(slots=True)
class _OtherPlayers:
    """The ids of the players that a new game names besides its creator, and the faults by field.

    `arbiter` is named by the creator, `default_arbiter` by the settings of the server.
    """

    invited: list[str] = field(default_factory=list)
    arbiter: str | None = None
    default_arbiter: str | None = None
    faults: dict[str, Text] = field(default_factory=dict)
