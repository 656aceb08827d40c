// SPDX-License-Identifier: MIT
// lab.js - the lab of a chapter: runs the lesson's own program in the page, with the arguments that
// the reader chooses, and shows what it says. The program (NN_name.js, a third of a megabyte) is
// loaded when the lab is first used.
"use strict";

(function () {
  const SIZES = [32, 64, 256, 1000, 1024, 4096, 65536, 1048576];
  const BLOCKS = [32, 64, 128, 256, 512, 1024];
  const SCHEDULES = ["lockstep", "reverse", "lane-serial", "random:1", "random:2", "delayed-stores"];
  const CHECKS = ["none", "all", "racecheck", "memcheck", "initcheck", "synccheck"];
  const MOST_TRACED = 1024, TRACED_BLOCK = 256, MOST_ELEMENTS = 1 << 22;

  /** @type {Map<string, Promise<{module: WebAssembly.Module, sources: Object<string, string>}>>} */
  const loaded = new Map();

  /** The program of a lesson, loaded once.
   * @param {string} lesson */
  function load(lesson) {
    if (!loaded.has(lesson)) {
      loaded.set(lesson, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = "lab/" + lesson + ".js";
        script.onerror = () => reject(new Error("lab/" + lesson + ".js is missing: build the book again"));
        script.onload = async () => {
          const entry = window.labModules[lesson];
          try {
            resolve({module: await window.labWasi.unpack(entry.program), sources: entry.sources});
          } catch (error) {
            reject(error);
          }
        };
        document.head.append(script);
      }));
    }
    return loaded.get(lesson);
  }

  /** Runs a lesson's program; what it prints as JSON, and what it complains of.
   * @param {string} lesson
   * @param {string[]} args
   * @param {string[]} [environment] */
  async function run(lesson, args, environment = []) {
    const {module} = await load(lesson);
    const done = window.labWasi.runProgram(module, [lesson, ...args, "--json"], environment);
    const rows = done.out.split("\n").filter((line) => line.startsWith("{\"lesson\"")).map((line) => JSON.parse(line));
    return {rows, status: done.status, err: done.err.trim(), out: done.out};
  }

  /** @param {string} tag @param {Object} [properties] @param {...(Node|string)} children */
  function make(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  /** @param {string} label @param {Array<string|number>} values @param {string|number} chosen */
  function select(label, values, chosen) {
    const list = make("select", {}, ...values.map((value) => make("option", {
      value: String(value), textContent: Number(value) ? Number(value).toLocaleString("en") : String(value),
      selected: value === chosen})));
    list.setAttribute("aria-label", label);
    return {list, box: make("label", {}, label + " ", list)};
  }

  /** A field for a number, with values to choose from.
   * @param {string} label @param {number[]} values @param {number} chosen */
  function field(label, values, chosen) {
    const choice = make("datalist", {id: "lab-" + label.replace(/\W/g, "-")},
                        ...values.map((value) => make("option", {value: String(value)})));
    const list = make("input", {type: "text", size: 9, value: String(chosen), autocomplete: "off"});
    list.setAttribute("list", choice.id);
    list.setAttribute("aria-label", label);
    return {list, box: make("label", {}, label + " ", list, choice)};
  }

  /** A number as the program understands it too: 4096, 4,096, 2^12, 1e6 or 1M; NaN for anything else.
   * @param {string} text */
  function count(text) {
    const plain = /^\s*\d{1,3}(?:[,_ ]\d{3})+\s*$/.test(text) ? text.replace(/[,_ ]/g, "") : text.trim();
    const found = /^(\d+)(?:\^(\d+)|e(\d+)|([KMG]))?$/i.exec(plain);
    if (!found) return NaN;
    if (found[3]) return Number(plain);
    if (found[4]) return Number(found[1]) * 1024 ** ("KMG".indexOf(found[4].toUpperCase()) + 1);
    return Number(found[1]) ** Number(found[2] || 1);
  }

  /** Of a number that was typed: no more than `most`. What is no number stays, and the program
   * says so. @param {string} text @param {number} most */
  function atMost(text, most) {
    return Number.isNaN(count(text)) ? text.trim() : String(Math.min(count(text), most));
  }

  /** One lab on the page. */
  class Lab {
    /** @param {HTMLElement} place an element with data-lesson */
    constructor(place) {
      this.place = place;
      this.lesson = place.dataset.lesson;
      this.open = make("button", {type: "button", className: "lab-open", textContent: "Open the lab"});
      this.open.addEventListener("click", () => this.start());
      this.place.append(this.open);
    }

    async start() {
      this.open.disabled = true;
      this.open.textContent = "Loading the software GPU …";
      try {
        const {module} = await load(this.lesson);
        const listed = window.labWasi.runProgram(module, [this.lesson, "--list", "--json"], []);
        this.about = JSON.parse(listed.out.split("\n")[0]);
      } catch (error) {
        this.open.textContent = "The lab does not work here: " + error.message;
        return;
      }
      const hadFocus = document.activeElement === this.open || document.activeElement === document.body;
      this.open.remove();
      this.addControls();
      if (hadFocus) this.variant.list.focus({preventScroll: true});
    }

    addControls() {
      this.variant = select("variant", ["all", ...Object.keys(this.about.variants)], "all");
      this.n = field("elements", SIZES, 4096);
      this.block = field("block size", BLOCKS, 256);
      this.seed = select("seed of the input", [1, 2, 3, 4, 5], 1);
      this.schedule = select("schedule", SCHEDULES, "lockstep");
      this.check = select("checkers", CHECKS, "none");
      const run = make("button", {type: "button", className: "lab-run", textContent: "Run"});
      run.addEventListener("click", () => this.busy(run, () => this.run()));
      const watch = make("button", {type: "button", className: "lab-watch", textContent: "Watch step by step"});
      watch.addEventListener("click", () => this.busy(watch, () => this.watch()));
      this.beside = select("beside", ["nothing", ...Object.keys(this.about.variants)], "nothing");
      this.result = make("div", {className: "lab-result"});
      this.result.setAttribute("aria-live", "polite");
      this.players = make("div", {className: "lab-players"});
      this.place.append(
          make("div", {className: "lab-controls"}, this.variant.box, this.n.box, this.block.box,
               this.seed.box, this.schedule.box, this.check.box, run),
          this.result,
          make("div", {className: "lab-controls"}, watch, this.beside.box,
               make("span", {className: "lab-note", textContent:
                 `the first launch, with at most ${MOST_TRACED.toLocaleString("en")} elements and ${TRACED_BLOCK} threads`})),
          this.players);
    }

    /** Lets the page show that it works before it does.
     * @param {HTMLButtonElement} button @param {() => Promise<void>} work */
    async busy(button, work) {
      const label = button.textContent;
      button.disabled = true;
      button.textContent = "Running …";
      await new Promise((resolve) => setTimeout(resolve, 30));
      try {
        await work();
      } catch (error) {
        this.result.replaceChildren(make("p", {className: "lab-error", textContent: error.message}));
      }
      button.textContent = label;
      button.disabled = false;
      if (document.activeElement === document.body) button.focus({preventScroll: true}); // a disabled button loses it
    }

    /** @param {string} variant @param {number} mostElements @param {number} mostThreads */
    args(variant, mostElements, mostThreads) {
      const args = ["--variant", variant, "--n", atMost(this.n.list.value, mostElements),
                    "--block", atMost(this.block.list.value, mostThreads), "--seed", this.seed.list.value];
      if (this.schedule.list.value !== "lockstep") args.push("--schedule", this.schedule.list.value);
      if (this.check.list.value !== "none") args.push("--check=" + this.check.list.value);
      return args;
    }

    async run() {
      if (/[,.]/.test(this.n.list.value) && Number.isNaN(count(this.n.list.value))) {
        throw new Error("One number of elements at a time: 4096, 4,096, 2^12 or 1M");
      }
      if (count(this.n.list.value) > MOST_ELEMENTS) {
        throw new Error(`In the page there is room for ${MOST_ELEMENTS.toLocaleString("en")} elements. In a terminal for more: ` +
                        `make run LESSON=${this.lesson} N=${count(this.n.list.value)}`);
      }
      const done = await run(this.lesson, this.args(this.variant.list.value, MOST_ELEMENTS, Infinity));
      this.result.replaceChildren();
      if (done.rows.length > 0) this.result.append(this.table(done.rows));
      if (done.err) this.result.append(this.findings(done.err));
      if (done.rows.length === 0 && !done.err) this.result.append(make("p", {textContent: "The program said nothing."}));
      this.place.dispatchEvent(new CustomEvent("lab-ran", {detail: done}));
    }

    /** A column for each variant; the counters that are not all zero.
     * @param {Array<Object>} rows */
    table(rows) {
      const number = (value) => typeof value === "number" ? value.toLocaleString("en", {maximumSignificantDigits: 5}) : value ?? "–";
      const head = make("tr", {}, make("th", {textContent: "software GPU"}), ...rows.map((row) => make("th", {textContent: row.variant, scope: "col"})));
      const line = (name, values, title = "") => make("tr", {title}, make("th", {textContent: name, scope: "row"}),
          ...values.map((value) => make("td", {textContent: number(value)})));
      const body = make("tbody", {}, line("result", rows.map((row) => row.correct ? "right" : "WRONG")),
          line("modelled time, µs", rows.map((row) => row.time_ms === null ? null : 1000 * row.time_ms),
               "an estimate for an H200, not a measurement; – where blocks wait for each other, which the model cannot judge"),
          line("modelled GB/s", rows.map((row) => row.gb_per_s)));
      for (const name of Object.keys(rows[0].explains || {})) {
        const row = line(name, rows.map((one) => one.explains[name]));
        row.className = "lab-explains";
        body.append(row);
      }
      const more = make("tbody", {hidden: true});
      for (const name of Object.keys(rows[0].counters)) {
        const values = rows.map((row) => row.counters[name]);
        if (values.some((value) => value !== 0)) more.append(line(name, values));
      }
      const all = make("button", {type: "button", className: "lab-more", textContent: "All counters"});
      all.setAttribute("aria-expanded", "false");
      all.addEventListener("click", () => {
        more.hidden = !more.hidden;
        all.setAttribute("aria-expanded", String(!more.hidden));
      });
      return make("div", {className: "lab-table"}, make("table", {}, make("thead", {}, head), body, more), all);
    }

    /** What the program wrote to stderr; FILE:LINE leads to the line in the player.
     * @param {string} text */
    findings(text) {
      const box = make("pre", {className: "lab-findings"});
      for (const part of text.split(/([\w.]+\.cuh?:\d+)/)) {
        const place = /^([\w.]+\.cuh?):(\d+)$/.exec(part);
        if (!place) {
          box.append(part);
          continue;
        }
        const link = make("button", {type: "button", className: "lab-place", textContent: part});
        link.addEventListener("click", () => this.pointOut(place[1], Number(place[2])));
        box.append(link);
      }
      return box;
    }

    /** @param {string} file @param {number} line */
    async pointOut(file, line) {
      if (this.players.children.length === 0) await this.watch();
      for (const player of this.shown || []) {
        const at = player.trace.steps.findIndex((step) => step.line && step.line[0] === file && step.line[1] === line);
        if (at >= 0) player.show(at);
      }
    }

    async watch() {
      const names = Object.keys(this.about.variants);
      const first = this.variant.list.value === "all" ? names[0] : this.variant.list.value;
      const chosen = this.beside.list.value === "nothing" ? [first] : [first, this.beside.list.value];
      const {sources} = await load(this.lesson);
      this.players.replaceChildren();
      this.shown = [];
      for (const variant of chosen) {
        const done = await run(this.lesson, this.args(variant, MOST_TRACED, TRACED_BLOCK), ["LAB_TRACE=1:0"]);
        if (!done.out.includes("\"trace\"")) throw new Error(done.err || `There is nothing to watch: ${variant} launches no kernel of this lesson.`);
        this.shown.push(new window.labPlayer.Player(this.players, variant, done.out, sources));
      }
      this.players.classList.toggle("two", chosen.length > 1);
      this.shown[0].root.focus();
    }
  }

  function begin() {
    for (const place of document.querySelectorAll("section.lab[data-lesson]")) new Lab(place);
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();

  window.labRun = run;
})();
