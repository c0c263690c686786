"""Write the fields of all records for mypy, src/jounce/kernels/records/fields.py: ``python -m tools.kernel_types``.

The layouts of the records are NumPy's (kernels/records/), which no type checker reads. This tool writes a class of the
same name and the same fields for each of them; tests/toolchain/test_kernel_types.py says when it has to be run again.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path

import numpy as np

import jounce.kernels

PATH = Path(__file__).parents[1] / "src" / "jounce" / "kernels" / "records" / "fields.py"
HEAD = '''"""The fields of the records, for mypy and for an editor: written by tools/kernel_types.py from the layouts.

No kernel makes one of these: what runs are the layouts, which lie in the files that the classes name.
"""

from __future__ import annotations

from jounce.toolchain.kernel_types import {names}
'''


@cache
def layouts() -> dict[str, tuple[str, np.dtype]]:
    """The layouts of all kernels: name of the class, module, layout."""
    found: dict[str, tuple[str, np.dtype]] = {}
    for info in pkgutil.walk_packages(jounce.kernels.__path__, "jounce.kernels."):
        module = importlib.import_module(info.name)
        source = Path(module.__file__ or "").read_text(encoding="utf-8")
        for name, value in vars(module).items():
            if isinstance(value, np.dtype) and value.names and f"\n{name} = np.dtype(" in source:
                found["".join(part.capitalize() for part in name.split("_"))] = (info.name, value)
    return dict(sorted(found.items()))


def text() -> str:
    """The file."""
    records = layouts()
    classes, used = [], set()
    for name, (module, layout) in records.items():
        lines = [f"class {name}:", f'    """{module}."""', ""]
        for field in layout.names or ():
            of = field_type(layout[field], records)
            used.add(of)
            lines.append(f"    {field}: {of}")
        classes.append("\n".join(lines))
    head = HEAD.format(names=", ".join(sorted(used - set(records))))
    return "\n\n\n".join([head.rstrip(), *classes]) + "\n"


def field_type(field: np.dtype, records: dict[str, tuple[str, np.dtype]]) -> str:
    """The annotation of a field."""
    base, shape = field.subdtype or (field, ())
    if base.names:
        return next(name for name, (_, layout) in records.items() if layout == base)
    number = {"f": "Real", "i": "Integer", "c": "Complex"}[base.kind]
    return number if not shape else f"{number}s" + (str(len(shape)) if len(shape) > 1 else "")


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
    print(PATH)
