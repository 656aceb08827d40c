// SPDX-License-Identifier: MIT
// predict.js - the questions of `make predict`, answered in the page: each stands in the chapter as
// text, and is judged by running the lesson's program (lab.js), as practice.py judges it. No answer
// is stored anywhere.
"use strict";

(function () {
  const RIGHT_WITHIN = 1e-6; // relative; counts are exact, rates are quotients of counts

  /** The value of arithmetic on numbers and names: + - * / // ( ) and round().
   * @param {string} text @param {Object<string, number>} names */
  function valueOf(text, names) {
    const parts = text.match(/\/\/|[-+*/()]|[A-Za-z_]\w*|\d+(?:\.\d+)?|\S/g) || [];
    let at = 0;
    const take = (wanted) => {
      if (parts[at++] !== wanted) throw new Error(`'${text}' is no arithmetic`);
    };
    function factor() {
      const part = parts[at++];
      if (part === "(" || (part === "round" && parts[at] === "(")) {
        if (part === "round") at++;
        const inner = sum();
        take(")");
        return part === "(" ? inner : rounded(inner);
      }
      if (part in names) return names[part];
      if (part === undefined || !/^\d/.test(part)) throw new Error(`'${text}' is no arithmetic`);
      return Number(part);
    }
    function product() {
      let value = factor();
      while (["*", "/", "//"].includes(parts[at])) {
        const by = parts[at++], right = factor();
        value = by === "*" ? value * right : by === "/" ? value / right : Math.floor(value / right);
      }
      return value;
    }
    function sum() {
      let value = product();
      while (["+", "-"].includes(parts[at])) value = parts[at++] === "+" ? value + product() : value - product();
      return value;
    }
    const value = sum();
    if (at !== parts.length) throw new Error(`'${text}' is no arithmetic`);
    return value;
  }

  /** As Python rounds: halves to the even number. @param {number} value */
  function rounded(value) {
    const below = Math.floor(value), rest = value - below;
    return rest < 0.5 || (rest === 0.5 && below % 2 === 0) ? below : below + 1;
  }

  /** What a reader typed, or null. @param {string} text */
  function readNumber(text) {
    const plain = text.replace(/[,_]/g, "").trim();
    return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : null;
  }

  /** @param {number} value */
  function shown(value) {
    return value.toLocaleString("en", {maximumFractionDigits: 2});
  }

  /** The answer, counted now.
   * @param {string} lesson
   * @param {{variant: string, n: string, block: string, count: string}} question */
  async function rightAnswer(lesson, question) {
    const args = ["--variant", question.variant, "--n", question.n, "--block", question.block];
    const done = await window.labRun(lesson, args);
    if (done.rows.length === 0) throw new Error(done.err || "the program said nothing");
    const row = done.rows[0];
    return valueOf(question.count, {...row.counters, modelled_ms: row.time_ms, n: Number(question.n)});
  }

  /** @param {number} answer @param {number} right */
  function isRight(answer, right) {
    return Math.abs(answer - right) <= RIGHT_WITHIN * Math.max(1, Math.abs(right));
  }

  /** A question on the page: an input, a button, and a line for the verdict.
   * @param {HTMLElement} item @param {string} lesson */
  function addForm(item, lesson) {
    const question = /** @type {any} */ (item.dataset);
    const form = document.createElement("form"), input = document.createElement("input");
    const button = document.createElement("button"), verdict = document.createElement("p");
    input.type = "text";
    input.inputMode = "decimal";
    input.size = 10;
    input.setAttribute("aria-label", "Your prediction");
    button.textContent = "Run and tell me";
    verdict.className = "predict-verdict";
    verdict.setAttribute("aria-live", "polite");
    form.append(input, " ", button);
    item.append(form, verdict);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const answer = readNumber(input.value);
      if (answer === null) {
        verdict.textContent = "First write a number.";
        return;
      }
      button.disabled = true;
      verdict.textContent = "Running …";
      try {
        const right = await rightAnswer(lesson, question), good = isRight(answer, right);
        item.classList.toggle("right", good);
        item.classList.toggle("wrong", !good);
        verdict.textContent = `${good ? "Right" : "No"}, it is ${shown(right)}. ` +
          question.because.replace("{answer}", shown(right)) +
          ` (${question.count}; ${question.variant}, ${shown(Number(question.n))} elements, ` +
          `${question.block} threads per block)`;
      } catch (error) {
        verdict.textContent = "It cannot be run here: " + error.message;
      }
      button.disabled = false;
    });
  }

  for (const place of document.querySelectorAll("section.predict[data-lesson]")) {
    for (const item of place.querySelectorAll("li")) addForm(item, place.dataset.lesson);
  }
  window.labPredict = {valueOf, readNumber, rightAnswer, isRight, rounded};
})();
