// Chromium without a display, for every test of a page: `tools/setup.sh browser` installs it.

import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const folder = new URL("../../target/browser/", import.meta.url);
const { resolve } = createRequire(new URL("package.json", folder));

/**
 * Starts the browser. It reaches no network, so that a page which asks for anything fails.
 *
 * @returns {Promise<import("puppeteer-core").Browser>}
 */
export async function launch() {
  // The package unpacks the program where temporary files are.
  const unpacked = new URL("tmp/", folder);
  mkdirSync(unpacked, { recursive: true });
  process.env.TMPDIR = unpacked.pathname.replace(/\/$/, "");
  const [{ default: chromium }, { default: puppeteer }] = await Promise.all(
    ["@sparticuz/chromium", "puppeteer-core"].map((name) => import(pathToFileURL(resolve(name)))),
  );
  return puppeteer.launch({
    executablePath: await chromium.executablePath(),
    headless: "shell",
    args: [
      "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb",
      "--proxy-server=127.0.0.1:1",
    ],
  });
}
