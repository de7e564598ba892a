// Node 22 from a package of the lock file: the conformance suite and the Inspector need it, and Debian 12 has an older
// version.
import {existsSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

export function node22() {
  const here = dirname(fileURLToPath(import.meta.url));
  const program = join(here, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  if (!existsSync(program)) throw new Error(`${program} is missing: npm ci in tests/clients brings it`);
  return program;
}
