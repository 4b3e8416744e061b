"""Pictures of positions.

`python -m service.http.client_generator` has written this file.
"""

from client.methods import C_co, Group, Method
from client.requests import Call, call, read_bytes, read_text, segment


def get_position_svg(
    game: str, /, *, seq: int | None = None, wide: bool | None = None, width: int | None = None
) -> Call[str]:
    """Draw the position after an event as SVG, as the viewer may see it, with texts in their
    language.

    Without `width`, the picture takes the width that it is given.
    """
    return call(
        "GET",
        f"/games/{segment(game)}/position.svg",
        read_text,
        params={"seq": seq, "wide": wide, "width": width},
    )


def get_position_png(
    game: str, /, *, seq: int | None = None, wide: bool | None = None, width: int | None = None
) -> Call[bytes]:
    """Draw the position after an event as PNG, as the viewer may see it, with texts in their
    language.

    Drawing takes some time. If too many pictures wait for it, the response is a 503: repeat the
    request.
    """
    return call(
        "GET",
        f"/games/{segment(game)}/position.png",
        read_bytes,
        params={"seq": seq, "wide": wide, "width": width},
    )


class PicturesCalls(Group[C_co]):
    """Pictures of positions."""

    draw_svg = Method(get_position_svg)
    draw_png = Method(get_position_png)
