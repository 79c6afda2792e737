"""Draw the picture that stands for the book where somebody shares its address.

    python _ext/draw_preview.py

It is the cover with the title, _static/preview.png, 1200 × 630 as previews want it.
"""

import io
import shutil
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from lenient_book.pictures import few_colours, png_bytes

ROOT = Path(__file__).parents[1]
PAGE = """<body style="margin:0;background:#0F2438;color:#fff;font-family:sans-serif">
<h1 style="font-size:64px;margin:36px 0 6px 60px">Lenient regret</h1>
<p style="font-size:30px;margin:0 0 10px 60px;opacity:.85">
Bandits that forgive small mistakes</p>
<div style="width:1060px;margin:auto">{cover}</div>
<style>svg {{ width: 1060px; height: auto }}</style>"""

if __name__ == "__main__":
    cover = (ROOT / "chapters" / "cover.svg").read_text("utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1200, "height": 630})
        page.set_content(PAGE.format(cover=cover))
        image = Image.open(io.BytesIO(page.screenshot()))
        browser.close()
    (ROOT / "_static" / "preview.png").write_bytes(png_bytes(few_colours(image, 32)))
