"""Compiles the catalogues, and adds the rules to the package. setuptools runs the command in every build.

Nothing of the project is imported here: it is not installed yet when it is built for the first time.
"""

import shutil
from pathlib import Path
from typing import Final

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from setuptools.command.build_py import build_py
from typing_extensions import override

_FOLDER: Final = Path(__file__).parent / "catalogues"
_DOCS: Final = Path(__file__).parents[2] / "docs"
_RULES: Final = Path("service", "pages", "rules")
"""The folder of the texts of the rules in a built package. A checkout uses those in its docs."""


def compile_catalogues(folder: Path = _FOLDER) -> None:
    """Compile every catalogue of a folder, so that gettext can read it."""
    for path in folder.glob("*/LC_MESSAGES/*.po"):
        compile_catalogue(path)


def compile_catalogue(path: Path) -> None:
    """Compile a catalogue into a file beside it."""
    with path.open("rb") as source, path.with_suffix(".mo").open("wb") as target:
        write_mo(target, read_po(source))


class BuildWithCatalogues(build_py):  # type: ignore[misc] # setuptools has no type annotations
    """Compiles the catalogues before the packages are collected, and adds the rules to a built package."""

    @override
    def run(self) -> None:
        """Run the build."""
        compile_catalogues()
        super().run()
        if not self.editable_mode:
            copy_rules(Path(self.build_lib))


def copy_rules(package: Path) -> None:
    """Copy the texts of the rules into a built package. Raises FileNotFoundError if there are none."""
    texts = sorted(_DOCS.glob("rules*.md"))
    if not texts:
        raise FileNotFoundError(f"there are no rules in {_DOCS}")
    for text in texts:
        shutil.copy(text, package / _RULES)
