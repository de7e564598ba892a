// The configuration that docs/start/connect.md gives users to paste, by host and transport (`stdio`, `http`), with a token and an
// address filled in.
import {readFileSync} from 'node:fs';

const lines = readFileSync(new URL('../../docs/start/connect.md', import.meta.url), 'utf8').split('\n');

// Returns the first code block after the line that begins with the host's name.
function blockOf(host) {
  const from = lines.findIndex((line) => line.startsWith(`**${host}**`));
  const begin = lines.findIndex((line, at) => at > from && line.startsWith('```'));
  const end = lines.findIndex((line, at) => at > begin && line === '```');
  if (from < 0 || end < 0) throw new Error(`docs/start/connect.md has no lines for ${host}`);
  return lines.slice(begin + 1, end);
}

export class DocumentedConfig {
  constructor(token, url) {
    this.fill = (text) => text.replaceAll('ldr_c_…', token).replaceAll('http://127.0.0.1:7663/mcp', url);
  }

  // Returns the single shell command.
  command(host, transport) {
    const found = blockOf(host).filter((line) => line.includes('--transport http') === (transport === 'http'));
    if (found.length !== 1) throw new Error(`docs/start/connect.md should have one line for ${host} over ${transport}, and has ${found.length}`);
    return this.fill(found[0]);
  }

  // Returns the single TOML table.
  table(host, transport) {
    const found = blockOf(host).join('\n').split(/\n(?=\[)/).filter((table) => table.startsWith(`[mcp_servers.${nameOf(transport)}]`));
    if (found.length !== 1) throw new Error(`docs/start/connect.md should have one table for ${host} over ${transport}`);
    return this.fill(found[0]);
  }

  // Returns the YAML list with one of the two servers.
  yaml(host, transport) {
    const [head, ...items] = blockOf(host).join('\n').split(/\n(?=  - name: )/);
    const found = items.filter((item) => item.startsWith(`  - name: ${nameOf(transport)}\n`));
    if (found.length !== 1) throw new Error(`docs/start/connect.md should have one item for ${host} over ${transport}`);
    return this.fill(`${head}\n${found[0]}\n`);
  }

  // Returns the JSON with one of the two servers under `member`.
  json(host, transport, member) {
    const all = JSON.parse(this.fill(blockOf(host).join('\n')));
    const name = nameOf(transport);
    if (!all[member]?.[name]) throw new Error(`docs/start/connect.md should have ${name} under ${member} for ${host}`);
    return {...all, [member]: {[name]: all[member][name]}};
  }
}

const nameOf = (transport) => (transport === 'http' ? 'ladder-http' : 'ladder');
