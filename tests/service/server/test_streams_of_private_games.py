"""Event streams of private games end when their viewer may not see the game any more."""

import asyncio

import redis

from tests.support.accounts import Accounts, PlayerClient
from tests.support.administrators import ADMIN, WHY, register_administrator
from tests.support.streams import StreamClient, open_stream


def test_the_stream_of_a_private_game_ends_when_the_invitation_is_revoked(
    accounts: Accounts,
) -> None:
    ada, bea, cid = (accounts.register() for _ in range(3))
    game = ada.create_game(4, options={"private": True}, invite=[bea.handle, cid.handle])
    invitations = f"/api/v1/games/{game}/invitations"

    async def follow(player: PlayerClient) -> StreamClient:
        headers = {"Authorization": f"Bearer {player.token}"}
        return await open_stream(accounts.url, f"/api/v1/games/{game}/stream?after=2", headers)

    async def follow_all() -> None:
        of_ada, of_bea, of_cid = await follow(ada), await follow(bea), await follow(cid)
        await asyncio.to_thread(ada.http.delete, f"{invitations}/players/{bea.handle}")
        assert await of_bea.next() is None
        revoked = await of_cid.next_event()
        assert revoked.data["type"] == "InvitationRevoked"
        await asyncio.to_thread(cid.http.delete, f"{invitations}/me")
        assert await of_cid.next() is None
        types = [(await of_ada.next_event()).data["type"] for _ in range(2)]
        assert types == ["InvitationRevoked", "InvitationDeclined"]
        await of_ada.close()

    asyncio.run(follow_all())


def test_the_stream_of_a_private_game_ends_for_a_player_whose_seat_is_moved(
    accounts: Accounts, redis_client: redis.Redis
) -> None:
    admin = register_administrator(accounts, redis_client)
    ada, bea, zoe = (accounts.register() for _ in range(3))
    game = ada.create_game(2, options={"private": True}, invite=[bea.handle])
    bea.join(game)

    async def follow(player: PlayerClient, seq: int) -> StreamClient:
        headers = {"Authorization": f"Bearer {player.token}"}
        path = f"/api/v1/games/{game}/stream?after={seq}"
        return await open_stream(accounts.url, path, headers)

    async def follow_all() -> None:
        seq = ada.http.get(f"/api/v1/games/{game}").json()["head"]["seq"]
        of_ada, of_bea = await follow(ada, seq), await follow(bea, seq)
        body = {**WHY, "seat": 1, "player": zoe.id}
        path = f"{ADMIN}/games/{game}/seat-moves"
        assert (await asyncio.to_thread(admin.http.post, path, json=body)).status_code == 201
        assert (await of_bea.next_event()).data["type"] == "AdministratorDecided"
        assert await of_bea.next() is None
        types = [(await of_ada.next_event()).data["type"] for _ in range(2)]
        assert types == ["AdministratorDecided", "SubstituteSeated"]
        await of_ada.close()

    asyncio.run(follow_all())


def test_the_stream_of_a_private_game_ends_for_former_members_of_its_club(
    accounts: Accounts,
) -> None:
    ada, bea, cid = (accounts.register() for _ in range(3))
    body = {"name": f"Streams of {ada.handle}", "private": True}
    club = f"/api/v1/clubs/{ada.http.post('/api/v1/clubs', json=body).json()['id']}"
    for member in (bea, cid):
        ada.http.post(f"{club}/invitations", json={"handle": member.handle}).raise_for_status()
        member.http.put(f"{club}/members/me").raise_for_status()
    game = ada.create_game(4, options={"private": True, "club": club.rpartition("/")[2]})

    async def follow(player: PlayerClient) -> StreamClient:
        headers = {"Authorization": f"Bearer {player.token}"}
        return await open_stream(accounts.url, f"/api/v1/games/{game}/stream?after=2", headers)

    async def follow_all() -> None:
        of_bea, of_cid = await follow(bea), await follow(cid)
        await asyncio.to_thread(ada.http.delete, f"{club}/members/{bea.handle}")
        assert await of_bea.next() is None
        await asyncio.to_thread(cid.join, game)
        assert (await of_cid.next_event()).data["type"] == "SeatTaken"
        await of_cid.close()

    asyncio.run(follow_all())
