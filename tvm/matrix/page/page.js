"use strict";
// Copies commands and hashes, shows how old a result is, unfolds what a link leads to, and writes out how an artefact was made.
// Without it the page is whole but for the latter.
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
    const before = button.previousElementSibling;
    const text = before.title || before.textContent;
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

  function element(name, className, ...content) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...content);
    return made;
  }

  function copyButton(label) {
    const button = element("button", "copy", "copy");
    button.type = "button";
    button.setAttribute("aria-label", label);
    return button;
  }

  function command(text) {
    return element("div", "command", element("code", "", text), copyButton("copy command"));
  }

  // Hashes get their buttons when the cell that they are of is opened.
  function addButtons(fold) {
    for (const hash of fold.querySelectorAll(".copied")) {
      if (hash.childElementCount === 1) hash.append(copyButton(`copy sha256 of ${hash.closest("tr").cells[0].textContent}`));
    }
  }

  const parsed = new WeakMap();

  function data(fold) {
    const script = fold.closest(".cell").querySelector("script.made");
    if (!parsed.has(script)) parsed.set(script, JSON.parse(script.textContent));
    return parsed.get(script);
  }

  // Written when the fold is opened first: of most artefacts nobody asks.
  function writeHow(fold) {
    const { texts, artefacts } = data(fold);
    const [evidence, commands, test] = artefacts[fold.dataset.made];
    delete fold.dataset.made;
    const shown = evidence.map(([depth, by, detail]) =>
      element("li", "", element("b", "", texts[depth]), ` by ${texts[by]}: ${texts[detail]}`));
    const joined = (numbers, sign) => numbers.map((number) => texts[number]).join(sign);
    const steps = commands.map(([about, words]) =>
      element("li", "", command(joined(words, " ")), element("p", "note", joined(about, " · "))));
    fold.append(element("ul", "", ...shown));
    if (steps.length) fold.append(element("ol", "steps", ...steps));
    fold.append(element("p", "note", "Published by ", element("code", "", texts[test])));
  }

  addEventListener("toggle", (event) => {
    addButtons(event.target);
    if (event.target.dataset.made !== undefined) writeHow(event.target);
    // The end of an output is what says why.
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
