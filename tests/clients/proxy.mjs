// A proxy on loopback that adds a bearer token to every request and changes nothing else: Host and Origin arrive as the client
// sent them. For clients that can't send a token of their own.
import http from 'node:http';

// Listens on a free port of 127.0.0.1 and passes everything on to `target`, an http URL; {url, close()}.
export async function startProxy(target, token) {
  const to = new URL(target);
  const server = http.createServer((request, response) => {
    const headers = [];
    for (let at = 0; at < request.rawHeaders.length; at += 2) {
      if (request.rawHeaders[at].toLowerCase() === 'authorization') continue;
      headers.push(request.rawHeaders[at], request.rawHeaders[at + 1]);
    }
    headers.push('Authorization', `Bearer ${token}`);
    const upstream = http.request(
        {host: to.hostname, port: to.port, path: request.url, method: request.method, headers, setHost: false}, (answer) => {
          response.writeHead(answer.statusCode, answer.statusMessage, answer.rawHeaders);
          answer.pipe(response);
        });
    upstream.on('error', (error) => response.destroy(error));
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    }),
  };
}
