// Services by connect-node. Prints a line of JSON with their ports, and ends with its input.

import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { readFileSync } from "node:fs";
import http from "node:http";
import http2 from "node:http2";

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(process.argv[2])));
const routes = (router) =>
  router.service(registry.getService("shop.Items"), {
    find(query) {
      if (query.text === "none") throw new ConnectError("kein Fund: 100 %", Code.NotFound);
      return { title: query.text.repeat(query.most), left: query.most, tags: query.tags };
    },
  });

const ports = {};
const handler = connectNodeAdapter({ routes });
for (const [name, server] of [["connect", http.createServer(handler)], ["connectGrpc", http2.createServer(handler)]]) {
  await new Promise((listens) => server.listen(0, "127.0.0.1", listens));
  ports[name] = server.address().port;
}
console.log(JSON.stringify(ports));
process.stdin.on("end", () => process.exit()).resume();
