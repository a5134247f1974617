import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('./cli.mjs', import.meta.url));
const ENTRY = 'node_modules/@anthropic-ai/claude-code/cli.js';

/** Puts the stand-in into a cache folder as if it were Claude Code 2.0.69; processes with `OCTOBENCH_CACHE` set to it run it. */
export const installFake = async (cacheDir: string): Promise<void> => {
  const root = join(cacheDir, 'scaffolds', 'claude-code@2.0.69');
  const entry = join(root, ENTRY);
  await mkdir(dirname(entry), { recursive: true });
  await cp(CLI, entry);
  await writeFile(join(dirname(entry), 'package.json'), '{"type":"module"}');
  const installed = {
    id: 'claude-code',
    version: '2.0.69',
    entry: ENTRY,
    entryBytes: (await stat(entry)).size,
    runtime: 'node',
    bytes: (await stat(entry)).size,
    digest: createHash('sha256')
      .update(await readFile(entry))
      .digest('hex'),
    integrity: null,
  };
  await writeFile(join(root, 'installed.json'), JSON.stringify({ version: 1, installed }));
};
