"""Submissions that carry scripts, in the teacher's browser: shown, and none of them runs."""

import base64
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

import nbformat
import pytest
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.server_extensions.formgrader import handlers
from support.assignments import NAMES
from support.course import Course
from support.paths import ROOT

from classroom.assignments import nbgrader_api, nbgrader_settings, students_notebook
from classroom.marking_server import policy

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.browser]
NAME = NAMES[0]
DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)


def script(name):
    """JavaScript that leaves its name; it fits anywhere, without quotes or blanks."""
    return f"top.ran.push(/{name}/.source)"


def in_svg(name):
    return f"<svg xmlns='http://www.w3.org/2000/svg' onload='{script(name)}'/>"


MARKDOWN = {
    "md-script": "<script>{}</script>",
    "md-image": "<img src=x onerror={}>",
    "md-svg": "<svg onload={}></svg>",
    "md-details": "<details open ontoggle={}>x</details>",
    "md-frame": '<iframe srcdoc="<script>{}</script>"></iframe>',
    "md-object": '<object data="javascript:{}"></object>',
    "md-link": "[click](javascript:{})",
    "md-coded-link": "[click](java&#115;cript:{})",
    "md-html-link": '<a href="javascript:{}">click</a>',
    "md-upper-link": '<a href="JaVaScRiPt:{}">click</a>',
    "md-title": '![x](y "\\" onerror={} \\"")',
    "md-fence": "```mermaid\n<img src=x onerror={}>\n```",
    "md-code": "<pre><code></code><img src=x onerror={}></pre>",
    "md-elsewhere": "![x](https://example.org/{})\n<img src='https://example.org/{}'>",
    "md-math": "$</p><img src=x onerror={}>$",
}
HTML = "display(HTML({!r}))"
OUTPUTS = {
    "html-script": HTML.format("<script>{}</script>"),
    "html-image": HTML.format("<img src=x onerror={}>"),
    "isolated": "display({'text/html': '<script>{}</script>'}, raw=True,"
    " metadata={'text/html': {'isolated': True}})",
    "markdown": "display(Markdown('<img src=x onerror={}>'))",
    "markdown-link": "display(Markdown('[click](javascript:{})'))",
    "javascript": "display(Javascript('{}'))",
    "svg": "display({{'image/svg+xml': {svg!r}}}, raw=True)",
    "latex": "display({'text/latex': '<img src=x onerror={}>'}, raw=True)",
    "unknown": "display({'text/vnd.mermaid': '<img src=x onerror={}>'}, raw=True)",
    "png": "display({'image/png': 'x\" onerror={} y=\"'}, raw=True)",
    "png-width": "display({'image/png': 'x'}, raw=True,"
    " metadata={'image/png': {'width': '1 onerror={}'}})",
    "png-file": "display({'image/png': 'x'}, raw=True,"
    " metadata={'filenames': {'image/png': 'x\" onerror={} y=\"'}})",
    "stream": "print('<img src=x onerror={}>')",
    "plain": "display({'text/plain': '<img src=x onerror={}>'}, raw=True)",
    "error": "raise type('<img src=x onerror={}>', (Exception,), {})('<script>{}</script>')",
    "language": "get_ipython().kernel.language_info ="
    " {'name': 'x', 'pygments_lexer': '\"><img src=x onerror={}>'}",
    "widget": "import ipywidgets\nipywidgets.HTML('<img src=x onerror={}>')",
    # The last, since it may swallow what follows.
    "html-nested": HTML.format("<math><mtext><table><mglyph><style><img src=x onerror={}>"),
}
# Those that run if nothing is done about them, here where the network cannot be reached.
LIVE = {"md-script", "md-image", "md-svg", "md-details", "md-frame", "md-fence", "md-code"}
LIVE |= {"md-link", "md-coded-link", "md-html-link", "md-upper-link", "html-script"}
LIVE |= {"html-image", "markdown", "markdown-link", "javascript", "png-width", "label"}


def filled(pattern, name):
    if name == "svg":
        return pattern.format(svg=in_svg(name))
    return pattern.replace("{}", script(name))


def hostile():
    """The students' notebook with all that in it."""
    notebook = students_notebook(NAME)
    notebook.cells += [new_markdown_cell(filled(md, name)) for name, md in MARKDOWN.items()]
    first = "from IPython.display import HTML, Javascript, Markdown, display"
    notebook.cells.append(new_code_cell(first))
    notebook.cells += [new_code_cell(filled(code, name)) for name, code in OUTPUTS.items()]
    return notebook


MATHS = r"""For $a<b$ and $b & c$ we have

$$\begin{aligned} x &= 1 \\ y &< 2 \end{aligned}$$

![mine](attachment:dot.png) and `a < b & c`, **bold**

| a | b |
|---|--:|
| 1 | 2 |
"""


def honest(notebook):
    """An answer in words, with formulas and pictures."""
    *_, answer = notebook.cells
    answer.source = MATHS
    vector = base64.b64encode(in_svg("attached").encode()).decode()
    answer.attachments = {"dot.png": {"image/png": DOT}, "v.svg": {"image/svg+xml": vector}}
    answer.source += "\n![vector](attachment:v.svg)"
    return notebook


def forged(path):
    """A label that only a notebook which nbgrader marks by itself could have."""
    notebook = nbformat.read(path, as_version=4)
    cell = next(cell for cell in notebook.cells if cell.cell_type == "code")
    cell.metadata.nbgrader.grade_id = f'"><img src=x onerror={script("label")}>'
    cell.metadata.nbgrader |= {"grade": True, "points": 1}
    path.chmod(0o644)
    nbformat.write(notebook, path)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = Course(tmp_path_factory.mktemp("scripts"))
    course.hand_in("eve", NAME, hostile())
    course.hand_in("ada", NAME, honest(students_notebook(NAME)))
    course.hand_in("lost", NAME, honest(students_notebook(NAME)))
    course.grade(str(course.folder))
    for student in ("eve", "ada", "lost"):
        path = course.home / "autograded" / student / NAME / f"{NAME}.ipynb"
        assert path.exists(), course.said
        if student == "eve":
            forged(path)
    # A picture that is missing must not keep the page from being shown.
    text = path.read_text("utf-8").replace('"dot.png"', '"gone.png"')
    path.chmod(0o644)
    path.write_text(text, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LENIENT_COURSE", str(course.home))
        yield course


@pytest.fixture(scope="module")
def formgrader(course):
    """Addresses of the submissions, on the server that `make formgrader` starts."""
    log = course.home / "server.log"
    server = subprocess.Popen(
        [sys.executable, "-m", "classroom.marking_server",
         "--no-browser", "--port=0", "--IdentityProvider.token="],
        cwd=ROOT, env=course.environment, stderr=open(log, "w"),
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not (found := re.search(r"http://127\.0\.0\.1:\d+", log.read_text())):
        assert server.poll() is None and time.monotonic() < deadline, log.read_text()
        time.sleep(0.2)
    with nbgrader_api().gradebook as gradebook:
        ids = {
            student: gradebook.find_submission(NAME, student).notebooks[0].id
            for student in ("eve", "ada", "lost")
        }
    pages = {student: f"{found[0]}/formgrader/submissions/{ids[student]}/" for student in ids}
    yield {"home": found[0], **pages}
    server.terminate()
    server.wait()


@pytest.fixture
def page(browser):
    page = browser.new_page()
    page.asked_elsewhere = []

    def refuse(route):
        page.asked_elsewhere.append(route.request.url)
        route.abort()

    # What a page may load from elsewhere is not there, in an exam room or here.
    page.route(re.compile(r"^https?://(?!127\.0\.0\.1)"), refuse)
    page.add_init_script("window.ran = []")
    yield page
    page.close()


def what_ran(page):
    """Names of the scripts that ran by themselves, or when all links are followed."""
    page.wait_for_load_state("networkidle")
    page.evaluate(
        "for (const a of document.querySelectorAll('#notebook a'))"
        " if (/^\\s*javascript/i.test(a.protocol)) a.click()"
    )
    page.wait_for_timeout(300)
    return set(page.evaluate("window.ran"))


def test_nothing_runs_on_the_page_for_marking(formgrader, page):
    answer = page.goto(formgrader["eve"])
    assert answer.ok, answer.status_text
    assert page.locator("#notebook .nbgrader_cell").count() > 5
    assert what_ran(page) == set()
    # Widgets load programs from elsewhere, whatever the notebook asks for.
    assert "html-manager" not in page.content() and "widget-state" not in page.content()
    # The page's own script did run: there are points to be given.
    assert page.locator("input.score").first.is_visible()
    assert page.asked_elsewhere == []


def test_nothing_runs_in_the_feedback(course, page):
    done = course.run("nbgrader", "generate_feedback", NAME, "--force")
    assert done.returncode == 0, done.stderr
    path = course.home / "feedback" / "eve" / NAME / f"{NAME}.html"
    page.goto(path.as_uri())
    assert page.locator("#notebook .nbgrader_cell").count() > 5
    assert what_ran(page) == set()


@pytest.mark.parametrize("guarded", [False, True], ids=["no policy", "policy"])
def test_without_the_settings_they_run_unless_the_policy_stops_them(course, page, guarded):
    """The carriers are live: the tests above would notice if the settings were gone."""
    config = nbgrader_settings()
    del config["HTMLExporter"]
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    path = course.home / "autograded" / "eve" / NAME / f"{NAME}.ipynb"
    home = "http://127.0.0.1:1"
    resources = {"index": 0, "total": 1, "base_url": home, "notebook_id": NAME}
    html, _ = HTMLExporter(config=config).from_filename(str(path), resources=resources)
    headers = {"Content-Type": "text/html"}
    if guarded:
        headers["Content-Security-Policy"] = policy("secret")
    page.route(f"{home}/", lambda route: route.fulfill(body=html, headers=headers))
    jquery = f"{handlers.static_path}/node_modules/jquery/dist/jquery.min.js"
    page.route("**/jquery.min.js", lambda route: route.fulfill(path=jquery))
    page.goto(f"{home}/")
    ran = what_ran(page)
    assert ran == set() and not page.asked_elsewhere if guarded else ran >= LIVE


@pytest.mark.parametrize(
    "path",
    ["api/contents", "api/kernels", "api/kernelspecs", "api/sessions", "api/terminals"]
    + ["terminals/1", "files/README.md", "view/x", "lab", "tree", "api/config/x"]
    + ["formgrader?path=/tmp"],
)
def test_the_server_for_marking_can_do_nothing_else(formgrader, path):
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{formgrader['home']}/{path}")
    assert refused.value.code in (403, 404)


@pytest.mark.parametrize("kind", ["manage_assignments", "gradebook", "manage_students"])
def test_the_pages_for_marking_work_under_the_policy(formgrader, page, kind):
    refused = []
    page.on("console", lambda said: refused.append(said.text) if said.type == "error" else 0)
    page.on("pageerror", lambda error: refused.append(str(error)))
    assert page.goto(f"{formgrader['home']}/formgrader/{kind}").ok
    page.wait_for_load_state("networkidle")
    assert page.locator("table tbody tr").count() >= 1
    assert refused == [] and page.asked_elsewhere == []
    header = page.request.get(page.url).headers["content-security-policy"]
    assert "default-src 'none'" in header


def test_a_mark_by_hand_is_kept(formgrader, page):
    """What the page is for: under the policy its scripts save points."""
    page.goto(formgrader["ada"])
    points = page.locator("input.score").last
    points.fill("2")
    points.blur()
    page.wait_for_load_state("networkidle")
    page.goto(formgrader["ada"])
    assert page.locator("input.score").last.input_value() == "2"


def test_formulas_pictures_and_tables_are_shown(formgrader, page):
    page.goto(formgrader["ada"])
    answer = page.locator(".nbgrader_cell").last
    text = " ".join(answer.inner_text().split())
    assert "and $b & c$ we" in text  # which is no formula
    assert answer.locator("math").count() == 2 and answer.locator("mtr").count() == 2
    assert "a < b & c" in answer.locator("code").all_inner_texts()
    assert answer.locator("img").count() == 2
    loaded = "image => image.decode().then(() => image.naturalWidth)"
    assert answer.locator("img").first.evaluate(loaded) == 1
    assert answer.locator("th").all_inner_texts() == ["a", "b"]
    assert answer.locator("strong").inner_text() == "bold"
    assert what_ran(page) == set()


def test_a_plot_is_shown(formgrader, page):
    page.goto(formgrader["ada"])
    plot = page.locator(".output_png img").last
    assert plot.evaluate("image => image.naturalWidth") > 100


def test_an_answer_with_a_missing_picture_is_shown_as_it_was_written(formgrader, page):
    assert page.goto(formgrader["lost"]).ok
    assert "attachment:dot.png" in page.locator(".nbgrader_cell").last.inner_text()


def test_marking_needs_no_other_host(formgrader, page):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(formgrader["ada"])
    page.wait_for_load_state("networkidle")
    assert page.locator("math").count() > 10
    assert len(asked) > 5 and not [url for url in asked if "//127.0.0.1:" not in url]
