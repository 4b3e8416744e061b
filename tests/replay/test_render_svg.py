"""The picture: well-formed, whole, safe to inline, legible, and the same every time."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings

from domain.scene import Arrow, Cell, Outline, Panel, Piece, Scene
from replay.render.svg import svg
from replay.render.text_layout import ems
from tests.support.scenes import FULL_SCENE, GROUNDS, KINDS, disc, scenes, wide_scene

SVG = "{http://www.w3.org/2000/svg}"
GOLDEN = Path(__file__).with_name("render_golden.svg")


def parsed(document: str) -> ET.Element:
    return ET.fromstring(document)  # noqa: S314 - our own output


def titles(document: str) -> dict[str, str]:
    """What each hex says, by its coordinates."""
    groups = [e for e in parsed(document).iter(f"{SVG}g") if "data-at" in e.attrib]
    said = {e.attrib["data-at"]: e.findtext(f"{SVG}title") or "" for e in groups}
    assert len(said) == len(groups)
    return said


def ids(document: str) -> list[str]:
    return [e.attrib["id"] for e in parsed(document).iter() if "id" in e.attrib]


def references(document: str) -> set[str]:
    return set(re.findall(r'href="#([^"]+)"', document)) | set(
        re.findall(r"url\(#([^)]+)\)", document)
    )


def drawn_texts(document: str) -> Iterator[tuple[str, float, float, float, float]]:
    """Every text that is drawn (not the definitions): itself, left, right, baseline, font size."""

    def walk(
        e: ET.Element, x: float, y: float, k: float
    ) -> Iterator[tuple[str, float, float, float, float]]:
        if e.tag == f"{SVG}defs":
            return
        moved = re.match(
            r"translate\((\S+) (\S+)\)(?: scale\((\S+)\))?", e.attrib.get("transform", "")
        )
        if moved:
            x, y = x + k * float(moved[1]), y + k * float(moved[2])
            k *= float(moved[3] or 1)
        if e.tag == f"{SVG}text":
            size = k * float(e.attrib["font-size"])
            # A real font is narrower than `ems` says by a tenth at least.
            width = ems(e.text or "") * size * 0.9
            left = x + k * float(e.attrib.get("x", 0))
            left -= {"end": width, "middle": width / 2}.get(e.attrib.get("text-anchor", ""), 0)
            yield e.text or "", left, left + width, y + k * float(e.attrib["y"]), size
        for child in e:
            yield from walk(child, x, y, k)

    yield from walk(parsed(document), 0, 0, 1)


def test_the_golden_picture_has_not_changed() -> None:
    """Where it has, and was meant to: look at the new one, then put it in the file's place."""
    small = replace(FULL_SCENE, cells=FULL_SCENE.cells[:2])
    assert svg(small, prefix="g-") == GOLDEN.read_text(encoding="utf-8")


def test_every_hex_says_in_words_what_is_there() -> None:
    assert titles(svg(FULL_SCENE)) == {
        "0,0": "plain 0,0: seat 0 city, 3 knights; seat 1 knight; seat 2 village",
        "1,0": "field 1,0: seat 0 2 knights; gone: seat 1 village; just changed",
        "0,1": "forest 0,1: just changed",
        "1,-1": "mysterious place 1,-1: seat 1 knight; marked by seat 1, seat 0, seat 4",
        "-1,1": "lake -1,1",
        "0,-1": "swamp 0,-1: seat 7 2 dragons; +1",
    }


def test_the_whole_picture_has_a_title_and_a_description() -> None:
    root = parsed(svg(FULL_SCENE, prefix="p"))
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == "ptitle pdesc"
    assert root.findtext(f"{SVG}title") == "Round 7, seat 1 to act"
    desc = root.findtext(f"{SVG}desc") or ""
    assert "Seat 1, Bob: 40, to act." in desc
    assert "Seat 2, Cy: 0, out." in desc
    assert "Seat 0 went 0,1 to 1,0." in desc


@pytest.mark.parametrize("wide", [False, True])
def test_what_stands_beside_the_board_is_written_out(wide: bool) -> None:
    written = {text for text, *_ in drawn_texts(svg(FULL_SCENE, wide=wide))}
    assert {"Ada", "25", "Bob", "40", "seat 1 · to act", "seat 2 · out", "viscount"} <= written
    assert {"bank", "mountain 20, forest 19", "0,0", "-1,1", "forest", "swamp"} <= written


def test_the_names_of_the_grounds_can_be_left_out() -> None:
    assert "swamp" not in {text for text, *_ in drawn_texts(svg(FULL_SCENE, key=False))}


def test_text_is_escaped_wherever_it_comes_from() -> None:
    bad = '<script>alert("1")</script>&amp;\x00\x1b[31m\u202e'
    hostile = Scene(
        bad,
        (
            Cell(
                (0, 0),
                bad,
                (Piece(bad, 0, 1, bad), Piece("city", 9)),
                removed=(Piece(bad, 1),),
                note=bad,
            ),
        ),
        (Panel(0, bad, 0, ((bad, bad),)),),
        bad,
        common_rows=((bad, bad),),
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


def test_two_pictures_in_one_page_do_not_meddle_with_each_other() -> None:
    one, two = svg(FULL_SCENE, prefix="one-"), svg(FULL_SCENE, prefix="two-", wide=True)
    assert not set(ids(one)) & set(ids(two))
    for document in (one, two):
        assert len(ids(document)) == len(set(ids(document)))
        assert references(document) <= set(ids(document))


def test_names_that_differ_only_in_odd_characters_have_drawings_of_their_own() -> None:
    scene = Scene("", (Cell((0, 0), "a b"), Cell((1, 0), "a_b"), Cell((2, 0), "a-b")), ())
    found = ids(svg(scene))
    assert len(found) == len(set(found))


@pytest.mark.parametrize("prefix", ["a b", 'a"', "é", "<"])
def test_a_prefix_that_is_no_id_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="prefix"):
        svg(FULL_SCENE, prefix=prefix)


@pytest.mark.parametrize("name", GROUNDS)
def test_every_known_ground_is_told_by_its_drawing_alone(name: str) -> None:
    def uncoloured(ground: str) -> str:
        document = svg(Scene("", (Cell((0, 0), ground),), ()), key=False)
        return re.sub(
            r"#[0-9a-f]{6}", "", re.sub(re.escape(ground), "", document.split("<defs>")[1])
        )

    others = {uncoloured(other) for other in GROUNDS if other != name}
    assert len(others) == len(GROUNDS) - 1
    assert uncoloured(name) not in others


def test_every_seat_and_kind_is_told_by_its_drawing_alone() -> None:
    def uncoloured(kind: str, seat: int) -> str:
        document = svg(Scene("", (Cell((0, 0), "plain", (Piece(kind, seat),)),), ()))
        drawing = re.search(r'<g id="p-[^"]+">(.*)</g>', document)
        assert drawing is not None
        return re.sub(r"#[0-9a-f]{6}", "", drawing[1])

    drawings = {uncoloured(kind, seat) for kind in [*KINDS, "dragon"] for seat in range(7)}
    assert len(drawings) == (len(KINDS) + 1) * 7


def test_a_name_that_nobody_has_drawn_is_written() -> None:
    document = svg(
        Scene("", (Cell((0, 0), "swamp"), Cell((1, 0), "lake", (Piece("dragon", 0),))), ())
    )
    assert ">swamp<" in document
    assert ">drag<" in document


def test_what_has_changed_and_what_is_gone_are_marked() -> None:
    quiet = replace(
        FULL_SCENE, cells=tuple(replace(c, is_changed=False, removed=()) for c in FULL_SCENE.cells)
    )
    gilt = 'fill="none" stroke="#ffc933" stroke-width="10"'
    assert svg(FULL_SCENE).count(gilt) == 2
    assert gilt not in svg(quiet)
    assert 'href="#x-village-1"' in svg(FULL_SCENE)
    assert 'href="#x-village-1"' not in svg(quiet)


def test_marks_lie_on_their_hex_in_the_seats_colours_above_pieces_and_ways() -> None:
    arrows = (Arrow(2, (0, 0), (1, 0)),)
    bare = Scene(
        "", (Cell((0, 0), "plain", (Piece("knight", 2),)), Cell((1, 0), "plain")), (), "", arrows
    )
    marked = replace(bare, cells=(replace(bare.cells[0], marks=(0, 3, 4)), bare.cells[1]))
    shields = 'r="17" fill="{}"'
    document = svg(marked)
    assert titles(document)["0,0"] == "plain 0,0: seat 2 knight; marked by seat 0, seat 3, seat 4"
    for colour in ("#23569f", "#c5372b", "#43224f"):
        assert document.count(shields.format(colour)) == 1
        assert shields.format(colour) not in svg(bare)
        assert document.index(shields.format(colour)) > document.index('stroke-width="21"')


def test_what_was_fought_over_bears_crossed_swords() -> None:
    bare = Scene("", (Cell((0, 0), "plain"), Cell((1, 0), "plain")), ())
    fought = replace(bare, cells=(bare.cells[0], replace(bare.cells[1], is_contested=True)))
    swords = 'transform="scale(-1 1)"'
    assert (svg(bare).count(swords), svg(fought).count(swords)) == (0, 1)
    assert titles(svg(fought)) == {"0,0": "plain 0,0", "1,0": "plain 1,0: just fought over"}


def test_borders_that_share_a_hex_run_apart_and_others_along_the_edge() -> None:
    def drawn(*borders: Outline) -> list[str]:
        cells = tuple(Cell((q, 0), "plain") for q in range(5))
        found: list[str] = re.findall(
            r'd="([^"]+)" [^>]*width="13"', svg(Scene("", cells, (), outlines=borders))
        )
        return found

    one, two = Outline(0, ((0, 0), (1, 0))), Outline(1, ((1, 0), (2, 0)))
    (alone,) = drawn(two)
    assert drawn(one, two)[1] != alone
    assert drawn(Outline(0, ((0, 0),)), two)[1] == alone
    assert len(set(drawn(one, one, one))) == 3


def test_the_note_of_a_border_is_not_repeated_where_a_piece_in_it_has_it() -> None:
    def nines(note: str) -> int:
        cells = (Cell((0, 0), "plain", (Piece("keep_baron", 0, note=note),), note="5:2"),)
        scene = Scene("", cells, (), outlines=(Outline(0, ((0, 0),), "9"),))
        return [text for text, *_ in drawn_texts(svg(scene))].count("9")

    assert (nines("9"), nines("7"), nines("")) == (1, 1, 1)


def test_counts_stand_on_the_pieces() -> None:
    numbers = [text for text, *_ in drawn_texts(svg(replace(FULL_SCENE, panels=())))]
    assert numbers.count("3") == 1  # seat 0's knights on 0,0
    assert numbers.count("2") == 2  # its knights on 1,0 and the two dragons


def test_a_way_that_two_took_is_drawn_once_and_says_two() -> None:
    cells = (Cell((0, 0), "plain"), Cell((1, 0), "plain"))
    once = Scene("", cells, (), arrows=(Arrow(0, (0, 0), (1, 0)),))
    twice = replace(once, arrows=once.arrows * 2)
    added = [text for text, *_ in drawn_texts(svg(twice))]
    for text, *_ in drawn_texts(svg(once)):
        added.remove(text)
    assert added == ["2"]


@pytest.mark.parametrize("radius", [5, 6, 7, 8])
@pytest.mark.parametrize("wide", [False, True])
def test_the_board_is_as_large_as_its_page(radius: int, wide: bool) -> None:
    """What is written at the feet of the outermost hexes lies far apart, and on the page."""
    document = svg(wide_scene(disc(radius)), wide=wide)
    feet = [
        (a + b) / 2 for text, a, b, *_ in drawn_texts(document) if re.fullmatch(r"-?\d,-?\d", text)
    ]
    assert len(feet) == len(disc(radius))
    hex_width = (max(feet) - min(feet)) / (2 * radius)
    assert hex_width >= {False: 645, True: 900}[wide] / (2 * radius + 1)


@given(scenes)
@settings(max_examples=60, deadline=None)
def test_any_scene_makes_a_whole_picture(scene: Scene) -> None:
    for wide in (False, True):
        document = svg(scene, prefix="t-", wide=wide)
        assert document == svg(scene, prefix="t-", wide=wide)
        found = ids(document)
        assert len(found) == len(set(found))
        assert references(document) <= set(found)
        assert set(titles(document)) == {f"{c.at[0]},{c.at[1]}" for c in scene.cells}
        geometry = re.sub(r"<(title|desc|text)[^>]*>[^<]*<", "", document)
        assert not re.search(
            r"\d\.\d{5}|\de-\d|nan|inf\b", re.sub(r'(id|href)="[^"]*"', "", geometry)
        )


@given(scenes)
@settings(max_examples=60, deadline=None)
def test_no_text_runs_off_the_page(scene: Scene) -> None:
    for wide in (False, True):
        document = svg(scene, wide=wide)
        _, _, width, height = map(float, parsed(document).attrib["viewBox"].split())
        for text, left, right, baseline, size in drawn_texts(document):
            assert left >= -1, text
            assert right <= width + 1, text
            assert size * 0.5 <= baseline <= height, text
