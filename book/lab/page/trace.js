// SPDX-License-Identifier: MIT
// trace.js - a recorded launch (common/tutor/kernel/recorder.h says how it is written): its steps, and
// what the block's shared memory held at each of them. No page is needed: the tests run this alone.
"use strict";

/** @typedef {{w: number, m: number, file: string, l: number, p: number, x?: string,
 *   r?: [string, string, Array<number|string|null>],
 *   a?: {kind: string, space: string, bytes: number, at: Array<number|null>},
 *   s?: Array<[number, number, number]>, b?: string,
 *   c?: {kind: string, members: number, mask: number, from: Array<number|null>},
 *   g: Array<[number, string]>, line?: [string, number], ptx?: string}} Step */
/** What a checker found; common/simt/findings/json.c writes more.
 * @typedef {{file: string, line: number, act: string, block: number[], thread: number[],
 *   warp: number, lane: number}} Site
 * @typedef {{kind: string, checker: string, severity: string, reported: boolean, launch: number,
 *   first: Site|null, second: Site|null, address: string|null, target: string|null,
 *   message: string}} Finding */

(function () {
  const BANKS = 32, SECTOR_BYTES = 32;
  const POISON = 0xa5a5a5a5; // what the software GPU fills memory with

  /** A launch that can be walked in both directions. */
  class Trace {
    /** @param {string} text lines of JSON; others are passed over
     * @param {Set<string>} known names of source files that can be shown */
    constructor(text, known) {
      /** @type {Step[]} */
      this.steps = [];
      this.launch = null;
      this.isWhole = true; // false: there were more steps than the recorder takes
      /** @type {Finding[]} */
      this.findings = [];
      /** @type {Map<number, string>} */
      const ptx = new Map();
      /** @type {Array<[string, number]>} */
      const lineOf = [];
      for (const line of text.split("\n")) {
        if (!line.startsWith("{")) continue;
        const entry = JSON.parse(line);
        if (entry.trace === "launch") this.launch = entry;
        if (entry.trace === "end") {
          this.isWhole = entry.whole !== false;
          this.findings = entry.findings.filter((one) => one.reported && one.launch === entry.launch);
        }
        if (entry.w === undefined) continue;
        if (entry.x) ptx.set(entry.p, entry.x.replace(/\s+/g, " "));
        entry.ptx = ptx.get(entry.p) || "";
        const name = entry.file.split("/").pop();
        if (known.has(name) && entry.l > 0) lineOf[entry.w] = [name, entry.l];
        entry.line = lineOf[entry.w];
        this.steps.push(entry);
      }
      this.at = -1; // steps [0, at] have been taken
      const bytes = this.launch ? this.launch.shared_bytes : 0;
      this.words = new Uint32Array(Math.ceil(bytes / 128) * BANKS).fill(POISON);
      for (let i = this.steps.length - 1; i >= 0; i--) { // as it was before its first change
        for (const [word, before] of this.steps[i].s || []) this.words[word] = before;
      }
      this.held = guessHeld(this.steps);
      this.nWarps = 1 + this.steps.reduce((most, step) => Math.max(most, step.w), 0);
    }

    /** Walks to step `to`; -1 is before the first.
     * @param {number} to */
    goTo(to) {
      to = Math.max(-1, Math.min(to, this.steps.length - 1));
      for (; this.at < to; this.at++) {
        for (const [word, , after] of this.steps[this.at + 1].s || []) this.words[word] = after;
      }
      for (; this.at > to; this.at--) {
        for (const [word, before] of this.steps[this.at].s || []) this.words[word] = before;
      }
    }

    /** The next step, in a direction, of another line or another warp.
     * @param {number} direction 1 or -1 */
    nextLine(direction) {
      const key = (i) => {
        const step = this.steps[i];
        return step ? step.w + ":" + (step.line || []).join(":") : "";
      };
      const now = key(this.at);
      let to = this.at + direction;
      while (to > -1 && to < this.steps.length - 1 && key(to) === now) to += direction;
      return Math.max(-1, Math.min(to, this.steps.length - 1));
    }

    /** What each lane of each warp does at the present step: "active", "ready", "waits" or "gone".
     * @returns {string[][]} */
    lanes() {
      const states = [];
      const threads = this.launch ? this.launch.block.reduce((a, b) => a * b, 1) : 0;
      for (let w = 0; w < this.nWarps; w++) {
        const lanes = new Array(32).fill("gone");
        for (let l = 0; l < 32; l++) if (32 * w + l < threads) lanes[l] = "ready";
        states.push(lanes);
      }
      for (let i = 0; i <= this.at; i++) {
        const step = this.steps[i], lanes = states[step.w];
        lanes.fill("gone");
        for (const [mask, state] of step.g) {
          for (let l = 0; l < 32; l++) if (mask >>> l & 1) lanes[l] = state === "ready" ? "ready" : "waits";
        }
        if (step.b === "done") {
          for (const other of states) other.forEach((s, l) => { if (s === "waits") other[l] = "ready"; });
        }
      }
      const step = this.steps[this.at];
      if (step) for (let l = 0; l < 32; l++) if (step.m >>> l & 1) states[step.w][l] = "active";
      return states;
    }

    /** The steps in which a site's lane was at its line; with an address, that accessed it.
     * @param {Site} site @param {string|null} address
     * @returns {number[]} */
    stepsAt(site, address) {
      const found = [], name = site.file.split("/").pop();
      this.steps.forEach((step, i) => {
        if (step.w !== site.warp || !(step.m >>> Math.max(0, site.lane) & 1)) return;
        if (!step.line || step.line[0] !== name || step.line[1] !== site.line) return;
        const at = step.a && site.lane >= 0 ? step.a.at[site.lane] : null;
        if (address === null || at === Number(address)) found.push(i);
      });
      return found;
    }

    /** The findings about two accesses of this block, such as races, with a step for each of the two.
     * @returns {Array<{finding: Finding, first: number, second: number}>} */
    pairs() {
      const found = [];
      for (const finding of this.findings) {
        if (!finding.first || !finding.second || !finding.address) continue;
        const first = this.stepsAt(finding.first, finding.address);
        const second = this.stepsAt(finding.second, finding.address).find((i) => i >= first[0]);
        if (first.length === 0 || second === undefined) continue;
        found.push({finding, first: first.filter((i) => i <= second).pop(), second});
      }
      return found;
    }

    /** Steps with a bank conflict.
     * @returns {number[]} */
    conflicts() {
      const found = [];
      this.steps.forEach((step, i) => {
        if (step.a && step.a.space === "shared" && wavefronts(step.a) > leastWavefronts(step.a)) found.push(i);
      });
      return found;
    }
  }

  /** What shared memory holds, by most of the accesses to it: floats or integers, of one word or two.
   * @param {Step[]} steps
   * @returns {{isFloat: boolean, nWords: number}} */
  function guessHeld(steps) {
    let floats = 0, wide = 0, all = 0;
    for (const step of steps) {
      if (!step.a || step.a.space !== "shared") continue;
      all++;
      if (/\.f(32|64)/.test(step.ptx || "")) floats++;
      if (/\.[fsub]64 /.test(step.ptx || "") && !/\.v[24]\./.test(step.ptx || "")) wide++;
    }
    return {isFloat: floats > 0 && 2 * floats >= all, nWords: 2 * wide > all ? 2 : 1};
  }

  /** Different words that each bank is asked for. Atomics and wide accesses count each word once.
   * @param {{bytes: number, at: Array<number|null>}} access
   * @returns {Array<Set<number>>} */
  function wordsByBank(access) {
    const banks = Array.from({length: BANKS}, () => new Set());
    for (const address of access.at) {
      if (address === null) continue;
      for (let b = 0; b < access.bytes; b += 4) {
        const word = Math.floor((address + b) / 4);
        banks[word % BANKS].add(word);
      }
    }
    return banks;
  }

  /** Passes over the banks that an access of at most 4 bytes per lane takes; wider ones take at
   * least one for every 128 bytes.
   * @param {{bytes: number, at: Array<number|null>}} access */
  function wavefronts(access) {
    return wordsByBank(access).reduce((most, words) => Math.max(most, words.size), 0);
  }

  /** The wavefronts that as many different words take in any order of banks; more are a conflict.
   * @param {{bytes: number, at: Array<number|null>}} access */
  function leastWavefronts(access) {
    return Math.ceil(wordsByBank(access).reduce((n, words) => n + words.size, 0) / BANKS);
  }

  /** The sectors of global memory that an access touches, in order.
   * @param {{bytes: number, at: Array<number|null>}} access
   * @returns {number[]} */
  function sectors(access) {
    const found = new Set();
    for (const address of access.at) {
      if (address === null) continue;
      for (let b = 0; b < access.bytes; b += 4) found.add(Math.floor((address + b) / SECTOR_BYTES));
    }
    return [...found].sort((a, b) => a - b);
  }

  const numbers = new DataView(new ArrayBuffer(8));
  /** What stands in memory from a word on, as a number to show; "?" where nothing has been written.
   * @param {Uint32Array} words @param {number} at @param {{isFloat: boolean, nWords: number}} held */
  function heldText(words, at, held) {
    const bits = words.subarray(at, at + held.nWords);
    if (bits.every((word) => word === POISON)) return "?";
    bits.forEach((word, i) => numbers.setUint32(4 * i, word, true));
    if (held.nWords === 2) return shortNumber(held.isFloat ? numbers.getFloat64(0, true) : Number(numbers.getBigInt64(0, true)));
    return shortNumber(held.isFloat ? numbers.getFloat32(0, true) : numbers.getInt32(0, true));
  }

  /** At most five characters where that is possible.
   * @param {number|string|null} value */
  function shortNumber(value) {
    if (value === null || typeof value === "string") return value === null ? "" : value;
    if (Number.isInteger(value) && Math.abs(value) < 1e5) return String(value);
    return Number(value.toPrecision(3)).toString();
  }

  const api = {Trace, wordsByBank, wavefronts, leastWavefronts, sectors, heldText, shortNumber};
  if (typeof window !== "undefined") window.labTrace = api;
  if (typeof module !== "undefined") module.exports = api;
})();
