// The official TypeScript SDK's server as its documentation shows it, with Ladder's six tools and every tool's result
// kept in memory. It answers with JSON instead of event streams, which is faster. Prints its port and serves until its
// standard input ends.
//   node server.js OFFER.json     {"tools": the tools/list result, "results": tool name to result}
// POST /modern is the SDK's own handler. POST /legacy is the stateless mode: one server and transport per request, as
// the SDK requires.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { localhostHostValidation, localhostOriginValidation, NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';

const { tools, results } = JSON.parse(readFileSync(process.argv[2], 'utf8'));

// Built once; only the servers are created per request.
const offered = tools.map(({ name, title, description, annotations, inputSchema, outputSchema }) => [
  name,
  { title, description, annotations, inputSchema: fromJsonSchema(inputSchema), outputSchema: fromJsonSchema(outputSchema) },
]);

function makeServer() {
  const server = new McpServer({ name: 'bench', version: '1' });
  for (const [name, config] of offered) server.registerTool(name, config, () => results[name]);
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

const fromHere = localhostHostValidation(), fromNowhereElse = localhostOriginValidation();
const listener = createServer((request, response) => {
  if (!fromHere(request, response) || !fromNowhereElse(request, response)) return;
  (request.url === '/modern' ? modern : legacy)(request, response);
});
listener.listen(0, '127.0.0.1', () => console.log(listener.address().port));
process.stdin.on('end', () => process.exit(0)).resume();
