"""Games of clubs: who sees them, who joins them, and on which lists they are."""

from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest

from domain.errors import Malformed
from domain.game import Game
from domain.lifecycle import NewGame
from replay.audit import audit
from service.bootstrap import Service
from service.clubs.clubs import Clubs
from service.errors import Forbidden, NotFound
from service.games.listings import GamesOfClub
from service.recovery.reindex import reindex
from tests.support.service_games import start_game

PASSWORD = "correct horse"
MEMBERS = ("ada", "ben", "cyd")


@pytest.fixture
def ids(service: Service) -> dict[str, str]:
    """The ids of three players who are members of the clubs of these tests, and of one who is not."""
    register = service.accounts.players.register
    return {handle: register(handle, PASSWORD)[0].id for handle in (*MEMBERS, "eve")}


def new_club(clubs: Clubs, ids: dict[str, str], *, is_private: bool) -> str:
    club = clubs.create(ids["ada"], "Wednesday", is_private=is_private).id
    for handle in MEMBERS[1:]:
        clubs.invite(club, ids["ada"], ids[handle])
        clubs.join(club, ids[handle])
    return club


@pytest.fixture
def private(service: Service, ids: dict[str, str]) -> str:
    return new_club(service.clubs, ids, is_private=True)


@pytest.fixture
def public(service: Service, ids: dict[str, str]) -> str:
    return new_club(service.clubs, ids, is_private=False)


def create(
    service: Service, player: str, club: str, *, is_private: bool, seats: int = 2, **options: Any
) -> Game:
    chosen = {"private": is_private, "seating": "joined", "club": club, **options}
    return service.games.commands.create(
        player, NewGame(rules="baron", seats=seats, options=chosen)
    )


def test_members_see_and_join_a_private_game_of_their_club(
    service: Service, ids: dict[str, str], private: str
) -> None:
    game = create(service, ids["ada"], private, is_private=True, seats=3)
    assert game.options["club"] == private
    visible = service.games.queries.visible_game
    assert visible(game.id, ids["ben"]).id == game.id
    for viewer in (None, ids["eve"]):
        with pytest.raises(NotFound):
            visible(game.id, viewer)
    with pytest.raises(NotFound):
        service.games.commands.join(game.id, ids["eve"])
    assert service.games.commands.join(game.id, ids["ben"]).has_joined(ids["ben"])
    # A member who does not play is refused by name, and not as an outsider.
    with pytest.raises(Forbidden):
        service.games.queries.legal_actions(game.id, ids["cyd"])
    with pytest.raises(Forbidden):
        service.chat.page(game.id, ids["cyd"])


def test_the_record_of_a_private_game_that_members_joined_breaks_no_rule(
    service: Service, ids: dict[str, str], private: str
) -> None:
    game = create(service, ids["ada"], private, is_private=True).id
    assert service.games.commands.join(game, ids["ben"]).status == "playing"
    service.administration.abandon("operator", game, "a test")
    report = audit(BytesIO(b"".join(service.games.queries.record(game))))
    # Whose keys signed it is unknown here.
    assert report.verdict != "broken"
    assert not report.findings


def test_only_members_join_a_public_game_of_a_club(
    service: Service, ids: dict[str, str], public: str
) -> None:
    game = create(service, ids["ada"], public, is_private=False)
    assert service.games.queries.visible_game(game.id, None).id == game.id
    token = service.games.invitations.create(game.id, ids["ada"])
    for invitation in (None, token):
        with pytest.raises(Forbidden, match="members of its club"):
            service.games.commands.join(game.id, ids["eve"], invitation=invitation)
    with pytest.raises(Forbidden, match="not a member"):
        service.games.invitation_commands.invite(game.id, ids["ada"], ids["eve"])
    service.games.invitation_commands.invite(game.id, ids["ada"], ids["ben"])
    service.clubs.leave(public, ids["ben"])
    with pytest.raises(Forbidden, match="members of its club"):
        service.games.commands.join(game.id, ids["ben"])
    assert service.games.commands.join(game.id, ids["cyd"]).status == "playing"


def test_a_creator_who_has_left_the_club_does_not_learn_who_is_in_it(
    service: Service, ids: dict[str, str], private: str
) -> None:
    game = create(service, ids["ben"], private, is_private=True)
    service.clubs.leave(private, ids["ben"])
    refusals = set()
    for handle in ("cyd", "eve"):
        with pytest.raises(Forbidden) as refused:
            service.games.invitation_commands.invite(game.id, ids["ben"], ids[handle])
        refusals.add(str(refused.value))
    assert len(refusals) == 1


@pytest.mark.parametrize(
    "case",
    [
        ("ada", lambda club: {"club": club}, "options.private"),
        ("eve", lambda club: {"club": club, "private": True}, "options.club"),
        ("ada", lambda _: {"club": "0" * 16, "private": True}, "options.club"),
        ("eve", lambda _: {"club": "0" * 16, "private": True}, "options.club"),
    ],
    ids=["not-private", "outsider", "no-club", "outsider-no-club"],
)
def test_a_game_is_created_for_a_club_by_its_members(
    service: Service,
    ids: dict[str, str],
    private: str,
    case: tuple[str, Callable[[str], dict[str, Any]], str],
) -> None:
    handle, options, field = case
    with pytest.raises(Malformed) as refused:
        service.games.commands.create(
            ids[handle], NewGame(rules="baron", seats=2, options=options(private))
        )
    assert list(refused.value.fields) == [field]


def test_a_removed_member_plays_on_and_sees_no_other_game(
    service: Service, ids: dict[str, str], private: str
) -> None:
    own = create(service, ids["ada"], private, is_private=True)
    service.games.commands.join(own.id, ids["ben"])
    other = create(service, ids["cyd"], private, is_private=True)
    service.clubs.remove(private, ids["ada"], ids["ben"])
    seq, actions = service.games.queries.legal_actions(own.id, ids["ada"])
    service.games.commands.act(own.id, ids["ada"], actions[0], seq)
    assert service.games.queries.visible_game(own.id, ids["ben"]).status == "playing"
    with pytest.raises(NotFound):
        service.games.queries.visible_game(other.id, ids["ben"])
    service.clubs.close(private, ids["ada"])
    assert service.games.queries.visible_game(own.id, ids["ben"]).status == "playing"
    with pytest.raises(NotFound):
        service.games.queries.visible_game(own.id, ids["cyd"])


def test_a_substitute_in_the_game_of_a_club_is_a_member(
    service: Service, ids: dict[str, str], public: str
) -> None:
    game = create(service, ids["ada"], public, is_private=False, substitutes=True, seats=3)
    for handle in ("ben", "cyd"):
        service.games.commands.join(game.id, ids[handle])
    service.games.commands.leave_seat(game.id, ids["cyd"])
    with pytest.raises(Forbidden, match="members of its club"):
        service.games.commands.take_seat(game.id, ids["eve"], 2)


def test_games_are_listed_by_club_the_private_ones_for_members(
    service: Service, ids: dict[str, str], public: str
) -> None:
    shown = create(service, ids["ada"], public, is_private=False, seats=3).id
    hidden = create(service, ids["ben"], public, is_private=True).id
    start_game(service, rules="baron", seats=2)

    def listed(*, for_member: bool, **arguments: Any) -> list[str]:
        games = GamesOfClub(public, for_member)
        return sorted(service.games.listings.page(club=games, **arguments).games)

    for _ in range(2):
        assert listed(for_member=False) == [shown]
        assert listed(for_member=True) == sorted([shown, hidden])
        assert listed(for_member=True, player=ids["ben"]) == [hidden]
        assert listed(for_member=False, player=ids["ben"]) == []
        assert listed(for_member=True, statuses=["playing"]) == []
        # The other lists of a member do not contain what only the membership shows.
        assert hidden not in service.games.listings.page(viewer=ids["cyd"]).games
        reindex(service)


def test_a_rematch_is_for_those_who_are_still_members(
    service: Service, ids: dict[str, str], public: str
) -> None:
    game = create(service, ids["ada"], public, is_private=False, seats=3)
    for handle in ("ben", "cyd"):
        service.games.commands.join(game.id, ids[handle])
    service.administration.abandon("operator", game.id, "a test")
    service.clubs.leave(public, ids["ben"])
    ended = service.games.queries.game(game.id)
    with pytest.raises(Forbidden, match="members of its club"):
        service.games.rematches.request(ended, ids["ben"])
    rematch = service.games.rematches.request(ended, ids["ada"])
    assert (rematch.options["club"], rematch.invited) == (public, (ids["cyd"],))
