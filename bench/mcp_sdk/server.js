// The official TypeScript SDK's server in its quickest form: the low-level Server, nothing validated, JSON instead of event streams,
// and every tool's result kept in memory. Prints the port it listens on, and serves until its standard input ends.
//   node server.js RESULTS.json     an object: tool name to result
// POST /modern is the SDK's own handler; POST /legacy a stateless transport, a server and a transport a request as the SDK asks.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

const results = JSON.parse(readFileSync(process.argv[2], 'utf8'));

function makeServer() {
  const server = new Server({ name: 'bench', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', request => results[request.params.name]);
  return server;
}

const modern = toNodeHandler(createMcpHandler(makeServer, { legacy: 'reject', responseMode: 'json' }));

async function legacy(request, response) {
  const server = makeServer();
  const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

const listener = createServer((request, response) => (request.url === '/modern' ? modern : legacy)(request, response));
listener.listen(0, '127.0.0.1', () => console.log(listener.address().port));
process.stdin.on('end', () => process.exit(0)).resume();
