// SPDX-License-Identifier: MIT
// pages.js - on every page: what is folded opens for print and for links that lead into it.
"use strict";

(function () {
  /** @param {boolean} open */
  function unfold(open) {
    for (const fold of document.querySelectorAll("details")) {
      if (open && !fold.open) {
        fold.open = true;
        fold.dataset.folded = "";
      } else if (!open && "folded" in fold.dataset) {
        fold.open = false;
        delete fold.dataset.folded;
      }
    }
  }
  window.addEventListener("beforeprint", () => unfold(true));
  window.addEventListener("afterprint", () => unfold(false));
  if (window.matchMedia("print").matches) unfold(true);

  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = target && target.closest("details");
    if (fold) fold.open = true;
  }
  window.addEventListener("hashchange", openTarget);
  openTarget();
})();
