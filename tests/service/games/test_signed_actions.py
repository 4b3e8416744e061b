"""Signed actions on a service: which signatures are accepted, and how keys reach the logs of games."""

import io
from collections.abc import Iterator
from typing import Any

import pytest

from domain.errors import Malformed, NotNow, Refused
from domain.game import Game
from domain.json_types import JsonObject
from domain.lifecycle import NewGame
from domain.messages import message
from ledger.canonical import canonical
from ledger.keys import SigningKey
from ledger.player_signatures import key_payload, sign_action
from ledger.statements import AgreeToPause
from replay.audit import audit
from replay.language.renderer import english
from service.bootstrap import Service
from service.errors import (
    Forbidden,
    IdempotencyConflict,
    InvalidPlayerSignature,
    KeyNotUsable,
    NotFound,
    Stale,
    Unavailable,
)
from service.games.listings import Listings
from service.games.player_signatures import PlayerSignature
from tests.support.faults import raises
from tests.support.redis_contents import contents
from tests.support.service_games import play_until, start_game, take_action

KEY = SigningKey.from_seed(b"1" * 32)
OTHER_KEY = SigningKey.from_seed(b"2" * 32)


def add_key(service: Service, player: str, key: SigningKey = KEY) -> JsonObject:
    """Register a key of a player, with a valid proof."""
    proof = key.signature(canonical(key_payload(player, key.public)))
    return service.games.key_registry.add(player, bytes.fromhex(key.public), bytes.fromhex(proof))


def log(service: Service, game: Game) -> list[Any]:
    return service.games.queries.event_page(game.id, 0, 500)


def key_events(service: Service, game: Game) -> list[tuple[str, Any, Any]]:
    """Return the type, the actor and the data of the events about keys in a game."""
    return [
        (event["type"], event["by"], event["data"])
        for event in log(service, game)
        if event["type"].startswith("PlayerKey")
    ]


def added(player: str, by: Any, key: SigningKey = KEY) -> tuple[str, Any, Any]:
    return "PlayerKeyAdded", by, {"player": player, "key": key.id, "public": key.public}


def revoked(player: str, by: Any, key: SigningKey = KEY) -> tuple[str, Any, Any]:
    return "PlayerKeyRevoked", by, {"player": player, "key": key.id}


def first_action(service: Service, game: Game) -> tuple[int, JsonObject]:
    """Return the seq of the head and a legal action of seat 0."""
    seq, actions = service.games.queries.legal_actions(game.id, "ada")
    return seq, actions[0]


def signed(game: Game, action: JsonObject, key: SigningKey = KEY) -> PlayerSignature:
    """Return the signature of an action on the game's current position."""
    return PlayerSignature(key.id, sign_action(key, game.id, game.hash, action)["signature"])


def current(service: Service, game: Game) -> Game:
    return service.games.queries.game(game.id)


def is_broken(service: Service, game: Game) -> bool:
    """Whether an audit of the game's record finds a fault."""
    return audit(io.BytesIO(b"".join(service.games.queries.record(game.id)))).verdict == "broken"


def test_a_signed_action_is_stored_with_its_signature_and_can_be_audited(service: Service) -> None:
    add_key(service, "ada")
    game = start_game(service)
    seq, action = first_action(service, game)
    signature = signed(game, action)
    accepted = service.games.commands.act(game.id, "ada", action, seq, signature=signature)
    (event,) = accepted.events
    assert event["signature"] == {
        "key": KEY.id,
        "head": game.hash,
        "signature": signature.signature,
    }
    assert log(service, game)[-1] == event
    assert not is_broken(service, game)
    take_action(service, game.id)
    assert "signature" not in log(service, game)[-1]


def test_the_keys_of_a_player_are_in_the_log_of_each_game_that_they_join(service: Service) -> None:
    add_key(service, "bea")
    add_key(service, "bea", OTHER_KEY)
    game = start_game(service)
    types = [event["type"] for event in log(service, game)]
    assert types[2:] == ["SeatTaken", "GameStarted", "PlayerKeyAdded", "PlayerKeyAdded"]
    assert sorted(key_events(service, game), key=str) == sorted(
        [added("bea", {"seat": 1}), added("bea", {"seat": 1}, OTHER_KEY)], key=str
    )
    created = service.games.commands.create("bea", NewGame(rules="barony", seats=2, options={}))
    assert added("bea", {"player": "bea"}) in key_events(service, created)
    assert not is_broken(service, game)
    assert not is_broken(service, created)


def test_a_new_key_is_added_to_the_current_games_of_its_player_only(service: Service) -> None:
    playing, private = start_game(service), start_game(service, private=False)
    waiting = service.games.commands.create(
        "ada", NewGame(rules="baron", seats=2, options={"private": True})
    )
    elsewhere = service.games.commands.create("bea", NewGame(rules="baron", seats=2, options={}))
    ended = start_game(service)
    service.administration.abandon("operator", ended.id, "a test")
    entry = add_key(service, "ada")
    assert entry == service.accounts.keys.of("ada")[0]
    assert (entry["key"], entry["public"], entry["until"]) == (KEY.id, KEY.public, None)
    assert key_events(service, playing) == [added("ada", {"seat": 0})]
    assert key_events(service, private) == [added("ada", {"seat": 0})]
    assert key_events(service, waiting) == [added("ada", {"player": "ada"})]
    assert key_events(service, elsewhere) == key_events(service, ended) == []
    before = contents(service.redis)
    assert add_key(service, "ada") == entry
    assert contents(service.redis) == before


def test_a_player_who_joins_again_brings_only_the_keys_that_are_still_valid(
    service: Service,
) -> None:
    game = service.games.commands.create("cid", NewGame(rules="barony", seats=2, options={}))
    add_key(service, "ada")
    add_key(service, "ada", OTHER_KEY)
    service.games.commands.join(game.id, "ada")
    # The game has started, so another one is left and joined again.
    game = service.games.commands.create("cid", NewGame(rules="barony", seats=3, options={}))
    service.games.commands.join(game.id, "ada")
    service.games.commands.leave(game.id, "ada")
    service.games.key_registry.revoke("ada", OTHER_KEY.id)
    service.games.commands.join(game.id, "ada")
    assert current(service, game).keys["ada"] == {KEY.id: KEY.public}
    assert not is_broken(service, game)


def test_a_revoked_key_signs_nothing_and_cannot_be_registered_again(service: Service) -> None:
    game = start_game(service)
    add_key(service, "ada")
    service.games.key_registry.revoke("ada", KEY.id)
    assert key_events(service, game) == [added("ada", {"seat": 0}), revoked("ada", {"seat": 0})]
    assert service.accounts.keys.of("ada")[0]["until"] is not None
    seq, action = first_action(service, game)
    with raises(KeyNotUsable, match="is not a key of this player in this game"):
        service.games.commands.act(
            game.id, "ada", action, seq, signature=signed(current(service, game), action)
        )
    with raises(KeyNotUsable, match="was revoked"):
        add_key(service, "ada")
    before = contents(service.redis)
    service.games.key_registry.revoke("ada", KEY.id)
    assert contents(service.redis) == before
    with pytest.raises(NotFound):
        service.games.key_registry.revoke("bea", KEY.id)
    assert not is_broken(service, game)


def test_a_change_of_keys_that_was_interrupted_is_completed_by_repeating_it(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = start_game(service), start_game(service)

    def one_game_only(_listings: Listings, _player: str) -> Iterator[str]:
        yield first.id
        raise Unavailable(message("the store does not respond"))

    with monkeypatch.context() as patch:
        patch.setattr(Listings, "current_games", one_game_only)
        with pytest.raises(Unavailable):
            add_key(service, "ada")
    assert (len(key_events(service, first)), len(key_events(service, second))) == (1, 0)
    add_key(service, "ada")
    with monkeypatch.context() as patch:
        patch.setattr(Listings, "current_games", one_game_only)
        with pytest.raises(Unavailable):
            service.games.key_registry.revoke("ada", KEY.id)
    assert (len(key_events(service, first)), len(key_events(service, second))) == (2, 1)
    # The log of the second game still has the key, but the account has not.
    seq, action = first_action(service, second)
    signature = signed(current(service, second), action)
    with pytest.raises(KeyNotUsable):
        service.games.commands.act(second.id, "ada", action, seq, signature=signature)
    service.games.key_registry.revoke("ada", KEY.id)
    expected = [added("ada", {"seat": 0}), revoked("ada", {"seat": 0})]
    assert key_events(service, first) == key_events(service, second) == expected


def test_the_number_of_keys_is_bounded(service: Service) -> None:
    keys = [SigningKey.from_seed(bytes([number]) * 32) for number in range(9)]
    for key in keys[:8]:
        add_key(service, "ada", key)
    with raises(KeyNotUsable, match="at most 8 keys"):
        add_key(service, "ada", keys[8])
    service.games.key_registry.revoke("ada", keys[0].id)
    add_key(service, "ada", keys[8])
    service.accounts.keys._max_revoked = 1
    service.games.key_registry.revoke("ada", keys[1].id)
    with raises(KeyNotUsable, match="no more keys"):
        add_key(service, "ada", SigningKey.from_seed(b"x" * 32))


@pytest.mark.parametrize(
    ("public", "error"),
    [
        ("01" + "00" * 31, Malformed),
        ("ff" * 32, Malformed),
        (OTHER_KEY.public, InvalidPlayerSignature),
    ],
)
def test_a_key_is_registered_only_with_a_proof_by_a_valid_key(
    service: Service, public: str, error: type[Exception]
) -> None:
    proof = KEY.signature(canonical(key_payload("ada", public)))
    before = contents(service.redis)
    with pytest.raises(error):
        service.games.key_registry.add("ada", bytes.fromhex(public), bytes.fromhex(proof))
    other = KEY.signature(canonical(key_payload("bea", KEY.public)))
    with raises(InvalidPlayerSignature, match="the proof must be the signature of"):
        service.games.key_registry.add("ada", bytes.fromhex(KEY.public), bytes.fromhex(other))
    assert contents(service.redis) == before


class TestRefusedSignatures:
    @pytest.fixture
    def game(self, service: Service) -> Game:
        add_key(service, "ada")
        add_key(service, "bea", OTHER_KEY)
        service.keyring.publish_key()
        return start_game(service)

    def refusal(
        self,
        service: Service,
        error: type[Exception],
        game: Game,
        action: JsonObject,
        signature: PlayerSignature,
        *,
        player: str = "ada",
        seq: int | None = None,
    ) -> Any:
        """Act, check that the action is refused and has changed nothing, and return the refusal."""
        before = contents(service.redis)
        with pytest.raises(error) as raised:
            service.games.commands.act(
                game.id, player, action, game.seq if seq is None else seq, signature=signature
            )
        assert contents(service.redis) == before
        return raised.value

    def test_a_signature_must_cover_the_game_the_head_and_the_action(
        self, service: Service, game: Game
    ) -> None:
        _, action = first_action(service, game)
        other_action = {**action, "at": [99, 99]}
        for statement in (
            (game.id, game.hash, other_action),
            (game.id, "0" * 64, action),
            ("another", game.hash, action),
        ):
            signature = PlayerSignature(KEY.id, sign_action(KEY, *statement)["signature"])
            refusal = self.refusal(service, InvalidPlayerSignature, game, action, signature)
            assert game.hash in english(refusal.why)
            assert "cartulary action v1" in english(refusal.why)

    def test_the_key_must_be_one_of_the_player(self, service: Service, game: Game) -> None:
        _, action = first_action(service, game)
        signature = signed(game, action, OTHER_KEY)
        self.refusal(service, KeyNotUsable, game, action, signature)
        unknown = SigningKey.from_seed(b"u" * 32)
        self.refusal(service, KeyNotUsable, game, action, signed(game, action, unknown))

    def test_other_faults_come_first(self, service: Service, game: Game) -> None:
        _, action = first_action(service, game)
        wrong = PlayerSignature(KEY.id, "0" * 128)
        self.refusal(service, Forbidden, game, action, wrong, player="cid")
        self.refusal(service, Malformed, game, {"type": "dance"}, wrong)
        self.refusal(service, Stale, game, action, wrong, seq=game.seq + 1)
        self.refusal(service, Refused, game, {"type": "pass"}, wrong)
        waiting = service.games.commands.create("ada", NewGame(rules="barony", seats=2, options={}))
        self.refusal(service, NotNow, waiting, action, wrong)

    def test_a_signature_cannot_be_used_for_a_later_moment(self, service: Service) -> None:
        add_key(service, "ada")
        game = start_game(service, end_by_agreement=True)
        game = play_until(service, game.id, lambda game: game.round == 1 and game.to_act == 0)
        agree = {"type": "agree_to_end", "agree": True}
        signature = signed(game, agree)
        service.games.commands.act(game.id, "ada", agree, game.seq, signature=signature)
        withdraw = {"type": "agree_to_end", "agree": False}
        service.games.commands.act(game.id, "ada", withdraw, game.seq + 1)
        # The position is the same again, so an action without a signature is accepted.
        assert current(service, game).state_hash == game.state_hash
        self.refusal(service, Stale, game, agree, signature)
        service.games.commands.act(game.id, "ada", agree, game.seq)

    def test_a_signature_is_part_of_an_idempotent_request(
        self, service: Service, game: Game
    ) -> None:
        seq, action = first_action(service, game)
        signature = signed(game, action)
        accepted = service.games.commands.act(game.id, "ada", action, seq, "k", signature)
        assert service.games.commands.act(game.id, "ada", action, seq, "k", signature) == accepted
        with pytest.raises(IdempotencyConflict):
            service.games.commands.act(game.id, "ada", action, seq, "k")


def test_an_action_may_be_signed_for_a_moment_before_a_statement_of_the_same_player(
    service: Service,
) -> None:
    """A statement does not change the position, and an action cannot be repeated on the same one."""
    add_key(service, "ada")
    game = start_game(service, clock={"per_turn": 86400})
    seq, action = first_action(service, game)
    signature = signed(game, action)
    service.games.statements.state(game.id, "ada", AgreeToPause(agree=True))
    service.games.commands.act(game.id, "ada", action, seq, signature=signature)
    assert not is_broken(service, game)
