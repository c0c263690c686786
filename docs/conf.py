"""How the site is built: ``make docs``. Everything it needs comes from installed packages; nothing from a network."""

from __future__ import annotations

import sys
from pathlib import Path

import jounce
from jounce.toolchain import build, ship
from jounce.toolchain.jit import code_folder

sys.path.insert(0, str(Path(__file__).parent / "_ext"))


project = "Jounce"
author = "The Jounce developers"
copyright = f"2026, {author}"
version = release = jounce.__version__

extensions = [
    "columns",
    "reference",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = [
    "_ext",
    "gallery/**.ipynb",
    "gallery/**.py",
    "gallery/**.md5",
    "gallery/**/GALLERY_HEADER.rst",
]
nitpicky = False
smartquotes = False  # "impact:foot" and --t-end are typed as they stand
language = "en"

# Markdown
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# gallery: every example is run once and again only when it has changed
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/examples/\w+/\w+\.py$",
    "ignore_pattern": r"(demo|door_latch|hopping_block)\.py$",  # pages of their own tell about these
    "image_scrapers": ("gallery_pictures.figure_and_film",),
    "capture_repr": (
        "_repr_html_",
    ),  # tables; not the texts that Matplotlib returns where axes are labelled
    "subsection_order": [
        f"../examples/{folder}" for folder in ("impacts", "friction", "machines", "longterm")
    ],
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "show_signature": False,
    "min_reported_time": 3600,  # what it took says how busy the machine was
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "notebook_extensions": (),
    "plot_gallery": "True",
}

# reference
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
numpydoc_show_class_members = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
add_module_names = False

# look
html_theme = "pydata_sphinx_theme"
html_title = "Jounce"
html_static_path = ["_static"]
html_css_files = ["jounce.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
    "header_links_before_dropdown": 7,
}


def setup(app):
    """Compile the whole engine before the gallery: otherwise its first examples would print that they wait for it."""
    gallery = 500  # the priority at which sphinx-gallery runs the examples
    app.connect(
        "builder-inited",
        lambda _: build.prepare(code_folder(), ship.all_modules()),
        priority=gallery - 1,
    )
