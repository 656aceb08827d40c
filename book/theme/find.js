// SPDX-License-Identifier: MIT
// find.js - full-text search over prose, glossary and code. The index is built by lunr when the
// field is first used, from find-index.js, which lies beside the page: it works from disk.
"use strict";

(function () {
  const MOST = 12, FEW = 4, AROUND = 70;
  // A reader looks for a word's meaning first, then for chapters, and last for what is about the
  // making of this book.
  const WEIGHTS = [[/^glossary/, 1.5], [/^(decision_|architecture)/, 0.25], [/^bibliography|#further-reading/, 0.5], [/^(instructor|model)/, 0.7]];
  const BETWEEN = /[^\w]+/;

  /** A text as it is searched: __syncthreads as syncthreads.
   * @param {string} text */
  function plain(text) {
    return text.replace(/\b_+/g, " ");
  }

  let index = null;

  /** @param {string} source */
  function load(source) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = source;
      script.onload = resolve;
      script.onerror = () => reject(new Error(source + " is missing"));
      document.head.append(script);
    });
  }

  async function ready() {
    if (index) return;
    await load("lunr.min.js");
    await load("find-index.js");
    const lunr = window.lunr;
    index = lunr(function () {
      this.ref("id");
      this.field("title", {boost: 8});
      this.field("page", {boost: 2});
      this.field("text");
      this.tokenizer.separator = BETWEEN;
      window.findDocuments.forEach((one, id) => {
        const weight = WEIGHTS.find(([pages]) => pages.test(one.at));
        this.add({...one, id, title: plain(one.title), text: plain(one.text)}, {boost: weight ? weight[1] : 1});
      });
    });
  }

  /** The best sections: with all words as they are, or written as one (atomic add: atomicAdd); where
   * those are few, with any beginning; then with some of the words, which may be misspelt by a
   * letter or, if they are long, by two.
   * @param {string} words
   * @returns {Array<{at: string, page: string, title: string, text: string}>} */
  function find(words) {
    const lunr = window.lunr;
    const all = plain(words.toLowerCase()).split(BETWEEN).filter(Boolean);
    const telling = all.filter((term) => lunr.stopWordFilter(term)); // "what is a" is in no index
    const terms = telling.length > 0 ? telling : all;
    if (terms.length === 0) return [];
    const {REQUIRED, OPTIONAL} = lunr.Query.presence;
    const search = (wanted, way) => index.query((query) => wanted.forEach((term) => way(query, term)));
    const ways = [(query, term) => query.term(term, {presence: REQUIRED, usePipeline: true}),
                  (query, term) => query.term(term, {presence: REQUIRED, wildcard: lunr.Query.wildcard.TRAILING, usePipeline: false}),
                  (query, term) => {
                    query.term(term, {presence: OPTIONAL, boost: 10, usePipeline: true});
                    if (term.length > 3) query.term(term, {presence: OPTIONAL, editDistance: term.length > 7 ? 2 : 1, usePipeline: true});
                  }];
    const found = terms.length > 1 ? search([terms.join("")], ways[0]) : [];
    for (const way of ways) {
      if (found.length >= FEW) break;
      const known = new Set(found.map((one) => one.ref));
      found.push(...search(terms, way).filter((one) => !known.has(one.ref)));
    }
    return found.slice(0, MOST).map((one) => window.findDocuments[Number(one.ref)]);
  }

  /** A stretch of text about the first of the words.
   * @param {string} text @param {string} words */
  function excerpt(text, words) {
    const first = plain(words.toLowerCase()).split(BETWEEN).filter(Boolean)
        .map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0);
    const at = Math.max(0, (first.length ? Math.min(...first) : 0) - AROUND);
    return (at > 0 ? "… " : "") + text.slice(at, at + 2 * AROUND) + " …";
  }

  function begin() {
    const box = document.getElementById("find");
    if (!box) return;
    const field = /** @type {HTMLInputElement} */ (document.createElement("input"));
    const list = document.createElement("ol");
    Object.assign(field, {type: "search", id: "find-words", placeholder: "Search the book", autocomplete: "off"});
    field.setAttribute("aria-label", "Search the book");
    list.id = "find-results";
    list.hidden = true;
    box.prepend(field, list);

    async function show() {
      await ready();
      const results = find(field.value);
      list.replaceChildren(...results.map((one) => {
        const link = document.createElement("a");
        link.href = one.at;
        link.textContent = one.title === one.page ? one.page : one.page + ": " + one.title;
        const text = document.createElement("p");
        text.textContent = excerpt(one.text, field.value);
        const item = document.createElement("li");
        item.append(link, text);
        return item;
      }));
      if (results.length === 0 && field.value.trim()) list.textContent = "Nothing found.";
      list.hidden = field.value.trim() === "";
    }
    field.addEventListener("focus", () => ready().catch((error) => { list.textContent = error.message; }));
    field.addEventListener("input", show);
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") list.hidden = true;
      if (event.key === "ArrowDown" || event.key === "Enter") {
        const link = list.querySelector("a");
        if (link && !list.hidden) {
          event.preventDefault();
          if (event.key === "Enter") link.click();
          else link.focus();
        }
      }
    });
    list.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { list.hidden = true; field.focus(); }
    });
    document.addEventListener("keydown", (event) => {
      const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
      if (event.key === "/" && !typing) { event.preventDefault(); field.focus(); }
    });
  }
  window.bookFind = {ready, find};
  begin();
})();
