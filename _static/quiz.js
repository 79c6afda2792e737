// Marks the answers to the questions at the end of a chapter. Without it the page shows
// the same explanations in a fold below each question.
(() => {
  // "0,25", "−0.25" and "1 000" are numbers too; anything else is NaN.
  const numberIn = (text) => {
    const plain = text.replace(/\s/g, "").replace(",", ".").replace("−", "-");
    return plain === "" ? NaN : Number(plain);
  };

  // The explanation of the nearest known value, or the one for any other number.
  const explanation = (form, given) => {
    const known = [...form.querySelectorAll("[data-value]")];
    const miss = (node) => Math.abs(node.dataset.value - given);
    known.sort((a, b) => miss(a) - miss(b));
    return miss(known[0]) <= Number(form.dataset.tolerance) + 1e-9
      ? known[0]
      : form.querySelector("details > div:not([data-value])");
  };

  const line = (text) => {
    const p = document.createElement("p");
    p.append(Object.assign(document.createElement("strong"), { textContent: text }));
    return p;
  };

  const check = (form) => {
    const verdict = form.querySelector(".quiz-verdict");
    const text = form.elements.answer.value;
    const given = numberIn(text);
    form.querySelector("[data-mark]")?.removeAttribute("data-mark");
    if (Number.isNaN(given)) {
      delete form.dataset.verdict;
      const typed = form.querySelector("[inputmode]");
      verdict.replaceChildren(
        line(typed ? "Please write a number, such as 0.25." : "Please choose an answer.")
      );
      return;
    }
    const found = explanation(form, given);
    const right = found.dataset.right === "true";
    const read = text.includes(",") ? ` (read as ${given})` : "";
    const why = found.querySelector(".quiz-why").cloneNode(true);
    verdict.replaceChildren(line((right ? "✓ Right" : "✗ Not right") + read + "."), why);
    form.dataset.verdict = right ? "right" : "wrong";
    const chosen = form.querySelector("input:checked, [inputmode]");
    chosen.closest("label").dataset.mark = form.dataset.verdict;
    if (right) form.querySelector("details").hidden = false;
    window.MathJax?.typesetPromise?.([verdict]); // if the reader was faster than MathJax
  };

  const setUp = (quiz) => {
    const forms = [...quiz.querySelectorAll("form")];
    const count = () => {
      const right = forms.filter((form) => form.dataset.verdict === "right").length;
      quiz.querySelector(".quiz-score").textContent = `${right} of ${forms.length} right`;
    };
    // What was answered is kept in this browser, and answered again when the page is.
    const key = `lenient:quiz:${location.pathname.split("/").pop()}`;
    let given = {};
    try {
      given = JSON.parse(localStorage.getItem(key)) || {};
    } catch {}
    const keep = () => {
      try {
        localStorage.setItem(key, JSON.stringify(given));
      } catch {}
    };
    for (const [number, form] of forms.entries()) {
      form.querySelector("button").hidden = false;
      form.querySelector("details").hidden = true;
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        check(form);
        given[number] = form.elements.answer.value;
        keep();
        count();
      });
      if (given[number]) {
        form.elements.answer.value = given[number];
        check(form);
      }
    }
    count();
  };

  const start = () => document.querySelectorAll(".quiz").forEach(setUp);
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
