"""Draw the stills of the living pictures, for readers without JavaScript.

    python _ext/draw_stills.py [name …]

Each is the living picture itself, as Chromium shows it after a few moves, without its
controls. They are drawn anew when a picture gets another look; nothing else needs them.
"""

import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from lenient_book.living import html
from lenient_book.pictures import few_colours, png_bytes
from lenient_book.playground import bundle

CHAPTERS = Path(__file__).parents[1] / "chapters"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu"]
WIDTH, SHARPNESS = 700, 1.5
PAGE = (
    "<!doctype html><meta charset=utf-8><style>body{{margin:0}}{}</style>{}<script>{}</script>"
)

DINER = [f"Restaurant {door}" for door in "ABCDEAAADA"]
#: By view: its setting, what is clicked before the picture is taken, and what is kept of it.
STILLS = {
    "playground": ({}, ["One lunch"] * 90, ".street-box, .panels"),
    "diner": ({}, [*DINER, "Let TS and ε-TS eat"], ".doors, .verdict"),
    "long-run": ({"eps": 0.2}, ["Leap to 10¹²"], ".chart-box"),
    "predict": ({}, [], ".cards"),
}


def draw(browser, view):
    setting, clicks, parts = STILLS[view]
    page = browser.new_page(
        viewport={"width": WIDTH, "height": 900},
        device_scale_factor=SHARPNESS,
        reduced_motion="reduce",
    )
    page.set_content(PAGE.format(bundle.style(), html(view, setting), bundle.script()))
    for words in clicks:
        page.get_by_role("button", name=words).first.click()
    sheets = [Image.open(io.BytesIO(part.screenshot())) for part in page.locator(parts).all()]
    whole = Image.new(
        "RGB", (max(s.width for s in sheets), sum(s.height for s in sheets)), "#fdfcf9"
    )
    top = 0
    for sheet in sheets:
        whole.paste(sheet, (0, top))
        top += sheet.height
    (CHAPTERS / f"{view}-still.png").write_bytes(png_bytes(few_colours(whole, 64)))
    page.close()


if __name__ == "__main__":
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=FLAGS
        )
        for view in sys.argv[1:] or STILLS:
            draw(browser, view)
        browser.close()
