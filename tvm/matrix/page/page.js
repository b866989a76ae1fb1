"use strict";
// Copies commands and hashes, shows how old a result is, and unfolds what a link leads to. Without it the page is whole too.
(() => {
  document.documentElement.classList.add("js");
  const said = document.getElementById("said");

  // For pages that the browser does not hold for safe: http on another machine.
  function copyBySelection(text, button) {
    const area = document.createElement("textarea");
    area.value = text;
    area.readOnly = true;
    area.className = "heard";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    button.focus();
    return done;
  }

  async function copy(button) {
    const text = button.dataset.copy ?? button.previousElementSibling.textContent;
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      done = copyBySelection(text, button);
    }
    button.textContent = done ? "copied" : "not copied";
    said.textContent = done ? `Copied: ${text.slice(0, 80)}` : "The browser does not let the page copy: select the text and copy it.";
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.copy");
    if (button) copy(button);
  });

  function age(seconds) {
    for (const [unit, length] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
      const count = Math.floor(seconds / length);
      if (count >= 1) return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
    }
    return "just now";
  }

  for (const moment of document.querySelectorAll("time[data-age]")) {
    moment.title = moment.textContent;
    moment.textContent = age((Date.now() - Date.parse(moment.dateTime)) / 1000);
  }

  // The end of an output is what says why.
  addEventListener("toggle", (event) => {
    for (const output of event.target.querySelectorAll("pre")) output.scrollTop = output.scrollHeight;
  }, true);

  function unfold() {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", unfold);
  unfold();
})();
