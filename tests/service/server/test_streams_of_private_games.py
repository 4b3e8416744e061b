"""Event streams of private games end when their viewer may not see the game any more."""

import asyncio

from tests.support.accounts import Accounts, PlayerClient
from tests.support.streams import StreamClient, open_stream


def test_the_stream_of_a_private_game_ends_for_a_player_who_is_not_invited_any_more(
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
