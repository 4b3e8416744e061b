"""SVG pictures are well-formed, complete, safe to embed, and always the same for the same scene."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from domain.scene import Arrow, Cell, Outline, Panel, Piece, Scene
from tests.support.scenes import (
    FULL_SCENE,
    KINDS,
    TERRAINS,
    UNTITLED,
    disc,
    scenes,
    verbatim,
    wide_scene,
)
from tests.support.svg import SVG, board_texts, drawn_texts, parsed, svg

GOLDEN = Path(__file__).with_name("render_golden.svg")


def titles(document: str) -> dict[str, str]:
    """The title of each hex, by its coordinates."""
    groups = [e for e in parsed(document).iter(f"{SVG}g") if "data-at" in e.attrib]
    result = {e.attrib["data-at"]: e.findtext(f"{SVG}title") or "" for e in groups}
    assert len(result) == len(groups)
    return result


def ids(document: str) -> list[str]:
    return [e.attrib["id"] for e in parsed(document).iter() if "id" in e.attrib]


def references(document: str) -> set[str]:
    return set(re.findall(r'href="#([^"]+)"', document)) | set(
        re.findall(r"url\(#([^)]+)\)", document)
    )


def test_the_picture_equals_the_golden_file() -> None:
    """After an intended change, look at the new picture and replace the file with it."""
    small = replace(FULL_SCENE, cells=FULL_SCENE.cells[:2])
    assert svg(small, prefix="g-") == GOLDEN.read_text(encoding="utf-8")


def test_every_hex_has_a_description_as_its_title() -> None:
    assert titles(svg(FULL_SCENE)) == {
        "0,0": "plain 0,0; seat 0: free city, 3 knights; seat 1: knight; seat 2: village",
        "1,0": "open field 1,0; seat 0: 2 knights; value 3; lost by seat 1: village; just changed",
        "0,1": "forest 0,1; just changed",
        "1,-1": "mysterious place 1,-1; seat 1: knight; marked by seat 1, seat 0, seat 4",
        "-1,1": "lake -1,1",
        "0,-1": "swamp 0,-1; seat 7: dragon (2); +1",
    }


def test_the_whole_picture_has_a_title_and_a_description() -> None:
    root = parsed(svg(FULL_SCENE, prefix="p"))
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == "ptitle pdesc"
    assert root.findtext(f"{SVG}title") == "Round 7, seat 1 to act"
    desc = root.findtext(f"{SVG}desc") or ""
    assert "Seat 1, Bob: 40, to act." in desc
    assert "Seat 2, Cy: 0, out of the game." in desc
    assert "Seat 0 moved from 0,1 to 1,0." in desc


@pytest.mark.parametrize("wide", [False, True])
def test_cards_show_what_seats_have(wide: bool) -> None:
    texts = {text.content for text in drawn_texts(svg(FULL_SCENE, wide=wide))}
    assert {"Ada", "25", "Bob", "40", "seat 1 · to act", "seat 2 · out", "viscount"} <= texts
    assert {"bank", "mountain 20, forest 19"} <= texts


def test_text_is_escaped_wherever_it_comes_from() -> None:
    bad = '<script>alert("1")</script>&amp;\x00\x1b[31m\u202e'
    hostile = Scene(
        verbatim(bad),
        (
            Cell(
                (0, 0),
                bad,
                (Piece(bad, 0, 1, bad), Piece("city", 9)),
                removed=(Piece(bad, 1),),
                note=bad,
            ),
        ),
        (Panel(0, verbatim(bad), 0, ((verbatim(bad), bad),)),),
        verbatim(bad),
        common_rows=((verbatim(bad), bad),),
    )
    document = svg(hostile)
    root = parsed(document)
    assert not list(root.iter(f"{SVG}script"))
    assert root.findtext(f"{SVG}title") == '<script>alert("1")</script>&amp;\ufffd\ufffd[31m'
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", document)


def test_nothing_runs_and_nothing_is_fetched() -> None:
    for element in parsed(svg(FULL_SCENE)).iter():
        assert element.tag.removeprefix(SVG) not in {
            "script",
            "style",
            "image",
            "foreignObject",
            "a",
        }
        for name, value in element.attrib.items():
            assert not name.startswith("on")
            assert name != "style"
            assert "://" not in value
            assert not name.endswith("href") or value.startswith("#")


def test_two_pictures_in_one_page_share_no_ids() -> None:
    one, two = svg(FULL_SCENE, prefix="one-"), svg(FULL_SCENE, prefix="two-", wide=True)
    assert not set(ids(one)) & set(ids(two))
    for document in (one, two):
        assert len(ids(document)) == len(set(ids(document)))
        assert references(document) <= set(ids(document))


def test_names_that_differ_only_in_special_characters_have_separate_drawings() -> None:
    scene = Scene(UNTITLED, (Cell((0, 0), "a b"), Cell((1, 0), "a_b"), Cell((2, 0), "a-b")), ())
    all_ids = ids(svg(scene))
    assert len(all_ids) == len(set(all_ids))


@pytest.mark.parametrize("prefix", ["a b", 'a"', "é", "<"])
def test_a_prefix_that_cannot_begin_an_id_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="prefix"):
        svg(FULL_SCENE, prefix=prefix)


@pytest.mark.parametrize("name", TERRAINS)
def test_every_terrain_can_be_recognised_without_colour(name: str) -> None:
    def uncoloured(terrain: str) -> str:
        document = svg(Scene(UNTITLED, (Cell((0, 0), terrain),), ()), with_legend=False)
        return re.sub(
            r"#[0-9a-f]{6}", "", re.sub(re.escape(terrain), "", document.split("<defs>")[1])
        )

    others = {uncoloured(other) for other in TERRAINS if other != name}
    assert len(others) == len(TERRAINS) - 1
    assert uncoloured(name) not in others


def test_every_seat_and_kind_can_be_recognised_without_colour() -> None:
    def uncoloured(kind: str, seat: int) -> str:
        cells = (Cell((0, 0), "plain", (Piece(kind, seat),)),)
        package = "domain.baron" if kind.startswith("keep_") else "domain.barony"
        document = svg(Scene(UNTITLED, cells, (), package=package))
        drawing = re.search(r'<g id="p-[^"]+">(.*)</g>', document)
        assert drawing is not None
        return re.sub(r"#[0-9a-f]{6}", "", drawing[1])

    drawings = {uncoloured(kind, seat) for kind in [*KINDS, "dragon"] for seat in range(7)}
    assert len(drawings) == (len(KINDS) + 1) * 7


def test_names_without_a_drawing_are_written_out() -> None:
    document = svg(
        Scene(UNTITLED, (Cell((0, 0), "swamp"), Cell((1, 0), "lake", (Piece("dragon", 0),))), ())
    )
    assert ">swamp<" in document
    assert ">drag<" in document


def test_changed_hexes_and_removed_pieces_are_marked() -> None:
    unchanged = replace(
        FULL_SCENE, cells=tuple(replace(c, is_changed=False, removed=()) for c in FULL_SCENE.cells)
    )
    dashed_frame = 'fill="none" stroke="#2a1f14" stroke-width="9" stroke-dasharray="24 14"'
    # Two hexes and the legend.
    assert svg(FULL_SCENE).count(dashed_frame) == 3
    assert dashed_frame not in svg(unchanged)
    assert 'href="#x-village-1"' in svg(FULL_SCENE)
    assert 'href="#x-village-1"' not in svg(unchanged)


def test_marks_show_the_seats_colours_above_pieces_and_arrows() -> None:
    arrows = (Arrow(2, (0, 0), (1, 0)),)
    bare = Scene(
        UNTITLED,
        (Cell((0, 0), "plain", (Piece("knight", 2),)), Cell((1, 0), "plain")),
        (),
        None,
        arrows,
    )
    marked = replace(bare, cells=(replace(bare.cells[0], marks=(0, 3, 4)), bare.cells[1]))
    badge = 'r="17" fill="{}"'
    document = svg(marked, with_legend=False)
    assert titles(document)["0,0"] == "plain 0,0; seat 2: knight; marked by seat 0, seat 3, seat 4"
    for colour in ("#23569f", "#c5372b", "#43224f"):
        assert document.count(badge.format(colour)) == 1
        assert badge.format(colour) not in svg(bare)
        assert document.index(badge.format(colour)) > document.index('stroke-width="21"')


def test_contested_hexes_have_crossed_swords() -> None:
    bare = Scene(UNTITLED, (Cell((0, 0), "plain"), Cell((1, 0), "plain")), ())
    contested = replace(bare, cells=(bare.cells[0], replace(bare.cells[1], is_contested=True)))
    swords = 'transform="scale(-1 1)"'
    counts = [svg(scene, with_legend=False).count(swords) for scene in (bare, contested)]
    assert counts == [0, 1]
    assert titles(svg(contested)) == {"0,0": "plain 0,0", "1,0": "plain 1,0; just fought over"}


def test_outlines_that_share_a_hex_do_not_coincide() -> None:
    def drawn(*outlines: Outline) -> list[str]:
        cells = tuple(Cell((q, 0), "plain") for q in range(5))
        document = svg(Scene(UNTITLED, cells, (), outlines=outlines), with_legend=False)
        paths: list[str] = re.findall(r'd="([^"]+)" [^>]*width="13"', document)
        return paths

    one, two = Outline(0, ((0, 0), (1, 0))), Outline(1, ((1, 0), (2, 0)))
    (alone,) = drawn(two)
    assert drawn(one, two)[1] != alone
    assert drawn(Outline(0, ((0, 0),)), two)[1] == alone
    assert len(set(drawn(one, one, one))) == 3


def test_the_note_of_an_outline_is_not_repeated_if_a_piece_inside_has_it() -> None:
    def nines(note: str) -> int:
        cells = (Cell((0, 0), "plain", (Piece("keep_baron", 0, note=note),), note="5:2"),)
        scene = Scene(UNTITLED, cells, (), outlines=(Outline(0, ((0, 0),), "9"),))
        texts = drawn_texts(svg(scene, with_legend=False))
        return [text.content for text in texts].count("9")

    assert (nines("9"), nines("7"), nines("")) == (1, 1, 1)


def test_numbers_of_pieces_are_shown() -> None:
    bare = replace(
        FULL_SCENE, panels=(), cells=tuple(replace(c, value="") for c in FULL_SCENE.cells)
    )
    texts = [text.content for text in board_texts(svg(bare))]
    assert texts.count("3") == 1  # seat 0's knights on 0,0
    assert texts.count("2") == 2  # its knights on 1,0 and the two dragons


def test_a_move_of_two_pieces_is_one_arrow_with_their_number() -> None:
    cells = (Cell((0, 0), "plain"), Cell((1, 0), "plain"))
    once = Scene(UNTITLED, cells, (), arrows=(Arrow(0, (0, 0), (1, 0)),))
    twice = replace(once, arrows=once.arrows * 2)
    added = [text.content for text in drawn_texts(svg(twice))]
    for text in drawn_texts(svg(once)):
        added.remove(text.content)
    assert added == ["2"]


@pytest.mark.parametrize("radius", [5, 6, 7, 8])
@pytest.mark.parametrize("wide", [False, True])
def test_the_board_is_as_large_as_its_page(radius: int, wide: bool) -> None:
    document = svg(wide_scene(disc(radius)), wide=wide)
    (board,) = (
        e for e in parsed(document).iter(f"{SVG}g") if any("data-at" in c.attrib for c in e)
    )
    scale = float(board.attrib["transform"].split("scale(")[1][:-1])
    hex_width = 3**0.5 * 100 * scale
    assert hex_width >= {False: 660, True: 890}[wide] / (2 * radius + 1)


def test_a_move_to_a_hex_far_away_is_drawn_at_once() -> None:
    """A forged event may name any hex."""
    arrows = (Arrow(0, (0, 0), (10**9, -(10**8))),)
    cells = tuple(Cell(at, "plain") for at in disc(3))
    document = svg(Scene(UNTITLED, cells, (), None, arrows))
    assert len(document) < 60_000


@given(scenes)
@settings(max_examples=25)
def test_any_scene_makes_a_complete_picture(scene: Scene) -> None:
    for wide in (False, True):
        document = svg(scene, prefix="t-", wide=wide)
        assert document == svg(scene, prefix="t-", wide=wide)
        all_ids = ids(document)
        assert len(all_ids) == len(set(all_ids))
        assert references(document) <= set(all_ids)
        assert set(titles(document)) == {f"{c.at[0]},{c.at[1]}" for c in scene.cells}
        geometry = re.sub(r"<(title|desc|text)[^>]*>[^<]*<", "", document)
        assert not re.search(
            r"\d\.\d{5}|\de-\d|nan|inf\b", re.sub(r'(id|href)="[^"]*"', "", geometry)
        )


@pytest.mark.parametrize("column", range(2, 9))
def test_a_long_note_of_the_last_piece_stays_on_the_page(column: int) -> None:
    pieces = (Piece("mountain", 0), Piece("mountain", 0, note="000"))
    cells = (Cell((0, 0), "plain"), Cell((column, 0), "plain", pieces))
    document = svg(Scene(UNTITLED, cells, ()))
    width = float(parsed(document).attrib["viewBox"].split()[2])
    assert max(text.right for text in board_texts(document)) <= width + 1


@given(scenes)
@settings(max_examples=25)
def test_no_text_runs_off_the_page(scene: Scene) -> None:
    for wide in (False, True):
        document = svg(scene, wide=wide)
        _, _, width, height = map(float, parsed(document).attrib["viewBox"].split())
        for text in drawn_texts(document):
            assert text.left >= -1, text
            assert text.right <= width + 1, text
            assert text.size * 0.5 <= text.baseline <= height, text
