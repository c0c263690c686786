"""Pictures of the gallery: the ``figure`` of an example, and the film it wrote."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst


def figure_and_film(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Move a film that the block wrote beside its page, and save the figure of its names, if it is new.

    The first of them is the picture of the example in the gallery: what moves is shown moving.
    """
    names, paths = block_vars["example_globals"], block_vars["image_path_iterator"]
    found = []
    for film in sorted(Path(block_vars["src_file"]).parent.glob("*.gif")):
        path = str(Path(next(paths)).with_suffix(".gif"))
        shutil.move(film, path)
        found.append(path)
    figure = names.get("figure")
    if isinstance(figure, Figure) and not getattr(figure, "in_gallery", False):
        path = next(paths)
        figure.savefig(path, dpi=110)
        figure.in_gallery = True  # type: ignore[attr-defined]
        found.append(path)
    plt.close("all")
    return figure_rst(found, gallery_conf["src_dir"])
