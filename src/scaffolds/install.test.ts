import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BenchError } from '../core/errors.ts';
import { claudeCode } from './claude-code/scaffold.ts';
import { defaultCacheDir, type Installed, installScaffold, listInstalled, pruneInstalled } from './install.ts';
import type { Scaffold } from './scaffold.ts';

const PROGRAM = 'console.log("1.0.0")\n';

/** A tar archive of text files (ustar). */
const tar = (files: Record<string, string>): Buffer => {
  const blocks: Buffer[] = [];
  for (const [name, text] of Object.entries(files)) {
    const head = Buffer.alloc(512);
    head.write(name, 0);
    head.write('0000644\0', 100);
    head.write('0000000\0', 108);
    head.write('0000000\0', 116);
    head.write(`${Buffer.byteLength(text).toString(8).padStart(11, '0')}\0`, 124);
    head.write('00000000000\0', 136);
    head.write('        0', 148);
    head.write('ustar\0', 257);
    head.write('00', 263);
    const sum = head.reduce((a, b) => a + b, 0);
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
    body.write(text);
    blocks.push(head, body);
  }
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
};

const archive = gzipSync(
  tar({
    'package/package.json': JSON.stringify({ name: 'fake-agent', version: '1.0.0' }),
    'package/cli.js': PROGRAM,
  }),
);
const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;

/** A registry that has fake-agent 1.0.0 and nothing else. */
const registry = (served: string[]): Server =>
  createServer((request, response) => {
    served.push(request.url ?? '');
    const base = `http://${request.headers.host}`;
    if (request.url === '/fake-agent') {
      const dist = { tarball: `${base}/fake-agent-1.0.0.tgz`, integrity };
      const version = { name: 'fake-agent', version: '1.0.0', dist };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ name: 'fake-agent', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }),
      );
    } else if (request.url === '/fake-agent-1.0.0.tgz') response.end(archive);
    else response.writeHead(404).end('{}');
  });

const fake = (entry = 'node_modules/fake-agent/cli.js'): Scaffold => ({
  ...claudeCode,
  id: 'fake',
  npm: (version) => ({ name: 'fake-agent', version, entry, runtime: 'node', scripts: false }),
});

describe('installScaffold', () => {
  const served: string[] = [];
  const server = registry(served);
  let cacheDir = '';
  let env: NodeJS.ProcessEnv = {};
  const install = (version = '1.0.0', scaffold = fake(), more: NodeJS.ProcessEnv = {}): Promise<Installed> =>
    installScaffold(scaffold, version, { cacheDir, env: { ...env, ...more } });

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(async () => {
    cacheDir = await mkdtemp(join(tmpdir(), 'octobench-install-'));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await mkdir(join(cacheDir, 'user'));
    await writeFile(join(cacheDir, 'user', '.npmrc'), `registry=${url}\n`);
    // The registry is known from the user's npmrc alone.
    env = { PATH: process.env.PATH, HOME: join(cacheDir, 'user'), SECRET: 'x' };
    served.length = 0;
  });
  afterEach(() => rm(cacheDir, { recursive: true, force: true }));

  it('installs once, whole, with digest and integrity; two at a time share one download; lists and prunes', async () => {
    const [a, b] = await Promise.all([install(), install()]);
    expect(a).toEqual(b);
    expect(a).toMatchObject({ id: 'fake', version: '1.0.0', runtime: 'node', integrity });
    expect(a.digest).toBe(createHash('sha256').update(PROGRAM).digest('hex'));
    expect(a.bytes).toBeGreaterThan(PROGRAM.length);
    expect(await readFile(a.entry, 'utf8')).toBe(PROGRAM);
    expect(served.filter((url) => url.endsWith('.tgz'))).toHaveLength(1);
    // Nothing but the install is left: no lock, no temporary folder, no HOME, nothing in the user's.
    expect(await readdir(join(cacheDir, 'scaffolds'))).toEqual(['fake@1.0.0']);
    expect(await readdir(a.root)).not.toContain('home');
    expect(await readdir(join(cacheDir, 'user'))).toEqual(['.npmrc']);
    expect(await listInstalled(cacheDir)).toEqual([a]);
    expect(await pruneInstalled(cacheDir)).toEqual({ removed: ['fake@1.0.0'], bytes: a.bytes });
    expect(await listInstalled(cacheDir)).toEqual([]);
  });

  it('works without a registry once installed, and again when the install was damaged', async () => {
    const first = await install();
    served.length = 0;
    expect(await install('1.0.0', fake(), { PATH: '/nowhere' })).toEqual(first);
    expect(served).toEqual([]);
    await writeFile(first.entry, 'cut');
    expect(await listInstalled(cacheDir)).toEqual([]);
    expect((await install()).digest).toBe(first.digest);
    expect(await readFile(first.entry, 'utf8')).toBe(PROGRAM);
  });

  it('takes over from a process that died in the middle', async () => {
    const folder = join(cacheDir, 'scaffolds');
    const gone = 2 ** 22 + 1; // above the kernel's largest pid
    await mkdir(join(folder, `.part-${gone}-00`, 'node_modules'), { recursive: true });
    await mkdir(join(folder, 'fake@1.0.0'), { recursive: true });
    await writeFile(join(folder, '.fake@1.0.0.lock'), String(gone));
    await install();
    expect(await pruneInstalled(cacheDir, () => true)).toEqual({ removed: [`.part-${gone}-00`], bytes: 0 });
  });

  it.each([
    ['a version that is not there', '9.9.9', fake(), {}, /registry has no fake-agent@9\.9\.9/],
    [
      'no registry',
      '1.0.0',
      fake(),
      { npm_config_registry: 'http://127.0.0.1:1/', npm_config_fetch_retries: '0' },
      /cannot be reached/,
    ],
    ['no npm', '1.0.0', fake(), { PATH: '/nowhere' }, /npm is not on PATH/],
    ['no program for this machine', '1.0.0', fake('node_modules/fake-agent/none'), {}, /no program for/],
  ])('says what to do: %s', async (_, version, scaffold, more, message) => {
    const failed = await install(version, scaffold, more).catch((e: unknown) => e);
    expect(failed).toBeInstanceOf(BenchError);
    expect(failed).toMatchObject({ code: 'unavailable', message: expect.stringMatching(message) });
    expect(await readdir(join(cacheDir, 'scaffolds'))).toEqual([]);
  });
});

describe('defaultCacheDir', () => {
  it('is the environment’s word, else the user’s cache', () => {
    expect(defaultCacheDir({ OCTOBENCH_CACHE: '/c' })).toBe('/c');
    expect(defaultCacheDir({ XDG_CACHE_HOME: '/x', HOME: '/h' })).toBe('/x/octobench');
    expect(defaultCacheDir({ HOME: '/h' })).toBe('/h/.cache/octobench');
  });
});
