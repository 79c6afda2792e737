"""Formulas in HTML that was cleaned before, as MathML: no script is needed to show them."""

import re
import unicodedata
from contextlib import suppress
from xml.etree import ElementTree

from bs4 import BeautifulSoup
from bs4.element import NavigableString
from latex2mathml.converter import convert

_FORMULA = re.compile(r"\$\$(.+?)\$\$|\\\[(.+?)\\\]|\$(?!\s)([^$]+?)(?<!\s)\$(?!\d)", re.S)
_MATHML = "{http://www.w3.org/1998/Math/MathML}"
# All that the converter makes of formulas; nothing of it can load or run anything.
_TAGS = set(
    "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom"
    " mfenced menclose msub msup msubsup munder mover munderover mtable mtr mtd".split()
)
_ATTRIBUTES = set(
    "display stretchy fence form separator lspace rspace minsize maxsize movablelimits"
    " linethickness columnalign rowspacing columnspacing columnlines rowlines displaystyle"
    " scriptlevel mathvariant accent accentunder width height depth voffset notation".split()
)
_MOST = 5000  # characters of a formula that is converted


def with_formulas(html):
    """The same HTML, with TeX between dollars as MathML; what is no TeX stays as it is."""
    soup = BeautifulSoup(html, "html.parser")
    for text in [*soup.find_all(string=_FORMULA)]:
        if text.find_parent(["code", "pre", "math"]) is None:
            pieces, end = [], 0
            for match in _FORMULA.finditer(text):
                pieces.append(NavigableString(text[end : match.start()]))
                display, bracketed, inline = match.groups()
                math = mathml(display or bracketed or inline, block=inline is None)
                pieces.append(
                    BeautifulSoup(math, "html.parser") if math else NavigableString(match[0])
                )
                end = match.end()
            text.replace_with(*pieces, NavigableString(text[end:]))
    return str(soup)


def mathml(tex, block=False):
    """The formula as MathML, or '' if it cannot be converted to that and nothing else."""
    if len(tex) > _MOST:
        return ""
    tex = re.sub(r"\\(begin|end)\{(aligned|split|gathered)\}", r"\\\1{align*}", tex)
    try:
        made = convert(tex, display="block" if block else "inline")
        root = ElementTree.fromstring(made)
    except Exception:  # of TeX that is wrong, whatever the converter says then
        return ""
    for node in root.iter():
        if node.tag.removeprefix(_MATHML) not in _TAGS:
            return ""
        for name in [*node.attrib]:
            if name not in _ATTRIBUTES:
                del node.attrib[name]
        node.tag = node.tag.removeprefix(_MATHML)
        _use_the_letters_own_style(node)
    return ElementTree.tostring(root, encoding="unicode")


def _use_the_letters_own_style(node):
    """Browsers show script, double-struck and the like as characters of their own only."""
    style = node.attrib.get("mathvariant", "normal")
    if style == "normal" or not node.text or len(node.text) > 1:
        return
    *_, letter = unicodedata.name(node.text, "?").split()
    for kind in ("CAPITAL" if node.text.isupper() else "SMALL", "DIGIT"):
        wanted = f"{style.upper()} {kind} {letter}"
        for name in (f"MATHEMATICAL {wanted}", wanted):
            with suppress(KeyError):
                node.text = unicodedata.lookup(name)
                del node.attrib["mathvariant"]
                return
