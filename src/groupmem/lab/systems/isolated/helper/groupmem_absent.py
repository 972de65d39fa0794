"""Stand-ins for packages that the code of an adapter imports and never uses on the way that is taken.

For Python 3.10 and later, standard library only, like `groupmem_worker`.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from itertools import accumulate
from types import ModuleType
from typing import NoReturn


class AbsentError(RuntimeError):
    """Something of an absent package was used after all."""


def absent(*modules: str) -> None:
    """Makes `import` succeed for these modules (dotted names bring those above them).

    Every name that is taken from them is a class, so that it can be inherited from, named in annotations and asked for
    in isinstance. Making one raises AbsentError. A module that was imported before stays as it is.
    """
    for dotted in modules:
        above = None
        for name in accumulate(dotted.split("."), "{}.{}".format):
            module = sys.modules.setdefault(name, _Absent(name))
            if isinstance(above, _Absent):
                setattr(above, name.rpartition(".")[2], module)
            above = module


class _Absent(ModuleType):
    def __init__(self, name: str) -> None:
        super().__init__(name, "Stands in for a package that is not installed.")
        self.__spec__ = ModuleSpec(name, None, is_package=True)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {"__module__": self.__name__, "__init__": _refuse})
        setattr(self, name, made)
        return made


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    raise AbsentError(f"{type(self).__module__}.{type(self).__name__} is not installed in this environment")
