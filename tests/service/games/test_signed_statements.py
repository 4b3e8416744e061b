"""Signed statements on a service: takebacks, disputes, rulings, pauses and seats, signed by their authors."""

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import pytest

from domain.errors import Malformed, NotNow
from domain.event import Event
from domain.game import Game
from domain.lifecycle import NewGame
from ledger.keys import SigningKey
from ledger.pending import commitment
from ledger.player_signatures import sign, statement_payload
from ledger.statements import (
    AgreeToPause,
    AnswerDispute,
    AnswerTakeback,
    GiveRuling,
    OpenDispute,
    RequestTakeback,
    WithdrawDispute,
)
from replay.audit import audit
from replay.language.renderer import english
from service.bootstrap import Service
from service.errors import IdempotencyConflict, InvalidPlayerSignature, KeyNotUsable, Stale
from service.games.player_signatures import PlayerSignature
from service.games.repository import AcceptedAction
from tests.service.games.test_signed_actions import add_key, current, log
from tests.support.faults import raises
from tests.support.redis_contents import contents
from tests.support.service_games import PLAYERS, play_until, start_game, take_action

KEYS = {
    player: SigningKey.from_seed(player.encode().ljust(32)) for player in (*PLAYERS, "zoe", "yan")
}
SALT = "5a" * 32
TEXT = "It was my turn."
Data: TypeAlias = dict[str, Any]


@pytest.fixture
def game(service: Service) -> Game:
    """A game of ada, bea and cid in which zoe is the arbiter; all of them have keys."""
    for player, key in KEYS.items():
        add_key(service, player, key)
    options = {"seating": "joined", "takebacks": True, "substitutes": True}
    created = service.games.commands.create(
        "ada",
        NewGame(rules="barony", seats=3, options=options, clock={"per_turn": 86400}, arbiter="zoe"),
    )
    for player in ("bea", "cid"):
        service.games.commands.join(created.id, player, player.encode())
    return play_until(service, created.id, lambda game: game.round >= 1)


def signature(
    service: Service,
    game: Game,
    player: str,
    type: str,
    data: Data,
    *,
    text: str | None = None,
    seq: int | None = None,
) -> PlayerSignature:
    """Return the signature of a player for a statement, after the last event or event `seq`."""
    head = log(service, game)[-1 if seq is None else seq - 1]
    secrets = None if text is None else {"statement": commitment({"salt": SALT, "value": text})}
    payload = statement_payload(game.id, head["hash"], type, data, secrets)
    key = KEYS[player]
    salt = None if text is None else SALT
    return PlayerSignature(key.id, sign(key, payload)["signature"], head["seq"], salt)


def signed_events(service: Service, game: Game) -> list[Event]:
    return [event for event in log(service, game) if "signature" in event]


def audited(service: Service, game: Game) -> list[str]:
    """Check that an audit finds no fault, and return its notes about signatures."""
    report = audit(io.BytesIO(b"".join(service.games.queries.record(game.id))))
    assert report.findings == []
    return [english(note.text) for note in report.notes if note.check == "signatures"]


def test_every_statement_can_be_signed_and_is_audited(service: Service, game: Game) -> None:
    disputes, seats = service.games.statements, service.games.commands

    def signed(player: str, type: str, data: Data, text: str | None = None) -> PlayerSignature:
        return signature(service, game, player, type, data, text=text)

    actor = take_action(service, game.id).events[0]["by"]["seat"]  # type: ignore[typeddict-item] # by a seat
    other, third = (player for player in game.players if player != game.players[actor])
    asking = signed(game.players[actor], "TakebackRequested", {})
    number = disputes.state(
        game.id, game.players[actor], RequestTakeback(), signature=asking
    ).events[0]["seq"]
    for player, agree in ((other, True), (third, False)):
        answer = signed(player, "TakebackAnswered", {"request": number, "agree": agree})
        disputes.state(game.id, player, AnswerTakeback(number, agree=agree), signature=answer)
    opening = signed(other, "DisputeOpened", {"about": 5}, TEXT)
    dispute = disputes.state(game.id, other, OpenDispute(5, TEXT), signature=opening).events[0][
        "seq"
    ]
    answering = signed(third, "DisputeAnswered", {"dispute": dispute}, TEXT)
    disputes.state(game.id, third, AnswerDispute(dispute, TEXT), signature=answering)
    withdrawing = signed(other, "DisputeWithdrawn", {"dispute": dispute})
    disputes.state(game.id, other, WithdrawDispute(dispute), signature=withdrawing)
    dispute = disputes.state(game.id, other, OpenDispute(6, TEXT)).events[0]["seq"]
    ruling = {"type": "dismiss"}
    given = signed("zoe", "DisputeRuled", {"dispute": dispute, "ruling": ruling}, TEXT)
    ruled = disputes.state(game.id, "zoe", GiveRuling(dispute, ruling, TEXT), signature=given)
    assert [event["type"] for event in ruled.events] == ["PlayerKeyAdded", "DisputeRuled"]
    assert ruled.receipt["seq"] == ruled.events[1]["seq"]
    for agree in (True, False):
        pausing = signed(third, "PauseAgreed", {"agree": agree})
        service.games.statements.state(game.id, third, AgreeToPause(agree=agree), signature=pausing)
    seat = game.seat_of(third)
    assert seat is not None
    seats.leave_seat(game.id, third, signature=signed(third, "SeatVacated", {}))
    taking = signed("yan", "SubstituteSeated", {"seat": seat})
    seats.take_seat(game.id, "yan", seat, signature=taking)
    types = [event["type"] for event in signed_events(service, game)]
    assert types == [
        *("TakebackRequested", "TakebackAnswered", "TakebackAnswered"),
        *("DisputeOpened", "DisputeAnswered", "DisputeWithdrawn", "DisputeRuled"),
        *("PauseAgreed", "PauseAgreed", "SeatVacated", "SubstituteSeated"),
    ]
    assert current(service, game).keys["yan"] == {KEYS["yan"].id: KEYS["yan"].public}
    notes = audited(service, game)
    assert "zoe signed 1 of 1 statement on takebacks, disputes, pauses and seats." in notes
    assert any("signed 3 of 4 statements" in note for note in notes)


def test_players_of_a_game_without_an_arbiter_sign_the_rulings_that_they_propose(
    service: Service,
) -> None:
    for player in ("ada", "bea"):
        add_key(service, player, KEYS[player])
    game = start_game(service)
    take_action(service, game.id)
    dispute = service.games.statements.state(game.id, "ada", OpenDispute(5, TEXT)).events[0]["seq"]
    ruling = {"type": "result_stands"}
    data = {"dispute": dispute, "ruling": ruling}
    types = []
    for player in ("ada", "bea"):
        proposing = signature(service, game, player, "RulingProposed", data, text=TEXT)
        accepted = service.games.statements.state(
            game.id, player, GiveRuling(dispute, ruling, TEXT), signature=proposing
        )
        types.append([event["type"] for event in accepted.events])
    assert types == [["RulingProposed"], ["RulingProposed", "DisputeRuled"]]
    assert [event["type"] for event in signed_events(service, game)] == ["RulingProposed"] * 2
    audited(service, game)


def test_a_resignation_and_an_agreement_to_end_are_signed_as_actions_out_of_turn(
    service: Service,
) -> None:
    add_key(service, "bea", KEYS["bea"])
    game = start_game(service, end_by_agreement=True)
    game = play_until(service, game.id, lambda game: game.round == 1 and game.to_act == 0)
    for action in ({"type": "agree_to_end", "agree": True}, {"type": "resign"}):
        game = current(service, game)
        payload = {
            "sign": "cartulary action v1",
            "game": game.id,
            "head": game.hash,
            "action": action,
        }
        key = KEYS["bea"]
        player_signature = PlayerSignature(key.id, sign(key, payload)["signature"])
        service.games.commands.act(game.id, "bea", action, game.seq, signature=player_signature)
    assert len(signed_events(service, game)) == 2
    audited(service, game)


class TestRefusedSignatures:
    @pytest.fixture
    def pause(self, service: Service, game: Game) -> Callable[..., AcceptedAction]:
        """Lets a player agree to a pause with a signature."""

        def state(
            signature: PlayerSignature, player: str = "ada", **options: Any
        ) -> AcceptedAction:
            statement = AgreeToPause(**{"agree": True, **options})
            return service.games.statements.state(game.id, player, statement, signature)

        return state

    def test_a_signature_covers_the_game_the_head_the_type_and_the_data(
        self, service: Service, game: Game, pause: Callable[..., AcceptedAction]
    ) -> None:
        before = contents(service.redis)
        other = start_game(service, 3)
        right = signature(service, game, "ada", "PauseAgreed", {"agree": True})
        wrong = [
            replace(right, signature=signature(service, *arguments).signature)
            for arguments in (
                (game, "ada", "PauseAgreed", {"agree": False}),
                (game, "ada", "TakebackAnswered", {"agree": True}),
                (other, "ada", "PauseAgreed", {"agree": True}),
            )
        ]
        earlier = signature(service, game, "ada", "PauseAgreed", {"agree": True}, seq=game.seq - 1)
        wrong.append(replace(right, signature=earlier.signature))
        for refused in wrong:
            with raises(InvalidPlayerSignature, match="cartulary statement v1"):
                pause(refused)
        assert signed_events(service, game) == []
        assert contents(service.redis).keys() >= before.keys()
        assert len(pause(right).events) == 1

    def test_a_signature_cannot_be_used_again(
        self, service: Service, game: Game, pause: Callable[..., AcceptedAction]
    ) -> None:
        agreeing = signature(service, game, "ada", "PauseAgreed", {"agree": True})
        pause(agreeing)
        service.games.statements.state(game.id, "bea", AgreeToPause(agree=True))
        service.games.statements.state(game.id, "ada", AgreeToPause(agree=False))
        with pytest.raises(Stale):
            pause(agreeing)
        # A statement of another player in between is no obstacle, but an event of play is.
        seq = current(service, game).seq
        service.games.statements.state(game.id, "bea", AgreeToPause(agree=False))
        late = signature(service, game, "ada", "PauseAgreed", {"agree": True}, seq=seq)
        take_action(service, game.id)
        with pytest.raises(Stale):
            pause(late)
        take_action(service, game.id)
        seq = current(service, game).seq
        service.games.statements.state(game.id, "bea", AgreeToPause(agree=True))
        pause(signature(service, game, "ada", "PauseAgreed", {"agree": True}, seq=seq))
        audited(service, game)

    def test_an_event_that_does_not_exist_yet_was_not_seen(
        self, service: Service, game: Game, pause: Callable[..., AcceptedAction]
    ) -> None:
        right = signature(service, game, "ada", "PauseAgreed", {"agree": True})
        with pytest.raises(Stale):
            pause(replace(right, expected_seq=game.seq + 1))

    def test_the_key_must_be_one_of_the_person_and_not_revoked(
        self, service: Service, game: Game, pause: Callable[..., AcceptedAction]
    ) -> None:
        with pytest.raises(KeyNotUsable):
            pause(signature(service, game, "bea", "PauseAgreed", {"agree": True}))
        service.games.key_registry.revoke("ada", KEYS["ada"].id)
        with pytest.raises(KeyNotUsable):
            pause(signature(service, game, "ada", "PauseAgreed", {"agree": True}))
        dispute = service.games.statements.state(game.id, "ada", OpenDispute(5, TEXT)).events[0][
            "seq"
        ]
        data = {"dispute": dispute, "ruling": {"type": "dismiss"}}
        ruling = signature(service, game, "zoe", "DisputeRuled", data)
        service.games.key_registry.revoke("zoe", KEYS["zoe"].id)
        with pytest.raises(KeyNotUsable):
            service.games.statements.state(
                game.id, "zoe", GiveRuling(dispute, data["ruling"]), signature=ruling
            )

    def test_a_text_needs_a_salt_and_nothing_else_has_one(
        self, service: Service, game: Game, pause: Callable[..., AcceptedAction]
    ) -> None:
        opening = signature(service, game, "ada", "DisputeOpened", {"about": 5}, text=TEXT)
        with raises(Malformed, match="salt"):
            service.games.statements.state(
                game.id, "ada", OpenDispute(5, TEXT), signature=replace(opening, salt=None)
            )
        right = signature(service, game, "ada", "PauseAgreed", {"agree": True})
        with raises(Malformed, match="salt"):
            pause(replace(right, salt=SALT))

    def test_other_faults_come_first(self, pause: Callable[..., AcceptedAction]) -> None:
        wrong = PlayerSignature("0" * 16, "0" * 128, 1)
        with raises(NotNow, match="does not agree"):
            pause(wrong, agree=False)

    def test_a_signature_is_part_of_an_idempotent_request(
        self, service: Service, game: Game, pause: Callable[..., AcceptedAction]
    ) -> None:
        right = signature(service, game, "ada", "PauseAgreed", {"agree": True})
        accepted = pause(right, idempotency_key="k")
        assert pause(right, idempotency_key="k") == accepted
        with pytest.raises(IdempotencyConflict):
            service.games.statements.state(
                game.id, "ada", AgreeToPause(agree=True, idempotency_key="k")
            )


def test_a_signature_holds_after_the_text_was_erased(service: Service, game: Game) -> None:
    opening = signature(service, game, "ada", "DisputeOpened", {"about": 5}, text=TEXT)
    service.games.statements.state(game.id, "ada", OpenDispute(5, TEXT), signature=opening)
    service.accounts.erasure.erase_without_password("ada")
    record = b"".join(service.games.queries.record(game.id))
    assert TEXT.encode() not in record
    assert SALT.encode() not in record
    audited(service, game)


def test_a_signature_covers_the_nonce_of_a_statement(service: Service, game: Game) -> None:
    (event,) = take_action(service, game.id).events
    player = game.players[event["by"]["seat"]]  # type: ignore[typeddict-item] # by a seat
    without = signature(service, game, player, "TakebackRequested", {})
    with_nonce = signature(service, game, player, "TakebackRequested", {"nonce": "ab"})
    for refused, nonce in ((without, "ab"), (with_nonce, "cd"), (with_nonce, None)):
        with raises(InvalidPlayerSignature, match="cartulary statement v1"):
            service.games.statements.state(
                game.id, player, RequestTakeback(nonce=nonce), signature=refused
            )
    service.games.statements.state(
        game.id, player, RequestTakeback(nonce="ab"), signature=with_nonce
    )
    audited(service, game)
