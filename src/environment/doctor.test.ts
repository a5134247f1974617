import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { examineEnvironment, examineRegistry } from './doctor.ts';

const before = process.env.DOCKER_HOST;
afterEach(() => {
  if (before === undefined) delete process.env.DOCKER_HOST;
  else process.env.DOCKER_HOST = before;
});

/** An engine that knows its version and nothing else. */
const fakeEngine = async (answers: Record<string, object>) => {
  const folder = await mkdtemp(join(tmpdir(), 'ob-engine-'));
  const path = join(folder, 's');
  const server = createServer((req, res) => {
    const url = (req.url ?? '').replace(/^\/v[\d.]+/, '');
    const found = Object.entries(answers).find(([key]) => url.startsWith(key))?.[1];
    res.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json', connection: 'close' });
    res.end(JSON.stringify(found ?? { message: 'no such image' }));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  process.env.DOCKER_HOST = `unix://${path}`;
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  };
};

describe('doctor', () => {
  it('says of everything that is wrong how to mend it', async () => {
    process.env.DOCKER_HOST = 'unix:///nonexistent/docker.sock';
    const checks = await examineEnvironment();
    expect(checks.map((c) => c.name)).toEqual(['container engine', 'bubblewrap', 'git', 'disk']);
    expect(checks[0]).toMatchObject({ ok: false, detail: expect.stringContaining('no container engine answers') });
    for (const check of checks) expect(check.mend === null).toBe(check.ok);
  });

  it('refuses an engine on another machine', async () => {
    process.env.DOCKER_HOST = 'tcp://192.0.2.1:2375';
    expect((await examineEnvironment())[0]?.detail).toContain('on another machine');
  });

  it('shows the engine, and that the base image is missing', async () => {
    const close = await fakeEngine({
      '/_ping': {},
      '/version': { Version: '99.1', ApiVersion: '1.41', Arch: 'amd64' },
      '/system/df': { LayersSize: 3e9 },
      '/distribution/there': { Descriptor: {} },
    });
    try {
      const checks = new Map((await examineEnvironment()).map((c) => [c.name, c]));
      expect(checks.get('container engine')).toMatchObject({ ok: true, detail: '99.1, API 1.41, amd64' });
      expect(checks.get('base image')).toMatchObject({ ok: false });
      expect(checks.get('images')).toMatchObject({ ok: true, detail: '3.0 GB in the engine' });
      expect(await examineRegistry('there:1')).toMatchObject({ ok: true, detail: 'there:1 can be pulled' });
      expect(await examineRegistry('elsewhere:1')).toMatchObject({
        ok: false,
        mend: expect.stringContaining('image map'),
      });
    } finally {
      await close();
    }
  });
});
