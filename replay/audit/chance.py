"""The check of chance: whether all draws follow from the server's secret and the nonces of the players.

Once the game's secret is published, all draws are repeated. The server commits to its secret in the first
event, so it could influence the draws only by choosing the last nonce when it knew all the others. This is
ruled out if a player who did not collude with the server supplied the last nonce. With seed version 2, the
same is true for draws when play resumes.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from domain import lifecycle
from domain.chance import FIRST_SEED_VERSION
from domain.contract import DomainEvent
from domain.disputes.history import SuppliedNonce
from domain.errors import Malformed, NotNow, Unreadable
from domain.event import Event
from domain.game import Game
from domain.messages import Message, Value, message, semicolon_list
from ledger.canonical import canonical
from ledger.record import Record
from replay.audit.findings import Check
from replay.audit.former_rules import FormerRules
from replay.history.event_values import actor, player, secret_label
from replay.history.timeline import Transition, unreadable_on_error

CREATORS_PLACE: Final = 2
"""The seq of the event with which the creator of a game takes the first place when creating it."""


class NonceCheck:
    """Adds findings on who supplied the nonces to the check of chance."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._taken: list[Event] = []
        """The events whose nonces are part of the seed, in the order of the log."""
        self._has_all_nonces = False
        """Whether all nonces that are not empty are part of the seed, including those of players who left."""

    def examine(self, event: Event) -> None:
        """Check one event; only `GameStarted` uses the nonces."""
        match event["type"]:
            case "GameCreated":
                version = event["data"].get("seed", FIRST_SEED_VERSION)
                self._has_all_nonces = version != FIRST_SEED_VERSION
            case "SeatTaken" if event["data"]["nonce"] or not self._has_all_nonces:
                self._taken.append(event)
            case "SeatLeft" if not self._has_all_nonces:
                leaver = event["data"]["player"]
                self._taken = [taken for taken in self._taken if taken["data"]["player"] != leaver]
            case "GameStarted" if self._taken:
                self._check_last_nonce(event["seq"])
            case "GameStarted" if self._has_all_nonces:
                self._add_doubt(event["seq"], _NO_NONCE)
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
            self._add_doubt(start, self._reason_for_doubt(seq))

    def _add_doubt(self, start: int, reason: Message) -> None:
        """Report the reason why it is unknown whether the server chose the draws of event `start`."""
        evidence = (
            message(
                "Nothing can decide it now. A nonce sent by anybody who joined a game that had been"
                " created, or by its creator for a bot, would have."
            )
            if self._has_all_nonces
            else message(
                "Nothing can decide it now. A nonce sent by the player who joined last would have."
            )
        )
        self._check.add_unknown(reason, evidence, line=start + 1, seq=start)

    def _reason_for_doubt(self, seq: int) -> Message:
        """Return why the server, which supplied the last nonce with event `seq`, may have chosen draws."""
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
        return _NO_NONCE


_NO_NONCE: Final = message(
    "whether the server chose the random draws: no player supplied a nonce after the commitment was published"
)

CHOSEN: Final = message("Somebody chose what should have been drawn.")


class ChanceCheck:
    """Repeats the draws of seating and set-up, and those when play resumed, from the game's secret and the
    players' nonces.
    """

    def __init__(self, record: Record, secret: bytes | None) -> None:
        self.check = Check("chance")
        self._secret = secret
        self._openings = record.openings
        self._former_rules = FormerRules(record, self.check)
        if secret is None:
            self.check.add_unknown(
                message(
                    "whether the random draws follow from the secret that the server committed to"
                ),
                message("The record after the game has ended publishes the secret and decides it."),
                topic="progress",
            )

    def examine(self, transition: Transition) -> None:
        """Check one event; only `GameStarted` and `PlayResumed` have random draws."""
        event = transition.event
        if event["type"] == "PlayResumed" and event.get("secrets"):
            assert transition.before is not None, "the first event does not resume play"
            if transition.before.seed_version == FIRST_SEED_VERSION:
                self._add_unknown_of_resumption(event["seq"])
            else:
                self._check_nonces_of_resumption(transition.after)
        if event["type"] not in ("GameStarted", "PlayResumed") or self._secret is None:
            return
        self.check.count += 1
        seq = event["seq"]
        try:
            with unreadable_on_error(seq):
                decided = _decide(transition, self._secret)
        except (Unreadable, NotNow, Malformed):
            self.check.add_unknown(
                message("whether event {seq} was drawn, because it cannot be drawn again", seq=seq),
                message(
                    "A copy of the record in which the events before it are intact decides it."
                ),
                line=seq + 1,
                seq=seq,
                topic="copy",
            )
            return
        problems = self._problems(transition, decided)
        if problems and not self._is_explained(transition, self._secret, problems):
            for problem in problems:
                self.check.add_at_event(seq, problem, CHOSEN)

    def _add_unknown_of_resumption(self, seq: int) -> None:
        """Report that the server controls the hash of the event before, on which the new draws depend.

        The server knows the seed. It can seal that event with different times or salts until the draws suit
        it.
        """
        self.check.add_unknown(
            message(
                "whether the server chose what was drawn again when play resumed (event {seq}), by choosing"
                " the time or the salt of event {previous}",
                seq=seq,
                previous=seq - 1,
            ),
            message(
                "Nothing can decide it. Rulings and takebacks rest on trust in the operator of the server."
            ),
            line=seq + 1,
            seq=seq,
            topic="redraws",
        )

    def _check_nonces_of_resumption(self, resumed: Game) -> None:
        """Report who supplied the last of the nonces on which the new draws depend."""
        seq, nonces = resumed.seq, resumed.resumptions[-1].nonces
        if nonces and nonces[-1].value:
            self.check.note(
                message(
                    "the record says that {player} supplied the last nonce (event {nonce}) before play"
                    " resumed with new draws (event {seq}), as this player can confirm. So the server could"
                    " not choose these draws, unless the two acted together.",
                    player=_supplier(nonces[-1], resumed),
                    nonce=nonces[-1].seq,
                    seq=seq,
                ),
                seq=seq,
            )
            return
        self.check.add_unknown(
            message(
                "whether the server chose what was drawn again when play resumed (event {seq}): the last"
                " nonce (event {nonce}) is empty",
                seq=seq,
                nonce=nonces[-1].seq,
            )
            if nonces
            else message(
                "whether the server chose what was drawn again when play resumed (event {seq}): nobody"
                " supplied a nonce",
                seq=seq,
            ),
            message(
                "Nothing can decide it now. A nonce sent by the person who agreed or ruled last would"
                " have."
            ),
            line=seq + 1,
            seq=seq,
            topic="redraws",
        )

    def _is_explained(
        self, transition: Transition, secret: bytes, problems: Sequence[Message]
    ) -> bool:
        assert transition.before is not None, "the first event has no random draws"
        return self._former_rules.explain(
            transition.event,
            transition.before,
            message("{problems}", problems=semicolon_list(problems)),
            lambda game: (
                not self._problems(transition, _decide(replace(transition, before=game), secret))
            ),
        )

    def _problems(self, transition: Transition, decided: DomainEvent) -> list[Message]:
        assert transition.before is not None, "the first event has no random draws"
        event, rules = transition.event, transition.before.rules
        problems = [
            message("{field} is not what the seed gives", field=name)
            for name in sorted(decided.data.keys() | event["data"].keys())
            if _differ(decided.data.get(name), event["data"].get(name))
        ]
        commitments = event.get("secrets", {})
        openings = self._openings.get(event["seq"], {})
        self.check.count += len(decided.secrets.keys() | commitments.keys())
        for name in sorted(decided.secrets.keys() | commitments.keys()):
            secret = secret_label(name, rules)
            if name not in decided.secrets:
                problems.append(message("the seed gives no secret “{secret}”", secret=secret))
            elif name not in commitments:
                problems.append(
                    message("it does not commit to the secret “{secret}”", secret=secret)
                )
            elif name in openings and _differ(openings[name]["value"], decided.secrets[name]):
                problems.append(
                    message("the secret “{secret}” is not what the seed gives", secret=secret)
                )
        return problems


def _decide(transition: Transition, secret: bytes) -> DomainEvent:
    """Return the event with its random draws. Raises NotNow, Malformed."""
    assert transition.before is not None, "the first event has no random draws"
    if transition.event["type"] == "GameStarted":
        return lifecycle.start(transition.before, secret)
    assert transition.origin is not None, "an event that resumes play has an origin"
    return lifecycle.resume(
        transition.before, transition.origin, transition.event["data"]["because"], secret
    )


def _supplier(nonce: SuppliedNonce, game: Game) -> Value:
    if nonce.seat is not None:
        return actor({"seat": nonce.seat})
    return player(game.arbiter)


def _differ(one: object, other: object) -> bool:
    return canonical(one) != canonical(other)
