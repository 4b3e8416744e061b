"""Invitations in the log of a game, and the options that name a game: decided, folded and audited."""

from io import BytesIO

import pytest

from domain import invitations
from domain.errors import Malformed, NotNow
from domain.invitations import MAX_INVITATIONS
from domain.lifecycle import NewGame, check_options
from domain.messages import Message
from domain.options import MAX_NAME_CHARACTERS
from ledger import commands, record
from ledger.pending import PendingEvents
from replay.audit import audit
from replay.audit.findings import Report
from replay.language.renderer import english
from tests.support.events import event_of
from tests.support.local_game import LocalGame
from tests.support.records import KEY, SINCE

SECRET = bytes(32)


def open_game(**settings: object) -> PendingEvents:
    """Return the pending events of a game of three that ada has created, with zoe as its arbiter."""
    pending = PendingEvents("g", None, timestamp="2026-11-20T09:00:00.000Z")
    commands.create(
        pending,
        "ada",
        NewGame(
            rules="baron",
            seats=3,
            options={"private": True, **settings},
            invited=["bea"],
            arbiter="zoe",
        ),
        secret=SECRET,
        nonce=b"",
    )
    return pending


def test_an_invited_player_is_awaited_until_joining_declining_or_the_revocation() -> None:
    pending = open_game()
    assert list(pending.game.awaited) == ["bea"]
    for player in ("cid", "dan", "eve"):
        commands.invite(pending, player)
    commands.decline(pending, "bea")
    commands.revoke(pending, "cid")
    commands.join(pending, "dan", b"", lambda: SECRET)
    game = pending.game
    assert (game.invited, game.awaited, game.declined) == (("dan", "eve"), ("eve",), ("bea",))
    assert [event["by"] for event in pending.events[-5:]] == [
        {"player": "ada"},
        {"player": "ada"},
        {"player": "bea"},
        {"player": "ada"},
        {"player": "dan"},
    ]
    commands.join(pending, "eve", b"", lambda: SECRET)
    assert pending.game.status == "playing"
    assert not pending.game.awaited


def test_a_player_who_declined_or_is_not_invited_any_more_cannot_join_a_private_game() -> None:
    pending = open_game()
    commands.invite(pending, "cid")
    commands.decline(pending, "bea")
    commands.revoke(pending, "cid")
    for player in ("bea", "cid"):
        with pytest.raises(NotNow):
            commands.join(pending, player, b"", lambda: SECRET)
    # One may be invited again after a revocation, but not after declining.
    commands.invite(pending, "cid")
    with pytest.raises(NotNow):
        commands.invite(pending, "bea")


@pytest.mark.parametrize("player", ["ada", "bea", "zoe"])
def test_players_the_invited_and_the_arbiter_are_not_invited(player: str) -> None:
    with pytest.raises(NotNow):
        invitations.invite(open_game().game, player)


def test_nobody_is_invited_by_a_creator_who_has_left_or_after_the_start() -> None:
    pending = open_game()
    commands.join(pending, "bea", b"", lambda: SECRET)
    commands.leave(pending, "ada", lambda: SECRET)
    with pytest.raises(NotNow):
        invitations.invite(pending.game, "cid")
    started = LocalGame(2).game
    for decide in (invitations.invite, invitations.decline, invitations.revoke):
        with pytest.raises(NotNow):
            decide(started, "cid")


def test_a_place_in_the_game_is_not_declined_or_revoked() -> None:
    pending = open_game()
    commands.join(pending, "bea", b"", lambda: SECRET)
    for decide in (invitations.decline, invitations.revoke):
        with pytest.raises(NotNow):
            decide(pending.game, "bea")
        with pytest.raises(NotNow):
            decide(pending.game, "stranger")


def test_the_invitations_to_one_game_are_bounded() -> None:
    game = open_game().game
    game.invitations = MAX_INVITATIONS
    with pytest.raises(NotNow):
        invitations.invite(game, "cid")


def report_of(pending: PendingEvents) -> Report:
    """Return the report of an audit of the game."""
    header = record.header(pending.game, [KEY.public_entry(SINCE)], KEY.sign_head)
    lines = record.write(header, pending.lines, pending.openings)
    return audit(BytesIO(b"".join(lines)))


def test_the_audit_accepts_invitations_and_finds_those_that_the_rules_do_not_allow() -> None:
    pending = open_game(name="Friday")
    commands.invite(pending, "cid")
    commands.decline(pending, "cid")
    commands.revoke(pending, "bea")
    assert report_of(pending).verdict != "broken"
    pending.add(event_of("PlayerInvited", {"player": "cid"}), {"player": "ada"})
    pending.add(event_of("InvitationRevoked", {"player": "cid"}), {"player": "eve"})
    problems = [english(finding.problem) for finding in report_of(pending).findings]
    assert any("this player has declined" in problem for problem in problems)
    assert any("cannot bring about InvitationRevoked" in problem for problem in problems)


def test_the_events_are_described_in_words() -> None:
    rules = LocalGame(2).game.rules
    texts = [
        english(rules.event_message(type, event_of(type, {"player": "bea"}).data))
        for type in ("PlayerInvited", "InvitationDeclined", "InvitationRevoked")
    ]
    assert texts == ["invites bea", "declines the invitation", "revokes the invitation of bea"]


class TestNames:
    @pytest.mark.parametrize("name", ["x", "Ada & Bea: «la revanche» 🎲", "日本", "n" * 60])
    def test_a_name_is_an_option_of_every_game(self, name: str) -> None:
        for rules in ("barony", "baron"):
            assert check_options(rules, 2, {"name": name})["name"] == name
            assert "name" not in check_options(rules, 2, {"name": None})

    @pytest.mark.parametrize(
        "name",
        [
            "",
            " ",
            " x",
            "x ",
            "two\nlines",
            "tab\t",
            "n" * (MAX_NAME_CHARACTERS + 1),
            7,
            ["x"],
            "\u202egnirts",
            "in\u200bvisible",
            "\u2066x",
            "\ue000",
            "e" + "\u0301" * 9,
            "\ufeffx",
        ],
    )
    def test_a_name_is_one_short_line(self, name: object) -> None:
        with pytest.raises(Malformed) as refused:
            check_options("baron", 2, {"name": name})
        assert set(refused.value.fields) == {"options.name"}
        assert all(isinstance(fault, Message) for fault in refused.value.fields.values())

    @pytest.mark.parametrize(
        "name",
        ["\u202egnirts", "in\u200bvisible", "\u2066x", "\ue000", "e" + "\u0301" * 9, "\ufeffx"],
    )
    def test_a_name_looks_like_what_it_is(self, name: str) -> None:
        with pytest.raises(Malformed):
            check_options("baron", 2, {"name": name})

    @pytest.mark.parametrize("game", [7, "", "a b", "../x", "x" * 101])
    def test_a_rematch_names_the_id_of_a_game(self, game: object) -> None:
        with pytest.raises(Malformed):
            check_options("baron", 2, {"rematch_of": game})
        assert check_options("baron", 2, {"rematch_of": "g-1"})["rematch_of"] == "g-1"

    @pytest.mark.parametrize("club", [7, "", "c-1", "0" * 15, "0" * 17, "A" * 16, True])
    def test_a_club_is_named_by_its_id(self, club: object) -> None:
        with pytest.raises(Malformed) as refused:
            check_options("baron", 2, {"club": club})
        assert set(refused.value.fields) == {"options.club"}
        assert check_options("baron", 2, {"club": "0" * 16})["club"] == "0" * 16
        assert "club" not in check_options("baron", 2, {"club": None})
