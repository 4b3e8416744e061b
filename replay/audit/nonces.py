"""Part of the check of chance: whether a player's nonce kept the server from choosing the random draws.

The draws follow from the server's secret and the players' nonces. The server commits to its secret in the
first event, so it could choose the draws only by choosing a nonce after it knew all the others: the last one.
Only a player who supplied the last nonce and did not act together with the server rules that out.
"""

from typing import Final

from domain.event import Event
from domain.messages import Message, message
from replay.audit.findings import Check
from replay.event_values import actor, player

CREATORS_PLACE: Final = 2
"""The seq of the event with which the creator of a game takes the first place, as part of the creation."""


class NonceCheck:
    """Adds to the check of chance who supplied the nonces."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._taken: list[Event] = []
        """The events with which the present players took their places, in the order of their nonces."""

    def examine(self, event: Event) -> None:
        """Check one event; only `GameStarted` uses the nonces."""
        match event["type"]:
            case "SeatTaken":
                self._taken.append(event)
            case "SeatLeft":
                leaver = event["data"]["player"]
                self._taken = [taken for taken in self._taken if taken["data"]["player"] != leaver]
            case "GameStarted" if self._taken:
                self._check_last_nonce(event["seq"])
            case _:
                pass

    def _check_last_nonce(self, start: int) -> None:
        """Report who supplied the last nonce before event `start`.

        The nonce of the creator comes with the request that creates the game, before the commitment is
        published, so it does not count.
        """
        last = self._taken[-1]
        data, seq = last["data"], last["seq"]
        # The creator of the game, who adds a bot, supplies the nonce of the bot.
        supplier = actor(last["by"]) if "bot" in data else player(data["player"])
        source = data.get("nonce_from")
        if source == "player" and seq > CREATORS_PLACE:
            self._check.note(
                message(
                    "the record says that {player} supplied the last nonce (event {seq}), as this player can"
                    " confirm. So the server could not choose the draws, unless the two acted together.",
                    player=supplier,
                    seq=seq,
                ),
                seq=start,
            )
        elif source is None:
            self._check.add_unknown(
                message(
                    "whether the server chose the random draws, since the record does not say who supplied"
                    " the last nonce (event {seq})",
                    seq=seq,
                ),
                message(
                    "{player} can decide it: this player knows whether their program sent this nonce after it"
                    " had seen the commitment.",
                    player=supplier,
                ),
                line=start + 1,
                seq=start,
            )
        else:
            self._check.add_unknown(
                self._reason_for_doubt(seq),
                message(
                    "Nothing can decide it any more. A nonce sent by the player who joined last would have."
                ),
                line=start + 1,
                seq=start,
            )

    def _reason_for_doubt(self, seq: int) -> Message:
        """Return why the server that supplied the last nonce, with event `seq`, may have chosen the draws."""
        has_helped = any(
            event["data"].get("nonce_from") == "player" and event["seq"] > CREATORS_PLACE
            for event in self._taken
        )
        if has_helped:
            return message(
                "whether the server chose the random draws: it supplied the last nonce itself (event {seq}),"
                " when it knew all others",
                seq=seq,
            )
        return message(
            "whether the server chose the random draws: no player supplied a nonce after the commitment was"
            " published"
        )
