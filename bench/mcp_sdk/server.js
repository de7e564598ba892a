// The official TypeScript SDK's server as its documentation has it, with Ladder's six tools and every tool's result kept in memory.
// It answers JSON instead of event streams, which is quicker. Prints the port it listens on, and serves until its standard input ends.
//   node server.js OFFER.json     {"tools": what tools/list says, "results": tool name to result}
// POST /modern is the SDK's own handler; POST /legacy a stateless transport, a server and a transport a request as the SDK asks.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { localhostHostValidation, localhostOriginValidation, NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';

const { tools, results } = JSON.parse(readFileSync(process.argv[2], 'utf8'));

// Made once: only the servers are made for each request.
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
