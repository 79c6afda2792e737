"""Pictures that know their size, and another version of each figure for narrow screens.

`lenient_book/narrow.py` draws a figure twice, as SVG: here the two become the two sources
of one picture, and every picture gets its width and height, so that no text jumps when it
arrives. One that has no narrow version keeps a size at which its text can be read, and
scrolls.
"""

import re
from pathlib import Path

from PIL import Image

from lenient_book.narrow import PARTING

IMAGE = re.compile(r'<img\b[^>]*?\bsrc="([^"]*_images/([^"/]+))"[^>]*?/?>')
ROOT = re.compile(r"<svg\b[^>]*>")
NARROW = "(max-width: 560px)"


def narrow_file(file):
    """The file of the narrow version beside that of the wide one, or None."""
    narrow = file.with_name(f"{file.stem}-narrow.svg")
    text = file.read_text("utf-8")
    if PARTING in text:
        wide, small = text.split(PARTING)
        file.write_text(wide, "utf-8")
        narrow.write_text(small, "utf-8")
    return narrow if narrow.exists() else None


def size(file):
    """(width, height) in pixels of the page, None if it has none of its own."""
    if file.suffix != ".svg":
        with Image.open(file) as image:
            return image.size
    root = ROOT.search(file.read_text("utf-8"))[0]
    sides = [re.search(rf'\b{side}="([\d.]+)(pt|px)?"', root) for side in ("width", "height")]
    if not all(sides):
        return None
    return tuple(round(float(s[1]) * (4 / 3 if s[2] == "pt" else 1)) for s in sides)


def with_size(tag, file):
    if "width=" in tag or "width:" in tag or not (sides := size(file)):
        return tag
    return re.sub(r"\s*/?>$", ' width="{}" height="{}" />'.format(*sides), tag)


def improve(app, page, template, context, doctree):
    """Rewrite the pictures of a page."""
    sources = {name: Path(app.srcdir, uri) for uri, name in app.builder.images.items()}

    def picture(found):
        tag, address, name = found[0], found[1], found[2]
        file = sources.get(name)
        if file is None or not file.exists():
            return tag
        if file.suffix != ".svg" or "jupyter_execute" not in file.parts:
            return with_size(tag, file)
        small, tag = narrow_file(file), with_size(tag, file)
        if small is None:
            return f'<span class="scrolls">{tag}</span>' if size(file)[0] > 500 else tag
        target = Path(app.outdir, app.builder.imagedir, f"{Path(name).stem}-narrow.svg")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(small.read_bytes())
        other = address.replace(name, target.name)
        sides = 'width="{}" height="{}"'.format(*size(small))
        source = f'<source media="{NARROW}" srcset="{other}" {sides} />'
        return f"<picture>{source}{tag}</picture>"

    if "body" in context:
        context["body"] = IMAGE.sub(picture, context["body"])


def setup(app):
    app.connect("html-page-context", improve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
