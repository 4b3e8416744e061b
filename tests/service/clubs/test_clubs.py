"""Clubs: who may do what in them, their bounds and names, and what becomes of them when a player leaves."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from freezegun import freeze_time

from domain.errors import Malformed, NotNow
from service import wall_clock
from service.bootstrap import Service, build
from service.clubs.clubs import Clubs
from service.clubs.links import LINK_DAYS
from service.clubs.names import MAX_NAME_LENGTH
from service.errors import ClubNameTaken, Forbidden, NotFound, TooManyClubs
from service.recovery.reindex import reindex
from service.settings import Settings
from tests.support.redis_contents import contents

PASSWORD = "correct horse"


@pytest.fixture
def small(service: Service, settings: Settings) -> Service:
    """A service with small bounds, on the same Redis."""
    bounds = replace(
        settings.bounds, max_clubs_per_player=2, max_members_per_club=2, max_candidates_per_club=1
    )
    return build(replace(settings, bounds=bounds))


def register(service: Service, handle: str) -> str:
    return service.accounts.players.register(handle, PASSWORD)[0].id


@pytest.fixture
def ada(service: Service) -> str:
    return register(service, "ada")


@pytest.fixture
def ben(service: Service) -> str:
    return register(service, "ben")


@pytest.fixture
def cyd(service: Service) -> str:
    return register(service, "cyd")


@pytest.fixture
def clubs(service: Service) -> Clubs:
    return service.clubs


def relation(clubs: Clubs, club: str, player: str) -> str | None:
    return clubs.visible(club, player).relation(player)


class TestBecomingAMember:
    def test_a_player_asks_to_join_a_public_club_and_its_owner_admits_them(
        self, clubs: Clubs, ada: str, ben: str
    ) -> None:
        club = clubs.create(ada, "The Wednesday Club").id
        assert clubs.join(club, ben) == "requesting"
        assert not clubs.is_member(club, ben)
        clubs.admit(club, ada, ben)
        clubs.admit(club, ada, ben)
        assert clubs.is_member(club, ben)
        assert clubs.find(club).members == 2
        assert clubs.join(club, ben) == "member"

    def test_an_invited_player_becomes_a_member_by_joining(
        self, clubs: Clubs, ada: str, ben: str
    ) -> None:
        club = clubs.create(ada, "Wednesday", is_private=True).id
        assert clubs.invite(club, ada, ben)
        assert not clubs.invite(club, ada, ben)
        assert [(each.club.id, each.relation) for each in clubs.of(ben)] == [(club, "invited")]
        assert clubs.join(club, ben) == "member"
        with pytest.raises(NotNow, match="member of the club already"):
            clubs.invite(club, ada, ben)

    def test_inviting_somebody_who_asks_to_join_admits_them(
        self, clubs: Clubs, ada: str, ben: str
    ) -> None:
        club = clubs.create(ada, "Wednesday").id
        clubs.join(club, ben)
        assert not clubs.invite(club, ada, ben)
        assert clubs.is_member(club, ben)

    def test_inviting_a_member_changes_nothing(
        self, service: Service, clubs: Clubs, ada: str, ben: str
    ) -> None:
        club = clubs.create(ada, "Wednesday").id
        clubs.join(club, ben)
        clubs.admit(club, ada, ben)
        before = contents(service.redis)
        for player in (ben, ada):
            with pytest.raises(NotNow, match="member of the club already"):
                clubs.invite(club, ada, player)
        assert contents(service.redis) == before
        service.accounts.erasure.erase(ben, PASSWORD)
        assert set(clubs.visible(club, None).people) == {ada}

    def test_a_concurrent_reader_does_not_remove_a_new_member(
        self, service: Service, clubs: Clubs, ada: str, ben: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        club = clubs.create(ada, "Wednesday").id
        transaction = service.redis.transaction

        def transaction_after_reading(*args: Any, **options: Any) -> Any:
            # Another process reads the clubs of the player between the two writes.
            assert build(service.settings).clubs.of(ben) == []
            return transaction(*args, **options)

        monkeypatch.setattr(service.redis, "transaction", transaction_after_reading)
        clubs.join(club, ben)
        assert [each.relation for each in clubs.of(ben)] == ["requesting"]

    def test_the_link_of_a_private_club_lets_players_join_until_it_is_replaced_or_expires(
        self, clubs: Clubs, ada: str, ben: str, cyd: str
    ) -> None:
        club = clubs.create(ada, "Wednesday", is_private=True).id
        first = clubs.create_link(club, ada)
        token = clubs.create_link(club, ada)
        for invalid in (first, token + "x", club + "-", club, "", "\ud800", f"{club}-é"):
            with pytest.raises(NotFound, match="no longer, valid"):
                clubs.by_link(invalid)
            with pytest.raises(NotFound):
                clubs.join(club, ben, invalid)
        assert clubs.by_link(token).name == "Wednesday"
        assert clubs.join(club, ben, token) == "member"
        with (
            freeze_time(wall_clock.now() + timedelta(days=LINK_DAYS, seconds=1)),
            pytest.raises(NotFound),
        ):
            clubs.join(club, cyd, token)
        clubs.revoke_link(club, ada)
        with pytest.raises(NotFound):
            clubs.join(club, cyd, token)

    def test_guests_cannot_be_members(self, service: Service, clubs: Clubs, ada: str) -> None:
        guest = service.accounts.players.create_guest()[0].id
        club = clubs.create(ada, "Wednesday").id
        for attempt in (
            lambda: clubs.create(guest, "Guests of honour"),
            lambda: clubs.join(club, guest),
            lambda: clubs.invite(club, ada, guest),
        ):
            with pytest.raises(NotNow, match="guests"):
                attempt()

    def test_an_invitation_by_a_muted_player_is_not_shown(
        self, service: Service, clubs: Clubs, ada: str, ben: str
    ) -> None:
        service.accounts.mutes.add(ben, ada)
        club = clubs.create(ada, "Wednesday").id
        assert not clubs.invite(club, ada, ben)
        assert clubs.of(ben) == []


class TestLeaving:
    def test_a_member_leaves_and_the_owner_cannot(self, clubs: Clubs, ada: str, ben: str) -> None:
        club = clubs.create(ada, "Wednesday").id
        clubs.join(club, ben)
        clubs.admit(club, ada, ben)
        clubs.leave(club, ben)
        clubs.leave(club, ben)
        assert clubs.of(ben) == []
        with pytest.raises(NotNow, match="hands a club on"):
            clubs.leave(club, ada)

    def test_an_invitation_is_declined_and_a_request_withdrawn_like_that(
        self, clubs: Clubs, ada: str, ben: str, cyd: str
    ) -> None:
        club = clubs.create(ada, "Wednesday").id
        clubs.invite(club, ada, ben)
        clubs.join(club, cyd)
        clubs.leave(club, ben)
        clubs.leave(club, cyd)
        assert set(clubs.visible(club, None).people) == {ada}

    def test_the_link_does_not_bring_a_removed_member_back(
        self, clubs: Clubs, ada: str, ben: str
    ) -> None:
        club = clubs.create(ada, "Wednesday", is_private=True).id
        token = clubs.create_link(club, ada)
        clubs.join(club, ben, token)
        clubs.remove(club, ada, ben)
        with pytest.raises(NotFound):
            clubs.join(club, ben, token)
        with pytest.raises(NotFound):
            clubs.remove(club, ada, ben)
        with pytest.raises(NotNow):
            clubs.remove(club, ada, ada)

    def test_the_ownership_is_handed_on_to_a_member(self, clubs: Clubs, ada: str, ben: str) -> None:
        club = clubs.create(ada, "Wednesday").id
        clubs.join(club, ben)
        with pytest.raises(NotNow):
            clubs.hand_on(club, ada, ben)
        clubs.admit(club, ada, ben)
        clubs.hand_on(club, ada, ben)
        assert clubs.find(club).owner == ben
        with pytest.raises(Forbidden):
            clubs.edit(club, ada, about="mine")
        clubs.leave(club, ada)
        assert set(clubs.visible(club, None).people) == {ben}


class TestPrivacy:
    def test_a_private_club_does_not_exist_for_outsiders(
        self, clubs: Clubs, ada: str, ben: str, cyd: str
    ) -> None:
        club = clubs.create(ada, "Wednesday", is_private=True).id
        clubs.invite(club, ada, cyd)
        missing = "0" * 16
        for viewer in (None, ben):
            refusals = []
            for id in (club, missing):
                with pytest.raises(NotFound) as refused:
                    clubs.visible(id, viewer)
                refusals.append(str(refused.value).replace(id, "ID"))
            assert len(set(refusals)) == 1
        for attempt in (
            lambda: clubs.join(club, ben),
            lambda: clubs.leave(club, ben),
            lambda: clubs.edit(club, ben, about="x"),
            lambda: clubs.close(club, ben),
            lambda: clubs.invite(club, ben, cyd),
            lambda: clubs.admit(club, ben, cyd),
            lambda: clubs.remove(club, ben, cyd),
            lambda: clubs.hand_on(club, ben, cyd),
            lambda: clubs.create_link(club, ben),
            lambda: clubs.revoke_link(club, ben),
        ):
            with pytest.raises(NotFound):
                attempt()
        assert clubs.of(ben) == []
        assert clubs.visible(club, cyd).club.name == "Wednesday"
        assert clubs.public_page() == ([], None)

    def test_a_profile_shows_a_private_club_to_its_members_alone(
        self, clubs: Clubs, ada: str, ben: str, cyd: str
    ) -> None:
        club = clubs.create(ada, "Wednesday", is_private=True).id
        public = clubs.create(ada, "Thursday").id
        clubs.invite(club, ada, ben)
        clubs.join(club, ben)
        shown = {
            viewer: [each.id for each in clubs.shown_on_profile(ada, viewer)]
            for viewer in (None, cyd, ben, ada)
        }
        both = [public, club]
        assert shown == {None: [public], cyd: [public], ben: both, ada: both}

    def test_the_name_of_a_private_club_is_not_taken(
        self, clubs: Clubs, ada: str, ben: str
    ) -> None:
        clubs.create(ada, "Wednesday", is_private=True)
        assert clubs.create(ben, "Wednesday").name == "Wednesday"


class TestNames:
    @pytest.mark.parametrize(
        "name",
        [
            "",
            " ",
            "x" * (MAX_NAME_LENGTH + 1),
            "a\u202eb",
            "C\u0430fe",
            "Admin",
            "the-",
            "\x00",
            "x" * 9999,
        ],
    )
    def test_a_name_that_a_handle_may_not_have_is_refused(
        self, clubs: Clubs, ada: str, name: str
    ) -> None:
        with pytest.raises(Malformed) as refused:
            clubs.create(ada, name)
        assert list(refused.value.fields) == ["name"]

    def test_spaces_and_forms_of_letters_are_normalized(self, clubs: Clubs, ada: str) -> None:
        assert clubs.create(ada, "  The\u00a0 ﬁne  Club ").name == "The fine Club"

    @pytest.mark.parametrize(
        "name", ["Wednesday 1", "WEDNESDAY 1", "wednesday l", "Wednesday_1", "Wednesday I"]
    )
    def test_public_clubs_have_names_that_do_not_look_alike(
        self, clubs: Clubs, ada: str, ben: str, name: str
    ) -> None:
        clubs.create(ada, "Wednesday 1")
        with pytest.raises(ClubNameTaken):
            clubs.create(ben, name)
        with pytest.raises(ClubNameTaken):
            clubs.edit(clubs.create(ben, "Thursday").id, ben, name)

    def test_a_name_is_free_after_renaming_and_closing(
        self, clubs: Clubs, ada: str, ben: str
    ) -> None:
        club = clubs.create(ada, "Wednesday").id
        clubs.edit(club, ada, "Thursday", "We play on Thursdays now.")
        assert [each.name for each in clubs.public_page()[0]] == ["Thursday"]
        other = clubs.create(ben, "Wednesday").id
        clubs.close(other, ben)
        clubs.rename(club, "Wednesday", lambda _: None)
        assert [each.name for each in clubs.public_page()[0]] == ["Wednesday"]
        assert clubs.of(ben) == []

    def test_clubs_are_listed_by_name_in_pages(self, clubs: Clubs, ada: str) -> None:
        names = ["Alpha", "beta", "Gamma", "delta", "Epsilon"]
        for name in names:
            clubs.create(ada, name)
        listed: list[str] = []
        cursor = None
        while True:
            page, cursor = clubs.public_page(cursor, 2)
            assert len(page) <= 2
            listed += [club.name for club in page]
            if cursor is None:
                break
        assert listed == ["Alpha", "beta", "delta", "Epsilon", "Gamma"]
        with pytest.raises(Malformed):
            clubs.public_page("x")

    def test_a_name_that_was_never_released_is_free(
        self, service: Service, clubs: Clubs, ada: str, ben: str
    ) -> None:
        club = clubs.create(ada, "Wednesday").id
        (key,) = service.redis.keys("cartulary:club-name:*")
        clubs.close(club, ada)
        # As if the process had died before it released the name.
        service.redis.set(key, club)
        assert clubs.create(ben, "Wednesday").owner == ben
        with pytest.raises(ClubNameTaken):
            clubs.create(ada, "Wednesday")

    def test_a_name_that_is_being_taken_is_not_free(
        self, service: Service, clubs: Clubs, ada: str
    ) -> None:
        club = clubs.create(ada, "Wednesday").id
        (key,) = service.redis.keys("cartulary:club-name:*")
        clubs.close(club, ada)
        service.redis.set(key, "0" * 16, ex=60)
        with pytest.raises(ClubNameTaken):
            clubs.create(ada, "Wednesday")

    def test_an_edit_of_the_description_keeps_the_name_of_an_administrator(
        self, service: Service, clubs: Clubs, ada: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        club = clubs.create(ada, "Wednesday").id
        transaction = service.redis.transaction
        recorded: list[str] = []

        def transaction_after_renaming(*args: Any, **options: Any) -> Any:
            monkeypatch.undo()
            clubs.rename(club, "Thursday", recorded.append)
            return transaction(*args, **options)

        monkeypatch.setattr(service.redis, "transaction", transaction_after_renaming)
        assert clubs.edit(club, ada, "Wednesday", "We play.").name == "Thursday"
        assert clubs.find(club).about == "We play."


class TestBounds:
    def test_members_candidates_and_clubs_are_bounded(
        self, service: Service, small: Service, ada: str, ben: str, cyd: str
    ) -> None:
        clubs, dan = small.clubs, register(service, "dan")
        club = clubs.create(ada, "One").id
        clubs.create(ada, "Two")
        with pytest.raises(TooManyClubs):
            clubs.create(ada, "Three")
        clubs.join(club, ben)
        with pytest.raises(NotNow, match="too many players"):
            clubs.join(club, cyd)
        clubs.admit(club, ada, ben)
        clubs.invite(club, ada, cyd)
        with pytest.raises(NotNow, match="too many players"):
            clubs.invite(club, ada, dan)
        with pytest.raises(NotNow, match="full"):
            clubs.join(club, cyd)
        with pytest.raises(Malformed):
            clubs.edit(club, ada, about="x" * 1001)

    def test_nobody_is_flooded_with_invitations(
        self, small: Service, ada: str, ben: str, cyd: str
    ) -> None:
        clubs = small.clubs
        for number, owner in enumerate((ada, ada, ben)):
            club = clubs.create(owner, f"Club {number}").id
            if number < 2:
                clubs.invite(club, owner, cyd)
            else:
                with pytest.raises(NotNow, match="too many invitations"):
                    clubs.invite(club, owner, cyd)
        assert clubs.create(cyd, "Mine").owner == cyd

    def test_invitations_that_are_not_shown_keep_nobody_else_from_inviting(
        self, service: Service, small: Service, ada: str, ben: str, cyd: str
    ) -> None:
        clubs = small.clubs
        service.accounts.mutes.add(cyd, ada)
        for number in range(2):
            clubs.invite(clubs.create(ada, f"Club {number}").id, ada, cyd)
        club = clubs.create(ben, "Wednesday").id
        assert clubs.invite(club, ben, cyd)
        assert [each.club.id for each in clubs.of(cyd)] == [club]


class TestErasure:
    def test_the_club_of_an_erased_owner_passes_to_its_oldest_member(
        self, service: Service, clubs: Clubs, ada: str, ben: str, cyd: str
    ) -> None:
        club = clubs.create(ada, "Wednesday").id
        for player in (cyd, ben):
            clubs.join(club, player)
            clubs.admit(club, ada, player)
        alone, foreign = clubs.create(ada, "Alone").id, clubs.create(ben, "Foreign").id
        clubs.join(foreign, ada)
        service.accounts.erasure.erase(ada, PASSWORD)
        assert clubs.find(club).owner == cyd
        assert set(clubs.visible(club, None).people) == {ben, cyd}
        assert clubs.find(club).members == 2
        assert set(clubs.visible(foreign, None).people) == {ben}
        with pytest.raises(NotFound):
            clubs.find(alone)
        kept = {key: value for key, value in contents(service.redis).items() if "club" in str(key)}
        assert ada not in str(kept)
        assert "Alone" not in str(kept)
        assert clubs.create(ben, "Alone").name == "Alone"


def test_the_lists_of_clubs_are_rebuilt(service: Service, clubs: Clubs, ada: str, ben: str) -> None:
    club = clubs.create(ada, "Wednesday").id
    private = clubs.create(ada, "Thursday", is_private=True).id
    clubs.join(club, ben)
    for key in service.redis.scan_iter("cartulary:*clubs*"):
        service.redis.delete(key)
    for key in service.redis.scan_iter("cartulary:club-name:*"):
        service.redis.delete(key)
    assert clubs.public_page() == ([], None)
    reindex(service)
    assert [each.id for each in clubs.public_page()[0]] == [club]
    assert {each.club.id for each in clubs.of(ada)} == {club, private}
    assert [each.relation for each in clubs.of(ben)] == ["requesting"]
    with pytest.raises(ClubNameTaken):
        clubs.create(ben, "wednesday")
