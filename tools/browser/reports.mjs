// Reports that are hard to draw, made from one of the program's.

/** Returns numbers from 0 to 1 that a seed decides. */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const NAMES = "json msgpack cbor bson yaml xml psyc usds bencode csv protobuf extprot avro-single-object flatbuffers smile".split(" ");
const LIBRARIES = "serde_json sonic-rs simd-json jiter rmp-serde ciborium minicbor bson quick-xml roxmltree serde_bencode prost-reflect".split(" ");

/** Returns a report of fifteen formats and twelve libraries whose figures lie close to each other. */
export function crowd(report, seed) {
  const next = random(seed);
  const near = (value, by) => value * by ** (2 * next() - 1);
  const pattern = report.rows.find((row) => row.verdict === "exact" && row.times);
  const spread = (median) => {
    const by = 0.002 + 0.1 * next() ** 3;
    return { median, q1: median * (1 - by), q3: median * (1 + by), min: median * (1 - 2 * by), max: median * (1 + 5 * by), rounds: 21 };
  };
  const time = (median) => ({ ns: spread(median), mb_per_s: 1e5 / median, allocations: Math.floor(next() * 30) });
  const rows = NAMES.map((format, n) => {
    const group = n % 3 === 2 ? "with-schema" : "without-schema";
    const raw = near(group === "with-schema" ? 90 : 220, 1.6);
    const times = { encode: time(near(700, 4)), decode: time(near(1500, 4)), scan: time(near(800, 3)) };
    const sizes = { raw, gzip: raw * 0.8, zstd: raw * 0.7, dictionary: { zstd: raw * 0.3 }, batch_gzip: raw * 0.2, batch_zstd: raw * 0.19 };
    return { ...pattern, format, title: format, group, rank: n + 1, sizes, times, rivals: [], verdict: n === 9 ? "lossy" : "exact" };
  });
  // Three at one place, and three that nearly are.
  for (const [n, like, by] of [[1, 0, 1], [3, 0, 1], [6, 4, 1.004], [9, 4, 0.99]]) {
    const ns = spread(rows[like].times.decode.ns.median * by);
    rows[n] = { ...rows[n], sizes: rows[like].sizes, times: { ...rows[n].times, decode: { ...rows[n].times.decode, ns } } };
  }
  LIBRARIES.forEach((name, n) => {
    const row = rows[Math.floor((n * n) / 16)];
    row.rivals.push({ name, about: "", verdict: "exact", losses: [], raw: row.sizes.raw, encode: time(near(1500, 3)), decode: time(near(2500, 3)) });
  });
  rows.sort((a, b) => (a.group < b.group ? 1 : a.group > b.group ? -1 : a.sizes.raw - b.sizes.raw));
  return { ...report, base: "json", rows };
}

/** Returns reports that lack fields, one after the other. */
export function* without(report) {
  const rows = (change) => ({ ...report, rows: report.rows.map(change) });
  for (const name of ["base", "sort", "input", "machine", "made", "method", "programs", "advice"]) yield { ...report, [name]: undefined };
  for (const name of ["sizes", "times", "ratios", "rivals", "group", "rank", "title", "verdict"]) yield rows((row) => ({ ...row, [name]: undefined }));
  yield { ...report, rows: undefined };
  yield { ...report, rows: [] };
  yield rows((row) => ({ ...row, sizes: row.sizes && { raw: row.sizes.raw } }));
  yield rows((row) => ({ ...row, times: row.times && { decode: { ns: { median: 1234.5 } } } }));
  yield rows((row) => ({ ...row, sizes: row.sizes && { ...row.sizes, dictionary: null }, times: null, rivals: [] }));
}
