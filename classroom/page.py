"""A page that stands alone: its style is in it, and nothing in it can run or be loaded."""

from html import escape
from pathlib import Path

_STYLE = Path(__file__).with_name("page.css")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def whole_page(title, head, body):
    """The page of these parts, which are HTML that was made safe before."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{_STYLE.read_text("utf-8")}</style>
</head>
<body>
<header>
{head}
</header>
<main>
{body}
</main>
</body>
</html>
"""
