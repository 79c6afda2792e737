// The search: sections that have all the words, best first. A word counts from its beginning
// ("regre" finds "regret"); "ε-TS" and "eps-TS" are one word.
(() => {
  const plain = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase()
    .replace(/\beps(ilon)?-/g, "ε-").replace(/[\u2010\u2011]/g, "-");
  const words = (text) => plain(text).match(/[\p{L}\p{N}_*∞]+(?:[-.'’][\p{L}\p{N}_]+)*/gu) || [];
  const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const also = { ts: "thompson sampling" };
  // A short name in capitals ("TS") is meant as a whole, anything else from its beginning.
  const pattern = (word, asked) => {
    const whole = word.length < 4 || /^\p{Lu}+$/u.test(asked);
    const other = also[word] ? `|${also[word]}` : "";
    const end = whole ? "(?![\\p{L}\\p{N}_])" : "";
    return new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${escape(word)}${other})${end}`, "gu");
  };
  const entries = sections.map(([address, page, title, text]) =>
    ({ address, page, title, text, low: plain(text), head: plain(title), top: plain(page) }));

  const search = (query) => {
    const asked = query.trim().split(/\s+/), patterns = words(query)
      .map((word) => pattern(word, asked.find((a) => plain(a) === word) || ""));
    const phrase = plain(query.trim());
    const count = (text, p) => text.match(p)?.length || 0;
    return !patterns.length ? [] : entries.map((entry) => {
      let score = entry.head === phrase ? 60 : entry.head.includes(phrase) ? 15 : 0;
      for (const p of patterns) {
        const here = 12 * count(entry.head, p) + Math.min(6, count(entry.low, p));
        if (!here && !count(entry.top, p)) return null;
        score += here + 3 * count(entry.top, p);
      }
      if (entry.address.includes("#term-")) score += 20; // says what it is, in a line
      return { entry, score: score + (entry.low.includes(phrase) ? 5 : 0), patterns };
    }).filter(Boolean).sort((a, b) => b.score - a.score).slice(0, 60);
  };

  const marked = (text, patterns) => {
    const low = plain(text), node = document.createElement("p");
    if (low.length !== text.length) return Object.assign(node, { textContent: text.slice(0, 220) });
    const hits = patterns.flatMap((p) => [...low.matchAll(p)].map((m) => [m.index, m[0].length]))
      .sort((a, b) => a[0] - b[0]);
    let from = Math.max(0, (hits[0]?.[0] ?? 0) - 70);
    if (from) from = text.indexOf(" ", from) + 1;
    const to = from + 230;
    let at = from;
    if (from) node.append("… ");
    for (const [start, length] of hits) {
      if (start < at || start > to) continue;
      node.append(text.slice(at, start));
      node.append(Object.assign(document.createElement("mark"),
        { textContent: text.slice(start, start + length) }));
      at = start + length;
    }
    node.append(text.slice(at, Math.max(at, to)), to < text.length ? " …" : "");
    return node;
  };

  const form = document.getElementById("find"), list = document.getElementById("hits");
  const say = document.getElementById("found"), field = form.elements.q;
  const answer = () => {
    const hits = search(field.value), asked = field.value.trim();
    const many = `${hits.length === 60 ? "the 60 best" : hits.length} section${hits.length === 1 ? "" : "s"}`;
    say.textContent = !asked ? "" : hits.length ? many
      : "Nothing. Try fewer letters, or the index of terms.";
    list.replaceChildren(...hits.map(({ entry, patterns }) => {
      const item = document.createElement("li"), link = document.createElement("a");
      link.href = entry.address;
      link.textContent = entry.title;
      item.append(link);
      if (entry.page !== entry.title) {
        item.append(Object.assign(document.createElement("span"), { textContent: entry.page }));
      }
      item.append(marked(entry.text, patterns));
      return item;
    }));
  };
  field.value = new URLSearchParams(location.search).get("q") || "";
  answer();
  form.addEventListener("input", answer);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    history.replaceState(null, "", `?q=${encodeURIComponent(field.value)}`);
    answer();
  });
})();
