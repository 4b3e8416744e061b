"""Drawings are files beside the games: a game's own comes first, and one that lacks a part says so."""

import importlib
from pathlib import Path

import pytest

from domain.contract import package_of
from domain.registry import rule_systems
from replay.render.drawings import drawing_of, terrain_colour, terrain_drawing

ROOT = Path(__file__).parents[3]
FOREST = (ROOT / "domain/barony/drawings/terrains/forest.svg").read_text()


def drawn(terrain: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a package that has this file for a forest."""
    folder = tmp_path / name / "drawings" / "terrains"
    folder.mkdir(parents=True)
    (tmp_path / name / "__init__.py").touch()
    (folder / "forest.svg").write_text(terrain)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module(name)
    return name


def test_every_file_is_a_drawing() -> None:
    packages = {package_of(entry.system) for entry in rule_systems().values()}
    drawings = terrains = 0
    for package in packages:
        folder = ROOT / package.replace(".", "/") / "drawings"
        for path in folder.glob("*.svg"):
            assert drawing_of(package, path.stem) is not None
            drawings += 1
        for path in folder.glob("terrains/*.svg"):
            drawing = terrain_drawing(package, path.stem)
            assert drawing is not None
            assert drawing.motif.startswith("<")
            assert drawing.empty
            assert drawing.occupied
            terrains += 1
    assert (drawings, terrains) == (6, 13)


def test_a_game_draws_its_own_terrains_and_those_of_other_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    former = terrain_colour("", "forest").fill
    package = drawn(FOREST.replace(former, "#123456"), "own_forest", tmp_path, monkeypatch)
    assert terrain_colour(package, "forest").fill == "#123456"
    assert terrain_colour("", "forest").fill == former
    assert terrain_drawing(package, "lake") == terrain_drawing("domain.barony", "lake")
    assert terrain_drawing(package, "swamp") is None


@pytest.mark.parametrize(
    ("number", "former", "later"),
    [
        (1, 'id="motif"', 'id="tree"'),
        (2, 'data-terminal="', 'data-terminal="green '),
        (3, "translate(", "rotate("),
    ],
)
def test_a_drawing_that_lacks_a_part_names_its_file(
    number: int, former: str, later: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = FOREST.replace(former, later)
    assert broken != FOREST
    package = drawn(broken, f"broken_forest_{number}", tmp_path, monkeypatch)
    with pytest.raises(ValueError, match=r"forest\.svg: ground, motif, empty or occupied"):
        terrain_drawing(package, "forest")
