// SPDX-License-Identifier: MIT
// player.js - shows a recorded launch: lanes as columns, the line of source, shared memory by bank,
// sectors, shuffles. Left and right step, up and down go to another line, Home and End to the ends;
// the blank plays and stops. Everything that is shown is what the engine said (trace.js).
"use strict";

(function () {
  const SVG = "http://www.w3.org/2000/svg";
  const PLAY_MS = 350;
  const BANKS = 32, MOST_ROWS = 24; // of shared memory that are shown at a time
  const {Trace, wordsByBank, wavefronts, leastWavefronts, sectors, heldText, shortNumber} = window.labTrace;

  /** @param {string} tag @param {string} [name] class @param {string} [text] */
  function element(tag, name, text) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  /** One launch on the page. */
  class Player {
    /** @param {HTMLElement} place
     * @param {string} title
     * @param {string} text the recorded lines
     * @param {Object<string, string>} sources text of each file that can be shown */
    constructor(place, title, text, sources) {
      this.trace = new Trace(text, new Set(Object.keys(sources)));
      this.sources = sources;
      this.timer = 0;
      this.root = element("div", "player");
      this.root.tabIndex = 0;
      this.root.setAttribute("role", "group");
      this.root.setAttribute("aria-label", "Step by step: " + title);
      place.append(this.root);
      this.root.append(element("h4", "", title + ": " + this.describeLaunch()));
      this.addControls();
      this.said = element("p", "player-said");
      this.said.setAttribute("aria-live", "polite");
      this.code = element("pre", "player-code");
      this.warps = element("div", "player-warps");
      this.memory = element("div", "player-memory");
      const columns = element("div", "player-columns");
      columns.append(this.code, this.warps);
      this.root.append(this.said, columns, this.memory);
      this.addPairs();
      this.root.addEventListener("keydown", (event) => this.onKey(event));
      this.show(0);
    }

    describeLaunch() {
      const launch = this.trace.launch;
      if (!launch) return "nothing was recorded";
      const n = launch.grid[0], threads = launch.block[0];
      return `${launch.kernel}, ${n} block${n === 1 ? "" : "s"} of ${threads} thread${threads === 1 ? "" : "s"}; block 0 is shown` +
             (this.trace.isWhole ? "" : `, its first ${this.trace.steps.length.toLocaleString("en")} steps`);
    }

    addControls() {
      const bar = element("div", "player-bar");
      const button = (label, title, act) => {
        const made = element("button", "", label);
        made.type = "button";
        made.title = title;
        made.setAttribute("aria-label", title);
        made.addEventListener("click", act);
        bar.append(made);
        return made;
      };
      button("|◀", "To the beginning (Home)", () => this.show(0));
      button("◀◀", "Line before (arrow up)", () => this.show(this.trace.nextLine(-1)));
      button("◀", "Step back (arrow left)", () => this.show(this.trace.at - 1));
      this.playButton = button("▶", "Play (blank)", () => this.play());
      button("▶|", "Step (arrow right)", () => this.show(this.trace.at + 1));
      button("▶▶", "Next line (arrow down)", () => this.show(this.trace.nextLine(1)));
      this.slider = element("input");
      this.slider.type = "range";
      this.slider.min = "0";
      this.slider.max = String(Math.max(0, this.trace.steps.length - 1));
      this.slider.setAttribute("aria-label", "Step");
      this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
      this.count = element("span", "player-count");
      bar.append(this.slider, this.count);
      const conflicts = this.trace.conflicts();
      if (conflicts.length > 0) {
        button("⚠ bank conflict", `Next of ${conflicts.length} accesses with bank conflicts`, () => {
          this.show(conflicts.find((i) => i > this.trace.at) ?? conflicts[0]);
        });
      }
      this.root.append(bar);
    }

    /** Races, each as a link to the one access and to the other. */
    addPairs() {
      this.pairs = this.trace.pairs();
      if (this.pairs.length === 0) return;
      const list = element("ul", "player-pairs");
      list.setAttribute("aria-label", "What the checkers found");
      for (const {finding, first, second} of this.pairs) {
        const item = element("li");
        item.append(element("b", "", finding.kind.replaceAll("_", " ")), ` on ${finding.target || "one word"}: `,
                    this.link(finding.first, first), " and ", this.link(finding.second, second));
        list.append(item);
      }
      this.said.before(list);
    }

    /** @param {Site} site @param {number} step */
    link(site, step) {
      const made = element("button", "player-pair", `thread ${site.thread[0]}, ${site.act}, line ${site.line}`);
      made.type = "button";
      made.title = `Go to step ${step + 1}`;
      made.addEventListener("click", () => this.show(step));
      return made;
    }

    /** The two lines of a race, where the present step is one of its accesses. */
    markPair() {
      for (const old of this.code.querySelectorAll(".pair")) old.classList.remove("pair");
      for (const {finding, first, second} of this.pairs || []) {
        if (this.trace.at !== first && this.trace.at !== second) continue;
        for (const site of [finding.first, finding.second]) {
          if (site.file.split("/").pop() === this.file) this.code.children[site.line - 1].classList.add("pair");
        }
      }
    }

    /** @param {KeyboardEvent} event */
    onKey(event) {
      const moves = {ArrowRight: () => this.trace.at + 1, ArrowLeft: () => this.trace.at - 1,
                     ArrowDown: () => this.trace.nextLine(1), ArrowUp: () => this.trace.nextLine(-1),
                     Home: () => 0, End: () => this.trace.steps.length - 1};
      if (event.target === this.slider && event.key !== " ") return;
      if (moves[event.key]) this.show(moves[event.key]());
      else if (event.key === " " && event.target === this.root) this.play();
      else return;
      event.preventDefault();
    }

    play() {
      const stop = this.timer !== 0;
      if (stop) {
        clearInterval(this.timer);
        this.timer = 0;
      } else {
        this.timer = window.setInterval(() => {
          if (this.trace.at >= this.trace.steps.length - 1) this.play();
          else this.show(this.trace.nextLine(1));
        }, PLAY_MS);
      }
      this.playButton.textContent = stop ? "▶" : "❚❚";
    }

    /** @param {number} to */
    show(to) {
      this.trace.goTo(Math.max(0, to));
      const step = this.trace.steps[this.trace.at];
      this.slider.value = String(this.trace.at);
      this.count.textContent = `${this.trace.at + 1} of ${this.trace.steps.length}`;
      if (!step) return;
      this.showCode(step);
      this.markPair();
      this.showWarps(step);
      this.showMemory(step);
      this.said.textContent = this.describe(step);
    }

    /** @param {Step} step */
    describe(step) {
      const parts = [`Warp ${step.w}: ${step.ptx}`];
      if (step.a && step.a.space === "shared") {
        const n = wavefronts(step.a);
        parts.push(`${step.a.kind} in shared memory, ${n} wavefront${n === 1 ? "" : "s"}`);
      }
      if (step.a && step.a.space === "global") {
        const n = sectors(step.a).length;
        const lanes = step.a.at.filter((address) => address !== null).length;
        parts.push(`${step.a.kind} of ${lanes * step.a.bytes} bytes in ${n} sector${n === 1 ? "" : "s"}`);
      }
      if (step.c) parts.push(step.c.kind);
      if (step.b) parts.push(step.b === "done" ? "the barrier is complete" : "arrives at the barrier");
      return parts.join(" · ");
    }

    /** @param {Step} step */
    showCode(step) {
      const [name, line] = step.line || ["", 0];
      if (name !== this.file) {
        this.file = name;
        this.code.textContent = "";
        (this.sources[name] || "").split("\n").forEach((text, i) => {
          const row = element("span", "player-line", text + "\n");
          row.dataset.line = String(i + 1);
          this.code.append(row);
        });
      }
      for (const old of this.code.querySelectorAll(".now")) old.classList.remove("now");
      const now = /** @type {HTMLElement} */ (this.code.children[line - 1]);
      if (!now) return;
      now.classList.add("now");
      this.code.scrollTop = now.offsetTop - this.code.clientHeight / 2;
    }

    /** @param {Step} step */
    showWarps(step) {
      this.warps.textContent = "";
      const states = this.trace.lanes();
      const names = {active: "executes this step", ready: "can go on", waits: "waits", gone: "has left, or does not exist"};
      states.forEach((lanes, w) => {
        const row = element("div", "lanes" + (w === step.w ? " current" : ""));
        row.append(element("span", "lanes-name", "warp " + w));
        lanes.forEach((state, l) => {
          const cell = element("span", "lane " + state);
          cell.title = `thread ${32 * w + l} (lane ${l}) ${names[state]}`;
          row.append(cell);
        });
        this.warps.append(row);
        if (w !== step.w) return;
        if (step.c && step.c.kind === "shuffle") this.warps.append(this.arrows(step));
        if (step.r) this.warps.append(this.values(step.r));
      });
      const key = element("p", "player-key");
      for (const state of Object.keys(names)) {
        key.append(element("span", "lane " + state), document.createTextNode(" " + names[state] + "  "));
      }
      this.warps.append(key);
    }

    /** The register that the step defined, a value for each lane.
     * @param {[string, string, Array<number|string|null>]} register */
    values([name, , values]) {
      const row = element("div", "lanes values");
      row.append(element("span", "lanes-name", name));
      values.forEach((value) => {
        const cell = element("span", "value", shortNumber(value));
        cell.title = value === null ? "no value" : String(value);
        row.append(cell);
      });
      return row;
    }

    /** @param {Step} step */
    arrows(step) {
      const picture = document.createElementNS(SVG, "svg");
      picture.setAttribute("viewBox", "0 0 320 44");
      picture.setAttribute("class", "arrows");
      picture.setAttribute("preserveAspectRatio", "none");
      picture.setAttribute("role", "img");
      picture.setAttribute("aria-label", "each lane reads: " + step.c.from.map(
          (from, lane) => from === null || from === lane ? "" : `${lane} from ${from}`).filter(Boolean).join(", "));
      step.c.from.forEach((from, lane) => {
        if (from === null || from === lane) return;
        const line = document.createElementNS(SVG, "path");
        line.setAttribute("d", `M${10 * from + 5},2 C${10 * from + 5},22 ${10 * lane + 5},22 ${10 * lane + 5},42`);
        picture.append(line);
      });
      return picture;
    }

    /** @param {Step} step */
    showMemory(step) {
      this.memory.textContent = "";
      if (step.a && step.a.space === "global") this.memory.append(this.sectorList(step.a));
      if (this.trace.words.length === 0) return;
      const asked = new Map(); // word -> whether its bank is asked for too many others
      if (step.a && step.a.space === "shared") {
        const least = leastWavefronts(step.a);
        for (const words of wordsByBank(step.a)) for (const word of words) asked.set(word, words.size > least);
      }
      const changed = new Set((step.s || []).map(([word]) => word));
      const rows = this.rowsToShow([...asked.keys(), ...changed]);
      const all = this.trace.words.length / BANKS;
      const grid = element("div", "banks");
      grid.setAttribute("role", "img");
      grid.setAttribute("aria-label", "shared memory by bank");
      grid.append(element("span", "bank-name", "bank"));
      for (let bank = 0; bank < BANKS; bank++) grid.append(element("span", "bank-name", String(bank)));
      const {held} = this.trace;
      for (const row of rows) {
        grid.append(element("span", "bank-name", String(BANKS * row)));
        for (let word = BANKS * row; word < BANKS * (row + 1); word += held.nWords) {
          const of = held.nWords === 2 ? [word, word + 1] : [word];
          let name = "word";
          if (of.some((one) => asked.has(one))) name += of.some((one) => asked.get(one)) ? " conflict" : " asked";
          if (of.some((one) => changed.has(one))) name += " changed";
          const text = heldText(this.trace.words, word, held);
          const cell = element("span", name + (held.nWords === 2 ? " wide" : ""), text);
          cell.title = `word ${word}, bank ${word % BANKS}: ${text === "?" ? "not written yet" : text}`;
          grid.append(cell);
        }
      }
      const some = rows.length < all ? `; ${rows.length} of its ${all.toLocaleString("en")} rows, those of the latest access` : "";
      this.memory.append(element("p", "player-caption", `Shared memory, a column for each bank, a row for 32 words${some}`), grid);
    }

    /** The rows of shared memory that are shown: all, or of many those that a step uses, or else
     * those shown before.
     * @param {number[]} words that the step uses */
    rowsToShow(words) {
      const all = this.trace.words.length / BANKS;
      if (all <= MOST_ROWS) return Array.from({length: all}, (_, row) => row);
      const used = [...new Set(words.map((word) => Math.floor(word / BANKS)))].filter((row) => row < all);
      if (used.length > 0 || !this.rows) {
        const shown = new Set(used.sort((a, b) => a - b).slice(0, MOST_ROWS));
        for (let row = 0; shown.size < MOST_ROWS; row++) shown.add(row);
        this.rows = [...shown].sort((a, b) => a - b);
      }
      return this.rows;
    }

    /** @param {{bytes: number, at: Array<number|null>}} access */
    sectorList(access) {
      const found = sectors(access), box = element("div", "sectors");
      box.append(element("p", "player-caption",
                         `Global memory: ${found.length} sectors of 32 bytes, the asked-for words filled`));
      const asked = new Set();
      for (const address of access.at) {
        if (address === null) continue;
        for (let b = 0; b < access.bytes; b += 4) asked.add(Math.floor((address + b) / 4));
      }
      for (const sector of found) {
        const made = element("span", "sector");
        made.title = "bytes from 0x" + (sector * 32).toString(16);
        for (let word = 0; word < 8; word++) made.append(element("span", asked.has(sector * 8 + word) ? "filled" : ""));
        box.append(made);
      }
      return box;
    }
  }

  window.labPlayer = {Player};
})();
