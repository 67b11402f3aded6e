// The rival: what a team writes with Node and its usual libraries. One route a format; each asks the backend, takes the items and the
// error message out of the reply, and answers them as JSON.
//
// node gateway.mjs PORT BACKEND PROTO
import http from 'node:http';
import { XMLParser } from 'fast-xml-parser';
import protobuf from 'protobufjs';

const [port, backend, proto] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true, maxSockets: 256, noDelay: true });
const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '', textNodeName: '$t' });
const Reply = protobuf.loadSync(proto).lookupType('example.market.search.v1.FindItemsByKeywordsResponse');

// The body that the service wants.
const request = keywords =>
  '<findItemsByKeywordsRequest xmlns="http://example.org/market/search/v1"><paginationInput><entriesPerPage>50</entriesPerPage>' +
  `<pageNumber>0</pageNumber></paginationInput><keywords>${keywords.replace(/[<&]/g, c => (c === '<' ? '&lt;' : '&amp;'))}</keywords></findItemsByKeywordsRequest>`;

function ask(path, keywords) {
  return new Promise((resolve, reject) => {
    const body = request(keywords);
    const headers = { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(body) };
    const asked = http.request(backend + path, { method: 'POST', agent, headers }, reply => {
      const parts = [];
      reply.on('data', part => parts.push(part));
      reply.on('end', () => (reply.statusCode === 200 ? resolve(Buffer.concat(parts)) : reject(new Error(`backend said ${reply.statusCode}`))));
      reply.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const formats = {
  async xml(keywords) {
    const reply = parser.parse((await ask('/reply.xml', keywords)).toString());
    return reply['soapenv:Envelope']['soapenv:Body'].findItemsByKeywordsResponse;
  },
  async protobuf(keywords) {
    return Reply.toObject(Reply.decode(await ask('/reply.protobuf', keywords)), { longs: String, bytes: String });
  },
  async json(keywords) {
    const reply = JSON.parse((await ask('/reply.json', keywords)).toString());
    return { searchResult: { item: reply.searchResult.items }, errorMessage: reply.errorMessage };
  },
};

http
  .createServer(async (asked, answer) => {
    const [, , format, keywords] = asked.url.split('/');
    try {
      const reply = await formats[format](decodeURIComponent(keywords));
      const text = JSON.stringify([[reply.searchResult.item, reply.errorMessage ?? null]]);
      answer.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      answer.end(text);
    } catch (error) {
      answer.writeHead(502, { 'content-type': 'application/json' });
      answer.end(JSON.stringify({ message: error.message }));
    }
  })
  .listen(Number(port), '127.0.0.1');
