// The checks of tools/check-page.sh: the page of a comparison, as its readers use it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { launch } from "./chromium.mjs";
import { crowd, without } from "./reports.mjs";

const [polywire, shots, ...files] = process.argv.slice(2);
const WIDTHS = [360, 768, 1600];
const SCHEMES = ["light", "dark"];
const work = mkdtempSync(join(tmpdir(), "polywire-page-"));
if (shots) mkdirSync(shots, { recursive: true });

// Pages.

const help = execFileSync(polywire, ["compare", "--help"], { encoding: "utf8" });
const rivals = help.replace(/\s+/g, " ").includes("not in this program: feature `rivals`") ? [] : ["--rivals"];
const real = page("real", ["--corpus", "tickets", ...rivals]);
const packets = page("packets", ["--corpus", "packets", ...rivals]);

/** Returns a page that the program wrote. */
function page(name, args) {
  const file = join(work, `${name}.html`);
  const options = ["compare", ...args, "--time", "0.01", "--html", file, "--report", "json"];
  const report = JSON.parse(execFileSync(polywire, options, { encoding: "utf8", maxBuffer: 1 << 26 }));
  return { name, file, report, html: readFileSync(file, "utf8") };
}

/** Returns the page of another report: the program's, with other data in it. */
function withReport(name, report) {
  const file = join(work, `${name}.html`);
  const data = JSON.stringify(report).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const count = [report].flat().length;
  const places = Array.from({ length: count }, (_, n) => `<div id="figures-${n}"></div>`).join("");
  const [head, rest] = real.html.split('<div id="figures-0">');
  const html = `${head}${places}<div>${rest}`.replace(/(id="report">).*?(<\/script>)/s, (_, start, end) => start + data + end);
  writeFileSync(file, html);
  return { name, file, report, html };
}

const browser = await launch();

/** Opens a page, and fails if it reports an error or asks for anything. */
async function open(file, { width = 1600, scheme = "light", script = true, touch = false, motion = "no-preference" } = {}) {
  const tab = await browser.newPage();
  tab.asked = [];
  tab.wrong = [];
  tab.on("request", (request) => tab.asked.push(request.url()));
  tab.on("pageerror", (error) => tab.wrong.push(error.message));
  tab.on("console", (message) => tab.wrong.push(message.text()));
  await tab.setViewport({ width, height: 900, hasTouch: touch, isMobile: touch });
  await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: motion }]);
  await tab.setJavaScriptEnabled(script);
  await tab.goto(pathToFileURL(file).href);
  if (script) await tab.waitForSelector(".pw-tables");
  return tab;
}

async function done(tab) {
  assert.deepEqual(tab.wrong, [], "messages on the console");
  assert.equal(tab.asked.length, 1, `requests: ${tab.asked}`);
  await tab.close();
}

// Layout.

/** Returns what is wrong with the labels of a page. */
const labels = (tab) => tab.evaluate(() => {
  const wrong = [];
  const box = (element) => element.getBoundingClientRect();
  const name = (element) => `"${element.textContent}"`;
  const covers = (a, b, by) => a.left < b.right - by && b.left < a.right - by && a.top < b.bottom - by && b.top < a.bottom - by;
  for (const chart of document.querySelectorAll(".pw-drawing svg")) {
    const texts = [...chart.querySelectorAll("text")].map((text) => [text, box(text)]);
    const frame = box(chart);
    texts.forEach(([text, one], n) => {
      if (one.left < frame.left - 1 || one.right > frame.right + 1 || one.top < frame.top - 1 || one.bottom > frame.bottom + 1) {
        wrong.push(`${name(text)} leaves the chart ${chart.getAttribute("aria-label")}`);
      }
      for (const [other, two] of texts.slice(n + 1)) if (covers(one, two, 1)) wrong.push(`${name(text)} covers ${name(other)}`);
    });
    const dots = [...chart.querySelectorAll(".pw-dot")].map((dot) => {
      const { left, right, top, bottom } = box(dot);
      return { mark: dot.parentNode, x: (left + right) / 2, y: (top + bottom) / 2, r: (right - left) / 2, box: box(dot) };
    });
    for (const dot of dots) {
      const label = dot.mark.querySelector(".pw-name");
      if (!label) continue;
      const at = box(label);
      const away = ({ x, y, r }) => Math.hypot(x - Math.min(Math.max(x, at.left), at.right), y - Math.min(Math.max(y, at.top), at.bottom)) - r;
      for (const other of dots) if (covers(at, other.box, 1.5)) wrong.push(`${name(label)} covers the dot of ${other.mark.dataset.key}`);
      const line = dot.mark.querySelector(".pw-leader");
      if (line) {
        const [start, end] = [line.getPointAtLength(0), line.getPointAtLength(1e9)].map((point) => point.matrixTransform(line.getScreenCTM()));
        if (Math.hypot(start.x - dot.x, start.y - dot.y) > 1.5) wrong.push(`the line of ${name(label)} starts at another place than its dot`);
        if (away({ ...end, x: end.x, y: end.y, r: 0 }) > 3) wrong.push(`the line of ${name(label)} does not reach it`);
      } else {
        const closer = dots.filter((other) => other !== dot && away(other) <= away(dot) + 1);
        if (closer.length) wrong.push(`${name(label)} stands at the dot of ${closer[0].mark.dataset.key}`);
      }
    }
  }
  return wrong;
});

/** Returns the names in the scatter that have no label: those of formats, and those of libraries. */
const unnamed = (tab) => tab.evaluate(() => {
  const marks = [...document.querySelectorAll(".pw-wide .pw-drawing .pw-mark")].filter((mark) => !mark.querySelector(".pw-name"));
  const keys = (some) => some.map((mark) => mark.dataset.key);
  return { formats: keys(marks.filter((mark) => !mark.classList.contains("rival"))), libraries: keys(marks.filter((mark) => mark.classList.contains("rival"))) };
});

/** Returns texts whose contrast with what is behind them is below 4.5 (WCAG 2.2, 1.4.3). */
const faint = (tab) => tab.evaluate(() => {
  const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const back = parse(getComputedStyle(at).backgroundColor);
      if (back.length < 4 || back[3] === 1) return back;
    }
    return [255, 255, 255];
  };
  const wrong = new Set();
  for (const element of document.querySelectorAll("main *")) {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()) || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const text = light(parse(element.namespaceURI.includes("svg") ? style.fill : style.color));
    const back = light(behind(element));
    const contrast = (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
    if (contrast < 4.5) wrong.add(`${element.tagName} ${element.className.baseVal ?? element.className}: ${contrast.toFixed(1)}`);
  }
  return [...wrong];
});

async function looks(name, file, { hard = false } = {}) {
  for (const width of WIDTHS) {
    for (const scheme of SCHEMES) {
      const tab = await open(file, { width, scheme });
      const where = `${name}, ${width} pixels, ${scheme}`;
      assert.deepEqual(await labels(tab), [], where);
      const { formats, libraries } = await unnamed(tab);
      assert.deepEqual(formats, [], `${where}: formats without a name`);
      if (width > 360) assert.ok(libraries.length <= (hard ? 2 : 0), `${where}: libraries without a name: ${libraries}`);
      assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where}: the page is too wide`);
      assert.deepEqual(await faint(tab), [], where);
      for (const scale of ["linear", "log"]) {
        for (const select of await tab.$$(".pw-charts select")) {
          if (await select.evaluate((select) => select.value === "log" || select.value === "linear")) await select.select(scale);
        }
        assert.deepEqual(await labels(tab), [], `${where}, ${scale}`);
      }
      if (shots) await tab.screenshot({ path: join(shots, `${name}-${width}-${scheme}.png`), fullPage: true });
      await done(tab);
    }
  }
  console.log(`${name}: labels at ${WIDTHS.join(", ")} pixels, light and dark`);
}

// Use.

const cells = (tab, table = 0) => tab.$$eval(".pw-compare, [id=figures-0]", ([root], table) =>
  [...root.querySelectorAll("table")[table].querySelectorAll("tr")].map((row) => [...row.cells].map((cell) => cell.textContent.trim())), table);
const shownKeys = (tab) => tab.$$eval(".pw-tables .scroll:first-child tr[data-key]", (rows) => rows.map((row) => row.dataset.key));
const tipOf = (tab) => tab.$eval(".pw-tip", (tip) => (tip.hidden ? null : tip.textContent));
const exact = (value) => value.toLocaleString("en-US", { maximumFractionDigits: 3 });

/** Sorts by a click, and by the list of orders. */
async function sorts({ file, report }) {
  const tab = await open(file);
  const own = (group) => report.rows.filter((row) => row.group === group);
  const head = async (text) => {
    for (const button of await tab.$$(".pw-tables th button")) if ((await button.evaluate((one) => one.textContent)) === text) return button;
    throw new Error(`no column ${text}`);
  };
  const order = async () => (await shownKeys(tab)).filter((key) => !key.includes(" · "));
  for (const [text, of] of [["zstd\nalone", (row) => row.sizes?.zstd], ["decode to a tree", (row) => row.times?.decode.ns.median]]) {
    for (const sign of [1, -1]) {
      await (await head(text)).click();
      const expected = ["without-schema", "with-schema"].flatMap((group) => own(group)
        .sort((a, b) => ((of(a) == null) - (of(b) == null)) || sign * (of(a) - of(b))).map((row) => row.format));
      assert.deepEqual(await order(), expected, `sorted by ${text}`);
      const sorted = await (await head(text)).evaluate((button) => button.parentNode.getAttribute("aria-sort"));
      assert.equal(sorted, sign > 0 ? "ascending" : "descending");
      const drawn = await tab.$$eval(".pw-charts figure:nth-child(2) .pw-mark", (marks) => marks.map((mark) => mark.dataset.key));
      assert.deepEqual(drawn, expected.filter((key) => drawn.includes(key)), "the bars have another order");
    }
  }
  await (await head("encode\nMB/s")).click();
  const fastest = own("without-schema").filter((row) => row.times).sort((a, b) => b.times.encode.mb_per_s - a.times.encode.mb_per_s)[0];
  assert.equal((await order())[0], fastest.format, "throughput starts with the largest");
  await tab.select(".pw-compare > .pw-controls > label select", "name");
  assert.deepEqual((await order()).slice(0, own("without-schema").length), own("without-schema").map((row) => row.format).sort());
  await done(tab);
  console.log("sort: columns up and down, bars too, the list of orders");
}

async function filters({ file, report }) {
  const tab = await open(file);
  const all = await shownKeys(tab);
  await tab.type(".pw-compare input[type=search]", "json");
  assert.deepEqual(await shownKeys(tab), all.filter((key) => key.includes("json")));
  const drawn = await tab.$$eval(".pw-charts .pw-mark[data-key]", (marks) => marks.map((mark) => mark.dataset.key));
  assert.ok(drawn.length > 3 && drawn.every((key) => key.includes("json")), `charts have ${drawn}`);
  await tab.$eval(".pw-compare input[type=search]", (input) => { input.value = ""; input.dispatchEvent(new Event("input")); });
  await tab.click(".pw-compare summary");
  const [group, first] = await tab.$$(".pw-compare fieldset:first-of-type input");
  await first.click();
  assert.deepEqual(await shownKeys(tab), all.filter((key) => key !== report.rows[0].format), "one format unchecked");
  await group.click();
  const bare = report.rows.filter((row) => row.group === "without-schema").map((row) => row.format);
  assert.deepEqual(await shownKeys(tab), all.filter((key) => !bare.includes(key)), "a group unchecked");
  await group.click();
  assert.deepEqual(await shownKeys(tab), all);
  if (rivals.length) {
    await (await tab.$(".pw-compare fieldset:last-of-type legend input")).click();
    assert.deepEqual(await shownKeys(tab), report.rows.map((row) => row.format), "libraries unchecked");
  }
  await done(tab);
  console.log("filter: by text, by box, by group, libraries");
}

async function metricsAndScales({ file, report }) {
  const tab = await open(file);
  const [up, across, scale] = await tab.$$(".pw-wide select");
  const ticks = () => tab.$$eval(".pw-wide .pw-tick", (all) => all.map((one) => one.textContent).join("|"));
  const place = () => tab.$eval(".pw-wide .pw-drawing .pw-dot", (dot) => JSON.stringify(dot.getBoundingClientRect()));
  const [before, at] = [await ticks(), await place()];
  await scale.select("linear");
  assert.match(await ticks(), /\b0\b/, "a linear axis starts at 0");
  assert.notEqual(await place(), at);
  await scale.select("log");
  assert.equal(await ticks(), before);
  await across.select("zstd");
  await up.select("scan");
  assert.match(await ticks(), /time to scan.*zstd alone/s);
  const bar = await tab.$(".pw-charts figure:nth-child(3) select");
  await bar.select("decode_rate");
  const first = report.rows[0].times.decode.mb_per_s;
  const label = await tab.$eval(".pw-charts figure:nth-child(3) .pw-mark", (mark) => mark.getAttribute("aria-label"));
  assert.ok(label.includes(`MB/s, decode: ${exact(first)} million bytes a second`), label);
  await done(tab);
  console.log("scales and figures: chosen, drawn");
}

/** Points at every mark of a kind, and compares what is shown with the report. */
async function hovers({ file, report }) {
  const tab = await open(file);
  for (const row of report.rows.filter((row) => row.times)) {
    for (const [chart, of] of [[".pw-wide", "decode"], [".pw-charts figure:nth-child(4)", "encode"]]) {
      // A dot may lie below another; its name does not.
      await (await tab.$(`${chart} .pw-mark[data-key="${row.format}"] ${chart === ".pw-wide" ? ".pw-name" : ".pw-row"}`)).hover();
      const tip = await tipOf(tab);
      const { median, q1, q3, min, max, rounds } = row.times[of].ns;
      for (const part of [row.format, exact(median), `quartiles ${exact(q1)} and ${exact(q3)}`, exact(min), exact(max), `${rounds} rounds`]) {
        assert.ok(tip?.includes(part), `${row.format} ${of}: ${part} is not in ${tip}`);
      }
      if (chart === ".pw-wide") assert.ok(tip.includes(`bytes, raw: ${exact(row.sizes.raw)} bytes`), tip);
    }
  }
  await tab.mouse.move(2, 2);
  assert.equal(await tipOf(tab), null, "the values go with the pointer");
  // The keyboard: one stop per chart, arrows within, Escape.
  await tab.focus(".pw-wide label:last-child select");
  await tab.keyboard.press("Tab");
  const first = await tipOf(tab);
  await tab.keyboard.press("ArrowDown");
  const second = await tipOf(tab);
  assert.ok(first && second && first !== second, "arrows move from mark to mark");
  await tab.keyboard.press("End");
  assert.notEqual(await tipOf(tab), second);
  await tab.keyboard.press("Escape");
  assert.equal(await tipOf(tab), null);
  assert.equal(await tab.$$eval(".pw-charts svg [tabindex='0']", (marks) => marks.length), await tab.$$eval(".pw-drawing svg", (charts) => charts.length));
  await done(tab);

  const touched = await open(file, { width: 360, touch: true });
  for (const selector of [".pw-wide .pw-drawing .pw-dot", ".pw-charts figure:nth-child(3) .pw-row"]) {
    const mark = await touched.$(selector);
    await mark.tap();
    const tip = await tipOf(touched);
    assert.match(tip ?? "", /median.*quartiles/, `${selector} touched`);
    const [left, right] = await touched.$eval(".pw-tip", (tip) => [tip.getBoundingClientRect().left, tip.getBoundingClientRect().right]);
    assert.ok(left >= 0 && right <= 360, `the values stand from ${left} to ${right}`);
    await (await touched.$("h1")).tap();
    await (await touched.$(".pw-wide figcaption")).tap();
    assert.equal(await tipOf(touched), null, "a touch elsewhere ends it");
  }
  await done(touched);
  console.log("exact values: by pointer, touch and keyboard");
}

/** Compares the page with and without its script. */
async function withoutScript({ file, report }) {
  const drawn = await open(file);
  for (const width of WIDTHS) {
    const tab = await open(file, { width, script: false });
    assert.equal(await tab.$(".pw-compare"), null);
    for (const table of [0, 1, 2]) assert.deepEqual(await cells(tab, table), await cells(drawn, table), "the script's table has other figures");
    const text = await tab.$eval("main", (main) => main.innerText);
    for (const part of [...report.advice, ...report.caveats, report.made.at, report.made.version, report.input.sha256, "polywire", "--corpus tickets"]) {
      assert.ok(text.includes(part), `${part} is not in the page`);
    }
    assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    if (shots) await tab.screenshot({ path: join(shots, `no-script-${width}.png`), fullPage: true });
    await done(tab);
  }
  // Names stay where they are while a table is scrolled.
  for (const script of [true, false]) {
    const tab = await open(file, { width: 360, script });
    const moved = await tab.evaluate(() => {
      const scroll = document.querySelector(".scroll");
      const at = (selector) => scroll.querySelector(selector).getBoundingClientRect().left - scroll.getBoundingClientRect().left;
      scroll.scrollLeft = 150;
      return { by: scroll.scrollLeft, name: at("tbody th[scope=row]"), raw: at("tbody tr:last-child td:nth-child(3)") };
    });
    assert.ok(moved.by === 150 && moved.name >= 0 && moved.name < 3, JSON.stringify(moved));
    await done(tab);
  }
  await done(drawn);
  console.log("without script: the same tables, advice and foot; names stay");
}

async function printed({ file }) {
  // The width of A4 between its margins.
  const paperWidth = 688;
  const tab = await open(file, { width: paperWidth, scheme: "dark", motion: "reduce" });
  assert.equal(await tab.$eval(".pw-row", (row) => getComputedStyle(row).transitionDuration), "0s", "no motion where none is wanted");
  await tab.emulateMediaType("print");
  assert.equal(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  assert.ok(await tab.$$eval(".pw-controls", (all) => all.every((one) => getComputedStyle(one).display === "none")));
  const wide = await tab.$$eval("table, svg", (all, width) => all.filter((one) => one.getBoundingClientRect().right > width + 1).length, paperWidth);
  assert.equal(wide, 0, "tables or charts that the paper cuts");
  const paper = await tab.pdf({ format: "A4", printBackground: true });
  assert.ok(paper.length > 10000);
  if (shots) writeFileSync(join(shots, "printed.pdf"), paper);
  await done(tab);
  console.log("print: white paper, no controls");
}

async function otherReports() {
  for (const seed of [1, 2, 3]) {
    const { name, file } = withReport(`crowd-${seed}`, crowd(packets.report, seed));
    await looks(name, file, { hard: true });
  }
  const several = [{ ...real.report, title: "The first <b>kind</b>" }, { ...packets.report, title: "The second" }];
  await done(await open(withReport("two", several).file));
  // The module by itself, as a notebook has it.
  const own = new URL("../../crates/compare/src/report/page/", import.meta.url);
  const [palette, tables, style, script] = ["palette.css", "tables.css", "charts.css", "charts.js"].map((name) => readFileSync(new URL(name, own), "utf8"));
  const data = JSON.stringify(several).replaceAll("<", "\\u003c");
  const file = join(work, "module.html");
  writeFileSync(file, `<!doctype html><meta charset="utf-8"><style>${palette}${tables}${style}</style><body><script type="module">${script}
    const handle = draw(document.body.appendChild(document.createElement("main")), ${data});
    document.body.onclick = (event) => { if (event.target === document.body) handle.remove(); };</script>`);
  const tab = await open(file);
  assert.deepEqual(await tab.$$eval(".pw-compare > h2", (all) => all.map((one) => one.innerHTML)), ["The first &lt;b&gt;kind&lt;/b&gt;", "The second"]);
  await tab.type(".pw-compare input[type=search]", "json");
  const rows = await tab.$$eval(".pw-compare", (all) => all.map((one) => one.querySelectorAll("tr[data-key]").length));
  assert.ok(rows[0] < rows[1], "a filter is of one comparison");
  await tab.evaluate(() => document.body.click());
  assert.equal(await tab.$(".pw-compare"), null, "the charts can be taken away");
  await done(tab);
  let absent = 0;
  for (const report of without(real.report)) {
    const tab = await open(withReport("absent", report).file, { width: 768 });
    assert.ok(await tab.$(".pw-tables table"));
    const stray = (await tab.$eval(".pw-compare", (root) => root.innerHTML)).match(/.{60}(NaN|undefined|null|Infinity).{20}/);
    assert.equal(stray?.[0], undefined, "a word that is no figure");
    await done(tab);
    absent++;
  }
  console.log(`two comparisons; ${absent} reports with fields absent`);
}

try {
  for (const file of files) await looks(basename(file, ".html"), resolve(file), { hard: true });
  await looks("tickets", real.file);
  await looks("packets", packets.file);
  await sorts(real);
  await filters(real);
  await metricsAndScales(real);
  await hovers(real);
  await withoutScript(real);
  await printed(real);
  await otherReports();
} finally {
  await browser.close();
  rmSync(work, { recursive: true });
}
