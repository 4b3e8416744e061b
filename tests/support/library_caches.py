"""Caches for what libraries would do again for every test, with the same result.

Each of these takes longer than many tests. A process calls `keep_results` once, before the first test.
"""

from functools import cache
from types import ModuleType
from typing import Any

import freezegun.api
import httpx
import hypothesis.internal.conjecture.providers
import redis.utils
from typing_extensions import override
from werkzeug.routing import Map, Rule, RuleFactory


def keep_results() -> None:
    """Keep the results of these libraries from now on."""
    # Hypothesis would also try the constants in the modules of the project that are loaded. These depend on
    # the tests that the process has run before.
    vars(hypothesis.internal.conjecture.providers)["_get_local_constants"] = lambda: (
        hypothesis.internal.conjecture.providers._local_constants
    )
    vars(freezegun.api)["_get_module_attributes_hash"] = _version_of_names
    # Reads the certificates of all authorities.
    vars(httpx._transports.default)["create_ssl_context"] = cache(httpx.create_ssl_context)
    # Reads the metadata of the installed package, for each connection.
    vars(redis.utils)["get_lib_version"] = cache(redis.utils.get_lib_version)


def _version_of_names(module: ModuleType) -> str:
    """Return a value that changes when a module gets a name.

    Freezing the clock looks for its functions in every module that has changed. To compare all names of two
    thousand modules each time, as freezegun does, takes longer than many tests.
    """
    return f"{id(module)}-{len(getattr(module, '__dict__', ()))}"


class SharedMap(Map):
    """The URL map of all applications with the same routes, which only the first of them fills.

    To compile the rules of all routes takes longer than all else that creates an application.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._routes: set[tuple[str, object, frozenset[str]]] = set()

    @override
    def add(self, rulefactory: RuleFactory) -> None:
        assert isinstance(rulefactory, Rule)
        route = (rulefactory.rule, rulefactory.endpoint, frozenset(rulefactory.methods or ()))
        if route not in self._routes:
            self._routes.add(route)
            super().add(rulefactory)
