# SPDX-License-Identifier: MIT
"""Questions that the tests ask of a page about how it looks, as JavaScript."""

# How many pixels the page is wider than the window.
TOO_WIDE = ("Math.max(...[document.documentElement, document.getElementById('doc-content')]"
            ".map((at) => at.scrollWidth - at.clientWidth))")
# What is paler than LEAST, of the elements SELECTOR.
CONTRAST = """(() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => { const f = (v) => { v /= 255;
      return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
  const behind = (at) => { for (; at; at = at.parentElement) {
      const c = rgb(getComputedStyle(at).backgroundColor);
      if (c.length < 4 || c[3] > 0.9) return c; }
    return [255, 255, 255]; };
  const low = [];
  for (const at of document.querySelectorAll(SELECTOR)) {
    if (!at.textContent.trim() || at.closest('[hidden]')) continue;
    const [a, b] = [light(rgb(getComputedStyle(at).color)), light(behind(at))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < LEAST) low.push(at.tagName + ' ' + at.className + ' ' + ratio.toFixed(1));
  }
  return [...new Set(low)].slice(0, 5); })()"""
