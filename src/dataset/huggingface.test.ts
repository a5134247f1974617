import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { safeName } from '../core/ids.ts';
import { fetchRepository, parseHubSource } from './huggingface.ts';
import { loadDataset } from './load.ts';

/* A hub as the client sees it: revisions, the file tree of a commit, and files, which answer ranges of bytes. */

const OLD = '1'.repeat(40);
const NEW = '2'.repeat(40);
const ROWS = new URL('../../test/fixtures/dataset/published.jsonl', import.meta.url);

interface Hub {
  server: Server;
  url: string;
  requests: string[];
  tokens: Set<string>;
  branches: Record<string, string>;
  files: Record<string, Record<string, string>>;
}

let hub: Hub;
let cacheDir = '';

const json = (response: ServerResponse, body: unknown): void => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

const missing = (response: ServerResponse): void => {
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end('{"error":"Repository not found"}');
};

const serveFile = (request: IncomingMessage, response: ServerResponse, text: string): void => {
  const bytes = Buffer.from(text);
  const range = /^bytes=(\d+)-(\d+)?$/.exec(request.headers.range ?? '');
  const start = Number(range?.[1] ?? 0);
  const end = Math.min(Number(range?.[2] ?? bytes.length - 1), bytes.length - 1);
  response.writeHead(range === null ? 200 : 206, {
    etag: '"x"',
    ...(range === null ? {} : { 'content-range': `bytes ${start}-${end}/${bytes.length}` }),
  });
  response.end(bytes.subarray(start, end + 1));
};

const answer = (request: IncomingMessage, response: ServerResponse): unknown => {
  const { pathname } = new URL(request.url ?? '/', 'http://hub');
  hub.requests.push(pathname);
  hub.tokens.add(request.headers.authorization ?? '');
  const revision = /^\/api\/datasets\/acme\/rules\/revision\/(.+)$/.exec(pathname)?.[1];
  if (revision !== undefined) {
    const sha = hub.branches[decodeURIComponent(revision)];
    return sha === undefined ? missing(response) : json(response, { _id: 'x', id: 'acme/rules', sha });
  }
  const tree = /^\/api\/datasets\/acme\/rules\/tree\/(\w+)$/.exec(pathname)?.[1];
  if (tree !== undefined) {
    const paths = Object.entries(hub.files[tree] ?? {});
    return json(
      response,
      paths.map(([path, text]) => ({ type: 'file', path, size: text.length, oid: 'x' })),
    );
  }
  const [, commit = '', path = ''] = /^\/datasets\/acme\/rules\/resolve\/(\w+)\/(.+)$/.exec(pathname) ?? [];
  const text = hub.files[commit]?.[path];
  return text === undefined ? missing(response) : serveFile(request, response, text);
};

beforeEach(async () => {
  cacheDir = await mkdtemp(join(tmpdir(), 'octobench-hub-'));
  const rows = await readFile(ROWS, 'utf8');
  hub = {
    server: createServer(answer),
    url: '',
    requests: [],
    tokens: new Set(),
    branches: { HEAD: NEW, main: NEW, 'v1/first': OLD },
    files: {
      [OLD]: { 'rows.jsonl': rows.split('\r\n')[0] ?? '' },
      [NEW]: { 'README.md': '---\nlicense: mit\n---\n', 'data/rows.jsonl': rows },
    },
  };
  await new Promise<void>((resolve) => hub.server.listen(0, '127.0.0.1', resolve));
  hub.url = `http://127.0.0.1:${(hub.server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  hub.server.closeAllConnections();
  await new Promise((resolve) => hub.server.close(resolve));
  await rm(cacheDir, { recursive: true, force: true });
});

test('the default branch is read and its commit recorded', async () => {
  const dataset = await loadDataset('hf:acme/rules', { cacheDir, hubUrl: hub.url });
  expect(dataset.revision).toBe(NEW);
  expect(dataset.instances.map((i) => i.id)).toEqual(['a', 'b', 'c']);
  expect(dataset.problems[0]).toMatchObject({ file: 'hf:acme/rules/data/rows.jsonl', line: 3 });
});

test('rows from the hub are those of the same file on disk', async () => {
  const remote = await loadDataset('hf:acme/rules', { cacheDir, hubUrl: hub.url });
  const local = await loadDataset(ROWS.pathname);
  expect(remote.digest).toBe(local.digest);
});

test('a named revision is resolved, slashes in it too', async () => {
  const dataset = await loadDataset('hf:acme/rules@v1/first', { cacheDir, hubUrl: hub.url });
  expect(dataset.revision).toBe(OLD);
  expect(dataset.instances.map((i) => i.id)).toEqual(['a']);
});

test('a cached commit needs no hub; a branch is asked for again, its files are not', async () => {
  await loadDataset('hf:acme/rules', { cacheDir, hubUrl: hub.url });
  hub.requests.length = 0;
  await loadDataset('hf:acme/rules', { cacheDir, hubUrl: hub.url });
  expect(hub.requests).toEqual(['/api/datasets/acme/rules/revision/HEAD']);
  hub.requests.length = 0;
  const pinned = await loadDataset(`hf:acme/rules@${NEW}`, { cacheDir, hubUrl: 'http://127.0.0.1:1' });
  expect(pinned.instances).toHaveLength(3);
  expect(hub.requests).toEqual([]);
});

test('a download that was torn is none', async () => {
  await loadDataset('hf:acme/rules', { cacheDir, hubUrl: hub.url });
  await rm(join(cacheDir, 'hf', safeName('acme/rules'), NEW, safeName('data/rows.jsonl')));
  const again = await loadDataset(`hf:acme/rules@${NEW}`, { cacheDir, hubUrl: hub.url });
  expect(again.instances).toHaveLength(3);
});

test('the token is sent', async () => {
  await fetchRepository(parseHubSource('hf:acme/rules'), { hubUrl: hub.url, token: 'hf_secret' });
  expect(hub.tokens).toEqual(new Set(['Bearer hf_secret']));
});

test('what the hub does not have says so', async () => {
  const load = (source: string): Promise<unknown> => loadDataset(source, { cacheDir, hubUrl: hub.url });
  await expect(load('hf:acme/nothing')).rejects.toMatchObject({ code: 'unavailable' });
  await expect(load('hf:acme/rules@v9')).rejects.toThrow(/cannot get acme\/rules@v9 from the hub/);
  hub.files[NEW] = { 'README.md': 'no rows' };
  await expect(load('hf:acme/rules')).rejects.toThrow(/no \.jsonl file/);
});

test('what is no hub source is refused', () => {
  for (const source of ['hf:', 'hf:name', 'hf:../x/y', 'hf:a/b/c', 'hf:a/b@']) {
    expect(() => parseHubSource(source), source).toThrow(/hf:owner\/name/);
  }
  expect(parseHubSource('hf:a/b@refs/pr/1')).toEqual({ name: 'a/b', revision: 'refs/pr/1' });
});
