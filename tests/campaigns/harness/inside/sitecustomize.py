"""Found first by the interpreters of a service that a campaign starts: arms it once the service is loaded.

Nothing of the service may be imported before gevent has patched the standard library, so this waits for the module
that puts the service together.
"""

import importlib.util
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

_AWAITED = "spieltisch_service.bootstrap"


class _Armed(Loader):
    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        self._loader.exec_module(module)
        from tests.campaigns.harness.armed import arm_this_process

        arm_this_process()


class _Awaiting(MetaPathFinder):
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != _AWAITED:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        assert spec is not None
        spec.loader = _Armed(spec.loader)
        return spec


sys.meta_path.insert(0, _Awaiting())
