// Charts and tables of the JSON report of `polywire compare` (docs/compare.md). A page, a notebook
// or a workbench imports this module, `palette.css`, `tables.css` and `charts.css`. It uses the given
// element's document only, sends no request, and takes a field that the report lacks for absent.

/**
 * Draws a report, or several, in place of the contents of `element`.
 *
 * @param {Element} element place of the charts, in a document
 * @param {object | object[]} report one comparison, or an array of them, each with its own charts
 * @returns {{ remove(): void }} a handle that takes the charts away
 */
export function draw(element, report) {
  const reports = [report].flat();
  const views = reports.map((one) => view(element.ownerDocument, one, reports.length > 1));
  element.replaceChildren(...views.map((view) => view.root));
  views.forEach((view) => view.start());
  return { remove: () => views.forEach((view) => view.remove()) };
}

// One line for each figure. `more`: a larger one is better. `ratio`: its name in `ratios`.
const METRICS = [
  ...Object.entries({
    raw: "raw", gzip: "gzip alone", zstd: "zstd alone", dictionary: "zstd + dict", batch_gzip: "gzip stream", batch_zstd: "zstd stream",
  }).map(([id, short]) => ({
    id, short, title: `bytes, ${short}`, head: short.replace(" ", "\n"), kind: "bytes", ratio: id,
    of: (one) => (one.sizes?.[id]?.zstd ?? one.sizes?.[id] ?? one[id]),
  })),
  ...Object.entries({ encode: "encode", decode: "decode to a tree", scan: "scan" }).flatMap(([id, short]) => {
    const of = (one) => one.times?.[id] ?? one[id];
    return [
      { id, short, title: `time to ${short}`, head: short, kind: "time", ratio: id, of: (one) => of(one)?.ns },
      { id: `${id}_rate`, title: `MB/s, ${id}`, head: `${id}\nMB/s`, kind: "rate", more: true, of: (one) => of(one)?.mb_per_s },
      { id: `${id}_allocations`, title: `allocations, ${id}`, head: `${id}\nallocs`, kind: "count", of: (one) => of(one)?.allocations },
    ];
  }),
  ...[
    ["quantiles", "p50", "bytes, median message"], ["quantiles", "p99", "bytes, 99th percentile"],
    ["memory", "encode", "memory to encode"], ["memory", "decode", "memory to decode"],
    ["network", "raw_ns", "time on the wire, raw", "time"], ["network", "zstd_ns", "time on the wire, zstd", "time"],
    ["price", "raw", "price of a million, raw", "count"], ["price", "zstd", "price of a million, zstd", "count"],
  ].map(([from, id, title, kind = "bytes"]) => ({ id: from + id, title, kind, of: (one) => one[from]?.[id] })),
];
const METRIC = Object.fromEntries(METRICS.map((metric) => [metric.id, metric]));

// The tables: columns, `×` for the ratio of the one before.
const TABLES = [
  ["Bytes per message", ["raw", "×", "gzip", "zstd", "×", "dictionary", "batch_gzip", "batch_zstd", "×"]],
  ["Time per message, median and spread", ["encode", "×", "decode", "×", "scan", "×"]],
  ["Throughput, and allocations per message",
    ["encode_rate", "decode_rate", "scan_rate", "encode_allocations", "decode_allocations", "scan_allocations"]],
];
const SERIES = ["raw", "zstd", "dictionary", "batch_zstd"];
const GROUPS = { "without-schema": "without a schema", "with-schema": "with a schema" };
const NONE = "–";
const QUARTILES = " The line at a mark spans the quartiles.";

// Figures as the other reports write them, each in a bounded width.

/** Returns `digits` decimals; a tie goes to the even digit, as everywhere in the reports. */
function fixed(value, digits) {
  const scaled = Math.floor(value * 10 ** digits);
  const tie = (value * 2 ** (digits + 1)) % 2 === 1;
  return tie && scaled % 2 === 0 ? (scaled / 10 ** digits).toFixed(digits) : value.toFixed(digits);
}

const on = (element, name, run) => element.addEventListener(name, run);
const whole = (value) => Math.round(value).toLocaleString("en-US");

function scaled(value, units) {
  let unit = 0;
  for (; value >= 999.5 && unit + 1 < units.length; unit++) value /= 1000;
  return `${fixed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0)} ${units[unit]}`;
}

function bytes(value) {
  if (value < 99.95) return fixed(value, 1);
  if (value < 99999.5) return whole(value);
  return scaled(value, ["B", "kB", "MB", "GB", "TB", "PB", "EB"]);
}

const time = (ns) => scaled(ns, ["ns", "µs", "ms", "s"]);

function count(value) {
  if (Number.isInteger(value) && value < 10000) return whole(value);
  if (value < 99.95) return fixed(value, 1);
  if (value < 9999.5) return whole(value);
  return scaled(value, ["", "k", "M", "G", "T", "P"]).replace(" ", "");
}

const ratio = (value) => (!usable(value) ? NONE : value < 9.995 ? fixed(value, 2) : count(value));
const usable = (value) => Number.isFinite(value) && value >= 0;
const part = (spread) => (spread.median > 0 ? (spread.q3 - spread.q1) / 2 / spread.median : 0);

const exact = (value) => (usable(value) ? value.toLocaleString("en-US", { maximumFractionDigits: 3 }) : NONE);

/** Returns a figure's number and, of a time, its spread. */
function read(entry, metric) {
  const found = metric.of(entry.one);
  const value = found?.median ?? found;
  return usable(value) ? { value, spread: usable(found.q1) && usable(found.q3) ? found : null } : null;
}

const WRITE = { bytes, time, rate: count, count };

function text(entry, metric) {
  const found = read(entry, metric);
  if (!found) return NONE;
  const plain = WRITE[metric.kind](found.value);
  if (!found.spread) return plain;
  const percent = Math.round(part(found.spread) * 100);
  return `${plain} ±${percent > 999 ? ">999" : percent}%`;
}

/** Returns the exact value of a figure, with its spread and its ratio to the base. */
function sentence(entry, metric, base) {
  const found = read(entry, metric);
  if (!found) return `${metric.title}: none`;
  const { value, spread } = found;
  const unit = { bytes: " bytes", time: " ns", rate: " million bytes a second", count: "" }[metric.kind];
  const times = entry.one.ratios?.[metric.ratio];
  const parts = [`${metric.title}: ${exact(value)}${unit}`];
  if (spread) {
    const rounds = spread.rounds ? ` of ${spread.rounds} rounds` : "";
    parts[0] += `, the median${rounds}, ±${fixed(part(spread) * 100, 1)} %`;
    parts.push(`quartiles ${exact(spread.q1)} and ${exact(spread.q3)} ns`);
    parts.push(`fastest ${exact(spread.min)}, slowest ${exact(spread.max)} ns`);
  }
  if (usable(times) && base) parts.push(`${ratio(times)} × ${base}`);
  return parts.join("; ");
}

const NOTES = { lossy: "changes values", unfit: "too few messages fit its schema", impossible: "not possible" };

/** Returns the rows and their libraries as one list. */
function entriesOf(report) {
  const of = (row, rival, { verdict } = rival ?? row) => ({
    row, rival, verdict, one: rival ?? row,
    key: rival ? `${row.format} · ${rival.name}` : row.format,
    name: rival ? `· ${rival.name}` : row.format,
    label: rival ? rival.name + (rival.name === row.format ? " (library)" : "") : row.format,
    group: GROUPS[row.group] ? row.group : "without-schema",
    about: [GROUPS[row.group], NOTES[verdict]].filter(Boolean).join("; "),
    isBase: !rival && verdict === "exact" && row.format === report.base,
  });
  return (report.rows ?? []).flatMap((row) => [null, ...(row.rivals ?? [])].map((rival) => of(row, rival)));
}

// Scales.

function scale(values, log, from, to) {
  const known = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
  let low = known.length ? Math.min(...known) : 1;
  let high = known.length ? Math.max(...known) : 10;
  if (!log) {
    low = 0;
    high = high > 0 ? high * 1.04 : 1;
    const rough = high / 5;
    const ten = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((digit) => digit * ten >= rough) * ten;
    const ticks = Array.from({ length: Math.floor(high / step) + 1 }, (_, n) => n * step);
    return { ticks, at: (value) => from + (value / high) * (to - from) };
  }
  const room = 1.15 * Math.sqrt(Math.max(4 / (high / low), 1));
  low = Math.log10(low / room);
  high = Math.log10(high * room);
  const powers = Array.from({ length: Math.ceil(high) - Math.floor(low) }, (_, n) => 10 ** (Math.floor(low) + n));
  const dense = (digits) => powers.flatMap((power) => digits.map((digit) => digit * power))
    .filter((tick) => Math.log10(tick) >= low && Math.log10(tick) <= high);
  const all = [[1, 1.5, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]].map(dense);
  const few = all.find((some) => some.length <= 6) ?? all[3];
  const ticks = few.filter((_, n) => n % Math.ceil(few.length / 6) === 0);
  return { ticks, at: (value) => from + Math.max(((Math.log10(value) - low) / (high - low)), 0) * (to - from) };
}

const tickText = (metric, value) => {
  if (value === 0) return "0";
  const [number, unit] = WRITE[metric.kind](value).split(" ");
  return [number.includes(".") ? number.replace(/\.?0+(?=$|[a-zA-Z])/, "") : number, unit].filter(Boolean).join(" ");
};

// Labels of dots.

const HIGH = 15;
const hits = (a, b, pad) => a.l < b.r + pad && b.l < a.r + pad && a.t < b.b + pad && b.t < a.b + pad;
const nearest = (box, dot) => ({ x: Math.min(Math.max(dot.x, box.l), box.r), y: Math.min(Math.max(dot.y, box.t), box.b) });
const away = (box, dot) => { const at = nearest(box, dot); return Math.hypot(at.x - dot.x, at.y - dot.y) - dot.r; };

/** Reports whether the line between two points passes through a box. */
function crosses([a, b], box) {
  const [across, down] = [b.x - a.x || 1e-9, b.y - a.y || 1e-9];
  const [l, r, t, u] = [(box.l - a.x) / across, (box.r - a.x) / across, (box.t - a.y) / down, (box.b - a.y) / down];
  return Math.max(0, Math.min(l, r), Math.min(t, u)) <= Math.min(1, Math.max(l, r), Math.max(t, u));
}

const side = (a, b, c) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
const meet = ([a, b], [c, d]) => side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
const around = (dot, pad) => ({ l: dot.x - dot.r - pad, r: dot.x + dot.r + pad, t: dot.y - dot.r - pad, b: dot.y + dot.r + pad });

/** Returns places beside a dot, and then places further off, which need a line to the dot. */
function* placesOf({ x, y, r }, width) {
  const box = (l, t) => ({ l, t, r: l + width, b: t + HIGH });
  const gap = r + 3;
  for (const down of [-HIGH / 2, -HIGH + 2, -2]) {
    yield { box: box(x + gap, y + down) };
    yield { box: box(x - gap - width, y + down) };
  }
  yield { box: box(x - width / 2, y - gap - HIGH) };
  yield { box: box(x - width / 2, y + gap) };
  for (const far of [18, 28, 40, 54, 70, 90, 115, 145, 180, 220]) {
    for (let n = 0; n < 20; n++) {
      const [across, down] = [Math.cos((n * Math.PI) / 10), Math.sin((n * Math.PI) / 10)];
      const middle = { x: x + across * far + (across * width) / 2, y: y + down * (far + HIGH / 2) };
      yield { box: box(middle.x - width / 2, middle.y - HIGH / 2), far };
    }
  }
}

/**
 * Sets `place` of each dot: a box that covers no other label and no dot, beside its own dot or with
 * a line to it. A dot without room has none.
 */
function placeLabels(dots, area) {
  const near = (dot) => dots.filter((other) => Math.hypot(other.x - dot.x, other.y - dot.y) < 45).length;
  let order = [...dots].sort((a, b) => a.minor - b.minor || near(b) - near(a));
  let best = { cost: Infinity };
  for (let tries = 0; tries < 12; tries++) {
    const placed = new Map();
    for (const dot of order) {
      const place = placeOf(dot, dots, [...placed.values()], area);
      if (place) placed.set(dot, place);
    }
    const cost = order.reduce((sum, dot) => sum + (placed.has(dot) ? placed.get(dot).far ?? 0 : dot.minor ? 1e3 : 1e5), 0);
    if (cost < best.cost) best = { cost, placed };
    if (cost < 1e3) break;
    // Those without a place choose first, formats before libraries.
    const first = (dot) => (placed.has(dot) ? 0 : dot.minor ? -1 : -2);
    order = [...order].sort((a, b) => first(a) - first(b));
  }
  dots.forEach((dot) => { dot.place = best.placed.get(dot); });
}

function placeOf(dot, dots, placed, area) {
  const others = dots.filter((other) => other !== dot);
  const free = (box) => box.l >= area.l && box.r <= area.r && box.t >= area.t && box.b <= area.b
    && placed.every((other) => !hits(box, other.box, 2) && !(other.line && crosses(other.line, box)))
    && dots.every((other) => !hits(box, around(other, 1), 0));
  // Lines keep off other dots at first, then off their middles, and cross none of them at last.
  for (const pad of [1, -2, -9]) {
    for (const place of placesOf(dot, dot.width)) {
      if (!free(place.box)) continue;
      if (pad > 0 && dots.some(({ whisker }) => whisker && crosses(whisker, place.box))) continue;
      const own = away(place.box, dot);
      if (own < 8 && others.every((other) => away(place.box, other) >= own + 3)) return place;
      if (!place.far) continue;
      const line = [{ x: dot.x, y: dot.y }, nearest(place.box, dot)];
      const [across, down] = [line[1].x - dot.x, line[1].y - dot.y];
      const passes = ({ x, y, r }) => {
        const far = Math.hypot(x - dot.x, y - dot.y);
        if (far > r + 2) return pad > -9 && crosses(line, around({ x, y, r }, pad));
        // A dot that lies over its own: the line leads elsewhere.
        return across * (x - dot.x) + down * (y - dot.y) > 0.7 * far * Math.hypot(across, down);
      };
      if (placed.some((other) => crosses(line, other.box) || (other.line && meet(line, other.line)))) continue;
      if (others.some(passes)) continue;
      return { ...place, line };
    }
  }
  return null;
}

// The drawing of one report.

function view(document, report, titled) {
  const { base } = report;
  const entries = entriesOf(report);
  const metrics = METRICS.filter((metric) => entries.some((entry) => read(entry, metric)));
  const has = (id) => metrics.includes(METRIC[id]);
  const groups = Object.entries(GROUPS).filter(([group]) => entries.some((entry) => entry.group === group));
  const hidden = new Set();
  const charts = [];
  const tables = [];
  let sort = null;
  let typed = "";
  let pinned = null;
  let marked = null;

  // Elements.

  function filled(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) if (value != null) element.setAttribute(name, value);
    element.append(...children.filter(Boolean));
    return element;
  }

  const html = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);
  // The name space of SVG, without an address in the text of this module.
  const holder = html("div");
  holder.innerHTML = "<svg></svg>";
  const space = holder.firstChild.namespaceURI;
  const svg = (name, attributes = {}, ...children) => filled(document.createElementNS(space, name), attributes, children);
  const path = (name, d) => svg("path", { class: name, d });
  const words = (name, x, y, text, end) => svg("text", { class: name, x, y, "text-anchor": end }, text);
  const long = (label) => label.getComputedTextLength() || label.textContent.length * 6.8;

  function select(label, options, value, changed) {
    const element = html("select", {}, ...options.map(([id, title]) => html("option", { value: id }, title)));
    element.value = value;
    on(element, "change", () => { changed(element.value); redraw(); });
    return html("label", {}, `${label} `, element);
  }

  const choice = (label, state, name, options = metrics.map(({ id, title }) => [id, title])) =>
    select(label, options, state[name], (value) => { state[name] = value; });
  const scaling = (state) => choice("Scale", state, "scale", [["log", "logarithmic"], ["linear", "linear"]]);

  const tip = html("div", { class: "pw-tip", hidden: "", "aria-hidden": "true" });
  const status = html("p", { class: "pw-unseen", role: "status" });
  const summary = html("summary");
  const sorter = select("Order", [["", `as measured, by ${report.sort ?? "rank"}`], ["name", "name"], ...metrics.map(({ id, title }) => [id, title])],
    "", (id) => order(id));

  // Which entries are shown, in which order.

  function filter() {
    const input = html("input", { type: "search", placeholder: "part of a name" });
    on(input, "input", () => { typed = input.value.trim().toLowerCase(); redraw(); });
    // A box shows and hides some entries, and ticks the boxes of each.
    const box = (title, some, others = []) => {
      const input = html("input", { type: "checkbox", checked: "" });
      on(input, "change", () => {
        some.forEach(({ key }) => (input.checked ? hidden.delete(key) : hidden.add(key)));
        others.forEach((other) => { other.firstChild.checked = input.checked; });
        redraw();
      });
      return html("label", {}, input, ` ${title}`);
    };
    const boxes = (title, some) => {
      const each = some.map((entry) => box(entry.key, [entry]));
      return some.length > 0 && html("fieldset", {}, html("legend", {}, box(title, some, each)), ...each);
    };
    return html("div", { class: "pw-controls" }, html("label", {}, "Filter ", input), sorter, html("details", {}, summary,
      ...groups.map(([group, title]) => boxes(`Formats ${title}`, entries.filter((entry) => !entry.rival && entry.group === group))),
      boxes("Libraries", entries.filter((entry) => entry.rival))));
  }

  function order(id, down = METRIC[id]?.more) {
    sort = id && { id, down };
    sorter.lastChild.value = id;
  }

  /** Returns the shown entries in order; libraries stay below their format. */
  function shown() {
    const compare = (one, other) => {
      if (one.group !== other.group) return one.group < other.group ? 1 : -1;
      if (!sort) return 0;
      const [a, b] = [one, other].map((entry) => (sort.id === "name" ? entry.label : read(entry, METRIC[sort.id])?.value));
      if (a == null || b == null) return (a == null) - (b == null);
      return (sort.down ? -1 : 1) * ((a > b) - (a < b));
    };
    const formats = entries.filter((entry) => !entry.rival).sort(compare);
    const all = formats.flatMap((own) => [own, ...entries.filter((entry) => entry.rival && entry.row === own.row).sort(compare)]);
    return all.filter(({ key }) => !hidden.has(key) && key.toLowerCase().includes(typed));
  }

  function redraw() {
    const now = shown();
    hide(true);
    [...charts, ...tables].forEach((draw) => draw(now));
    const said = `${now.length} of ${entries.length} shown`;
    summary.textContent = `Formats and libraries: ${said}`;
    status.textContent = said + (sort ? `, by ${sort.id}${sort.down ? ", largest first" : ""}` : "");
  }

  // Charts.

  /** Returns a figure whose drawing is made anew by `paint`. */
  function figure(name, title, controls, paint) {
    const caption = html("figcaption", {}, title);
    const about = html("p", { class: "pw-about" });
    const body = html("div", { class: "pw-drawing" });
    charts.push((now) => {
      about.replaceChildren();
      body.replaceChildren();
      const drawn = paint({ now, about, body, caption, width: Math.max(Math.floor(body.clientWidth) || 640, 240) });
      if (!drawn) body.append("Nothing shown has these figures.");
    });
    return html("figure", { class: name }, caption, html("div", { class: "pw-controls" }, ...controls), about, body);
  }

  function drawing(label, width, height) {
    const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": label });
    on(chart, "keydown", (event) => {
      const marks = [...chart.querySelectorAll("[tabindex]")];
      const at = marks.indexOf(event.target);
      const to = marks[{ ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: marks.length - 1 }[event.key]];
      if (!to) return;
      event.preventDefault();
      marks[at].tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    });
    return chart;
  }

  /** Returns the group of a mark, which shows its exact values on focus. */
  function mark(chart, entry, lines, at) {
    const group = svg("g", {
      class: classes(entry), role: "img", "data-key": entry.key, tabindex: chart.querySelector("[tabindex]") ? "-1" : "0",
      "aria-label": [entry.key, entry.about, ...lines].join("; "),
    });
    const show = () => showTip(group, entry, lines, at());
    on(group, "focus", show);
    on(group, "blur", () => hide(true));
    chart.append(group);
    return { group, show };
  }

  const classes = ({ group, rival, isBase, verdict }) =>
    ["pw-mark", group, rival && "rival", isBase && "base", verdict !== "exact" && "lossy"].filter(Boolean).join(" ");

  function scatter(x, y) {
    const state = { x, y, scale: "log" };
    const controls = [choice("Up", state, "y"), choice("Across", state, "x"), scaling(state)];
    return figure("pw-wide", "Size against speed", controls, ({ now, about, body, width }) => {
      const [mx, my] = [METRIC[state.x], METRIC[state.y]];
      const log = state.scale === "log";
      const good = (value) => value > 0 || (value === 0 && !log);
      // A library stands at the bytes of its format: it reads those very bytes.
      const whose = (entry, metric) => (metric.kind === "bytes" ? { one: entry.row } : entry);
      const dots = now.map((entry) => ({ entry, fx: read(whose(entry, mx), mx), fy: read(whose(entry, my), my) }))
        .filter(({ fx, fy }) => good(fx?.value) && good(fy?.value));
      if (!dots.length) return false;
      legend(about, dots.map((dot) => dot.entry));
      if (dots.some(({ fy }) => fy.spread)) about.append(QUARTILES);
      const better = `${my.more ? "upper" : "lower"} ${mx.more ? "right" : "left"} is better`;
      const height = Math.round(Math.min(Math.max(width * 0.5, 440), 520));
      const chart = drawing(`${my.title} against ${mx.title}; the ${better}`, width, height);
      body.append(chart);
      const area = { l: 58, r: width - 8, t: 26, b: height - 42 };
      const values = (name) => dots.flatMap(({ [name]: found }) => [found.value, found.spread?.q1, found.spread?.q3]).filter(good);
      const across = scale(values("fx"), log, area.l, area.r);
      const up = scale(values("fy"), log, area.b, area.t);
      axes(chart, area, across, up, mx, my, better);
      for (const dot of dots) {
        const { entry, fx, fy: { value, spread } } = dot;
        Object.assign(dot, { x: across.at(fx.value), y: up.at(value), r: entry.rival ? 4 : 5.5, minor: Boolean(entry.rival) });
        Object.assign(dot, mark(chart, entry, [sentence(whose(entry, my), my, base), sentence(whose(entry, mx), mx, base)], () => dot));
        if (spread) {
          const [low, high] = [up.at(spread.q1), up.at(spread.q3)];
          dot.group.append(path("pw-interval", `M${dot.x} ${low}V${high}`));
          if (low - high > 14) dot.whisker = [{ x: dot.x, y: low }, { x: dot.x, y: high }];
        }
        dot.label = words("pw-name", 0, 0, entry.label);
        dot.group.append(shape(entry, dot), dot.label);
        dot.width = long(dot.label) + 2;
      }
      placeLabels(dots, area);
      const without = dots.filter(({ place }) => !place);
      without.forEach(({ label }) => label.remove());
      if (without.length) about.append(` No room for the names of ${without.length} marks: point at them, or filter.`);
      for (const { place, label, group } of dots) {
        if (!place) continue;
        label.setAttribute("x", place.box.l + 1);
        label.setAttribute("y", place.box.b - 4);
        if (place.line) group.prepend(path("pw-leader", `M${place.line.map((at) => `${at.x} ${at.y}`).join("L")}`));
      }
      pointed(chart, (event, x, y) => {
        const far = (dot) => (dot.group.contains(event.target) ? 0 : Math.hypot(dot.x - x, dot.y - y));
        const found = dots.reduce((a, b) => (far(b) < far(a) ? b : a));
        return far(found) < 30 && found;
      });
      return true;
    });
  }

  const shape = ({ group }, { x, y, r }) => (group === "with-schema"
    ? path("pw-dot", `M${x} ${y - r - 1}l${r + 1} ${r + 1}l${-r - 1} ${r + 1}l${-r - 1} ${-r - 1}z`)
    : svg("circle", { class: "pw-dot", cx: x, cy: y, r }));

  function legend(about, some) {
    const item = (entry, title) => html("span", {}, svg("svg", { width: 16, height: 16, "aria-hidden": "true" },
      svg("g", { class: classes(entry) }, shape(entry, { x: 8, y: 8, r: entry.rival ? 4 : 5.5 }))), title);
    const verdict = "exact";
    about.append(html("span", { class: "pw-legend" },
      ...groups.map(([group, title]) => item({ group, verdict }, `format ${title}`)),
      some.some((entry) => entry.rival) && item({ rival: true, verdict }, "another library"),
      some.some((entry) => entry.verdict !== verdict) && item({}, "changes values")));
  }

  function axes(chart, area, across, up, mx, my, better) {
    const frame = svg("g", { "aria-hidden": "true" });
    chart.append(frame);
    let end = 0;
    for (const tick of across.ticks) {
      const x = across.at(tick);
      const label = words("pw-tick", x, area.b + 15, tickText(mx, tick), "middle");
      frame.append(path("pw-grid", `M${x} ${area.t}V${area.b}`), label);
      const half = long(label) / 2;
      if (x - half < end + 4 || x + half > area.r + 8) label.remove();
      else end = x + half;
    }
    for (const tick of up.ticks) {
      const y = up.at(tick);
      frame.append(path("pw-grid", `M${area.l} ${y}H${area.r}`), words("pw-tick", area.l - 5, y + 4, tickText(my, tick), "end"));
    }
    frame.append(path("pw-axis", `M${area.l} ${area.t}V${area.b}H${area.r}`),
      words("pw-tick", 2, 12, `↑ ${my.title}; ${better}`), words("pw-tick", area.r, area.b + 33, `${mx.title} →`, "end"));
  }

  function bars(id) {
    const state = { id, scale: "linear" };
    return figure(null, "", [choice("Figure", state, "id"), scaling(state)], (place) => {
      const metric = METRIC[state.id];
      place.caption.textContent = metric.title;
      place.about.append(`${metric.more ? "Longer" : "Shorter"} is better.${metric.head && metric.kind === "time" ? QUARTILES : ""}`);
      return rows(place, [metric], state.scale === "log");
    });
  }

  function sizes() {
    const state = { scale: "linear" };
    const series = SERIES.filter(has).map((id) => METRIC[id]);
    return figure(null, "Bytes per message, compressed too", [scaling(state)], (place) => {
      place.about.append(`Shorter is better. From above: ${series.map((metric) => metric.short).join(", ")}.`);
      return rows({ ...place, now: place.now.filter((entry) => !entry.rival) }, series, state.scale === "log");
    });
  }

  /** Draws a bar of each figure for each entry, or a dot where the scale has no zero. */
  function rows({ now, about, body, caption, width }, series, log) {
    const good = (found) => found && (!log || found.value > 0);
    const all = now.filter((entry) => series.some((metric) => good(read(entry, metric))));
    if (!all.length) return false;
    const thick = series.length > 1 ? 14 : 16;
    const chart = drawing(caption.textContent, width, 0);
    const probe = words("pw-figure", 0, 0, "");
    chart.append(probe);
    body.append(chart);
    const length = (text) => { probe.textContent = text; return long(probe); };
    const figures = (entry) => series.map((metric) => text(entry, metric) + (series.length > 1 ? ` ${metric.short}` : ""));
    const name = (entry) => (entry.rival && !all.some((other) => !other.rival && other.row === entry.row) ? entry.key : entry.name);
    const left = Math.min(Math.max(...all.map((entry) => length(name(entry)) * 1.1)) + 10, width * 0.4);
    const right = Math.max(...all.flatMap(figures).map(length)) + 10;
    probe.remove();
    const values = all.flatMap((entry) => series.map((metric) => read(entry, metric)).filter(good))
      .flatMap(({ value, spread }) => [value, spread?.q1, spread?.q3]);
    const along = scale(values, log, left, Math.max(width - right, left + 20));
    let y = 0;
    let group = null;
    const places = [];
    for (const entry of all) {
      if (groups.length > 1 && entry.group !== group) {
        group = entry.group;
        chart.append(words("pw-tick pw-head", 0, y + 15, GROUPS[group]));
        y += 24;
      }
      const [top, high] = [y, thick * series.length + 8];
      const made = mark(chart, entry, series.map((metric) => sentence(entry, metric, base)), () => ({ x: left + 20, y: top + high / 2 }));
      const label = words("pw-name", left - 8, top + high / 2 + 4, name(entry), "end");
      made.group.append(svg("rect", { class: "pw-row", y: top, width, height: high }), path("pw-axis", `M${left} ${top}v${high}`), label);
      for (let rest = name(entry); rest && long(label) > left - 8;) label.textContent = `${(rest = rest.slice(0, -1))}…`;
      series.forEach((metric, n) => bar(made.group, along, left, top + 4 + n * thick, thick, read(entry, metric), figures(entry)[n], log, n));
      y += high;
      places.push({ ...made, bottom: y });
    }
    chart.setAttribute("height", y);
    chart.setAttribute("viewBox", `0 0 ${width} ${y}`);
    if (log) about.append(" The scale is logarithmic: it has no zero.");
    pointed(chart, (event, x, y) => places.find((place) => y < place.bottom));
    return true;
  }

  function bar(group, along, left, y, thick, found, figure, log, n) {
    const middle = y + thick / 2;
    let end = left;
    if (found && (!log || found.value > 0)) {
      end = Math.max(along.at(found.value), left + 1);
      if (log) group.append(path("pw-stem", `M${left} ${middle}H${end}`), svg("circle", { class: `pw-bar s${n}`, cx: end, cy: middle, r: thick / 3 }));
      else group.append(svg("rect", { class: `pw-bar s${n}`, x: left, y: y + 1, width: end - left, height: thick - 2 }));
      if (log) end += thick / 3;
      if (found.spread) {
        const [low, high] = [along.at(found.spread.q1), along.at(found.spread.q3)];
        group.append(path("pw-interval", `M${low} ${middle}H${high}M${low} ${middle - 3}v6M${high} ${middle - 3}v6`));
        end = Math.max(end, high);
      }
    }
    group.append(words("pw-figure", end + 6, middle + 4, figure));
  }

  // Exact values, on hover, touch and focus.

  function pointed(chart, find) {
    const at = (event) => {
      const box = chart.getBoundingClientRect();
      const unit = chart.viewBox.baseVal.width / box.width;
      return find(event, (event.clientX - box.left) * unit, (event.clientY - box.top) * unit);
    };
    on(chart, "pointermove", (event) => {
      if (event.pointerType === "touch" || pinned) return;
      (at(event)?.show ?? hide)();
    });
    on(chart, "pointerleave", () => hide());
    on(chart, "click", (event) => {
      const found = at(event);
      const again = pinned === found?.group;
      hide(true);
      if (!found || again) return;
      found.show();
      pinned = found.group;
    });
  }

  function showTip(group, entry, lines, at) {
    hide(true);
    marked = group;
    group.classList.add("on");
    tip.replaceChildren(html("b", {}, entry.key), ` ${entry.about}`, ...lines.map((line) => html("div", {}, line)));
    tip.hidden = false;
    const chart = group.ownerSVGElement;
    const [box, frame] = [chart, root].map((element) => element.getBoundingClientRect());
    const unit = box.width / chart.viewBox.baseVal.width;
    const [x, y] = [box.left - frame.left + at.x * unit, box.top - frame.top + at.y * unit];
    const above = y - tip.offsetHeight - 14;
    tip.style.left = `${Math.max(Math.min(x - tip.offsetWidth / 2, frame.width - tip.offsetWidth), 0)}px`;
    tip.style.top = `${above > 0 && above + frame.top > 0 ? above : y + 16}px`;
  }

  function hide(always) {
    if (pinned && !always) return;
    marked?.classList.remove("on");
    pinned = marked = null;
    tip.hidden = true;
  }

  // Tables.

  function table([title, columns], number) {
    const heads = ["#", "name", ...columns].map((id) => {
      const button = html("button", { type: "button" }, METRIC[id]?.head ?? "format");
      on(button, "click", () => {
        order(id, sort?.id === id ? !sort.down : undefined);
        redraw();
      });
      return [id, html("th", { scope: "col" }, id === "#" ? id : id === "×" ? "× base" : button)];
    });
    const element = html("table", {}, html("caption", {}, title), html("thead", {}, html("tr", {}, ...heads.map(([, head]) => head))));
    const cell = (entry, id, n) => (id === "×" ? ratio(entry.one.ratios?.[columns[n - 1]]) : text(entry, METRIC[id]));
    tables.push((now) => {
      for (const [id, head] of heads) {
        if (head.firstElementChild) head.setAttribute("aria-sort", sort?.id !== id ? "none" : sort.down ? "descending" : "ascending");
      }
      element.querySelectorAll("tbody").forEach((body) => body.remove());
      for (const [group, name] of groups) {
        const own = now.filter((entry) => entry.group === group && (!number || !["impossible", "unfit"].includes(entry.verdict)));
        const heading = html("tr", { class: "group" }, html("td"), html("th", { scope: "rowgroup", colspan: columns.length + 1 }, name));
        if (own.length) element.append(html("tbody", {}, groups.length > 1 && heading, ...own.map((entry) => html("tr", { class: entry.isBase ? "base" : entry.verdict, "data-key": entry.key },
          html("td", {}, entry.rival || entry.row.rank == null ? NONE : `${entry.row.rank}`),
          html("th", { scope: "row" }, entry.name),
          ...columns.map((id, n) => html("td", {}, cell(entry, id, n)))))));
      }
    });
    return html("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, element);
  }

  const title = titled && (report.title ?? report.input?.kind);
  const figures = html("div", { class: "pw-charts" });
  const root = html("div", { class: "pw pw-compare" }, title && html("h2", {}, title), filter(), figures,
    html("div", { class: "pw-tables" }, ...TABLES.map(table)), status, tip);
  if (has("raw")) figures.append(scatter("raw", has("decode") ? "decode" : "zstd"), sizes());
  if (has("decode")) figures.append(bars("decode"), bars("encode"));
  on(root, "keydown", (event) => event.key === "Escape" && hide(true));
  on(root, "click", (event) => event.target.closest("svg") || hide(true));
  let width;
  const observer = new document.defaultView.ResizeObserver(() => width !== (width = root.clientWidth) && redraw());
  return {
    root,
    start: () => { width = root.clientWidth; redraw(); observer.observe(root); },
    remove: () => { observer.disconnect(); root.remove(); },
  };
}
