"""A cache of compiled templates, which all processes of a run share, as do later runs.

A service compiles a template when it first shows it. A run starts hundreds of services, and to compile the
templates of a page takes longer than most tests.
"""

from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemBytecodeCache

_FOLDER: Final = Path(__file__).parents[2] / ".pytest_cache" / "d" / "templates"


def keep_compiled_templates() -> None:
    """Keep the templates that this process compiles from now on, and use those that others have kept."""
    _FOLDER.mkdir(parents=True, exist_ok=True)
    cache = FileSystemBytecodeCache(str(_FOLDER))
    initialise = Environment.__init__

    def initialise_with_cache(self: Environment, *values: Any, **options: Any) -> None:
        initialise(self, *values, **options)
        self.bytecode_cache = self.bytecode_cache or cache

    Environment.__init__ = initialise_with_cache  # type: ignore[method-assign]
