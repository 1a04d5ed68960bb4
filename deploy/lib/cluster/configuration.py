"""Fills the templates of configuration files in this folder."""

import pathlib
import re

HERE = pathlib.Path(__file__).parent


def filled(template, **values):
    text = (HERE / template).read_text()
    for name, value in values.items():
        text = text.replace(f"@{name}@", str(value))
    left = re.search(r"@[A-Z_]+@", text)
    if left:
        raise SystemExit(f"gatefold: {template}: no value for {left.group()}")
    return text


def write(run, template, name, **values):
    """Writes a filled template to a file of the run that every process may read, and returns its path."""
    file = run / "configuration" / name
    file.write_text(filled(template, **values))
    return file
