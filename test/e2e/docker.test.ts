import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildEnvironment } from '../../src/environment/build.ts';
import { openEngine } from '../../src/environment/docker.ts';
import { docker, sweepContainers } from '../../src/environment/docker-sandbox.ts';
import { BASE_IMAGE, ensureImage } from '../../src/environment/image.ts';
import { readPatch } from '../../src/environment/parse-patch.ts';
import type { SandboxSpec } from '../../src/environment/schema.ts';
import { describeSandbox } from './sandbox-cases.ts';
import { FIXTURE, INSIDE_NODE, NODE } from './sandbox-fixture.ts';

const spec = (over: Partial<SandboxSpec>): SandboxSpec => ({
  id: `test-${randomUUID()}`,
  seed: { kind: 'folder', dir: join(FIXTURE, 'workspace'), history: null, setup: [] },
  workspace: '/workspace/cart',
  overlay: [],
  mounts: [{ source: NODE, target: INSIDE_NODE }],
  socket: null,
  hostUrl: 'http://127.0.0.1:9',
  node: INSIDE_NODE,
  limits: { memoryBytes: null, processes: null, diskBytes: null, outputBytes: 64 * 1024 },
  network: 'proxy',
  ...over,
});

const describeImages = () =>
  describe('images', { timeout: 120_000 }, () => {
    const engine = openEngine();
    const made: string[] = [];
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'ob-build-'));
    });
    afterAll(async () => {
      for (const tag of new Set(made)) await engine.getImage(tag).remove({ force: true });
      await rm(folder, { recursive: true, force: true });
    });
    const build = async (name: string, setup: string[], dir = FIXTURE) => {
      const image = await buildEnvironment({ name, dir, workspace: '/workspace/cart', setup });
      made.push(image.reference);
      return image;
    };

    it('are built once of equal input, and start workspaces with their history and without its future', async () => {
      const setup = [
        'git config --global user.email a@b; git config --global user.name A; git config --global --add safe.directory "*"',
        'git checkout -q -b later && echo fix > fix && git add fix && git commit -q -m solution && git checkout -q main',
        'echo made > built.txt; ln -s /usr/bin/env tool; useradd -u 1000 someone || echo "someone:x:1000:1000::/:/bin/sh" >> /etc/passwd',
      ];
      const image = await build('cart', setup);
      expect((await build('cart', setup)).id).toBe(image.id);
      expect(image.reference).toMatch(/^octobench\/cart:[0-9a-f]{12}$/);
      await docker.withSandbox(spec({ seed: { kind: 'image', reference: image.reference } }), async (s) => {
        const script = `git log --all --format=%h; git status --porcelain; cat built.txt; readlink tool; id -un
          test -w README.md && echo writable; echo more >> built.txt; rm tool`;
        expect((await s.command(['sh', '-c', script])).stdout.trim().split('\n')).toEqual([
          ...['dcfcdd0', 'b421f0d', '2e66754', '?? built.txt', '?? tool'],
          ...['made', '/usr/bin/env', 'someone', 'writable'],
        ]);
        expect(readPatch(await s.patch()).map((f) => [f.rel, f.status])).toEqual([
          ['built.txt', 'modified'],
          ['tool', 'deleted'],
        ]);
      });
    });

    it('that cannot be built or do not fit say why', async () => {
      await expect(build('broken', ['echo no such thing >&2; exit 4'])).rejects.toThrow(
        /broken cannot be built.*code: 4.*no such thing/s,
      );
      const bad = join(folder, 'bad');
      await mkdir(join(bad, 'workspace'), { recursive: true });
      await symlink('/etc/passwd', join(bad, 'workspace/out'));
      await expect(build('bad', [], bad)).rejects.toMatchObject({ code: 'input' });
      const seed = { kind: 'image', reference: BASE_IMAGE } as const;
      await expect(docker.withSandbox(spec({ seed }), async () => undefined)).rejects.toThrow(
        'no folder /workspace/cart',
      );
      await expect(ensureImage(engine, 'octobench.invalid/none:1')).rejects.toMatchObject({ code: 'unavailable' });
    });
  });

const describeEngine = () =>
  describe('containers', { timeout: 120_000 }, () => {
    const engine = openEngine();
    const names = async (): Promise<string[]> =>
      (await engine.listContainers({ all: true })).map((c) => c.Names[0] ?? c.Id).sort();

    it('are gone afterwards, and only those of crashed runs are swept', async () => {
      const image = (await ensureImage(engine, BASE_IMAGE)).id;
      const make = (name: string, Labels: Record<string, string>) =>
        engine.createContainer({ Image: image, name, Cmd: ['sleep', '60'], Labels });
      const gone = JSON.stringify({ host: hostname(), pid: 4_194_300, ticks: '1' });
      const id = randomUUID().slice(0, 8);
      const foreign = await make(`other-${id}`, { project: 'someone-else' });
      const crashed = await make(`octobench-${id}`, { 'octobench.id': id, 'octobench.owner': gone });
      await crashed.start();
      try {
        const before = await names();
        await docker.withSandbox(spec({}), async () => {
          expect((await names()).length).toBe(before.length + 1);
          expect(await sweepContainers()).toContain(id);
          expect((await names()).length).toBe(before.length);
        });
        expect(await names()).toEqual(before.filter((n) => n !== `/octobench-${id}`));
        await expect(
          docker.withSandbox(spec({}), async () => {
            throw new Error('the caller failed');
          }),
        ).rejects.toThrow('the caller failed');
        expect(await names()).toEqual(before.filter((n) => n !== `/octobench-${id}`));
      } finally {
        await foreign.remove({ force: true });
      }
    });

    it('tell exit code 137 with memory run out from 137 without', async () => {
      const limits = { memoryBytes: 150e6, processes: null, diskBytes: null, outputBytes: 1000 };
      await docker.withSandbox(spec({ limits, network: 'open', socket: null }), async (s) => {
        const killed = await s.command(['sh', '-c', 'kill -9 $$']);
        expect(killed).toMatchObject({ code: null, signal: 'SIGKILL', failure: null });
        const by = await s.command(['sh', '-c', 'exit 137']);
        expect(by).toMatchObject({ code: 137, signal: null });
      });
    });

    it('have no network, no capabilities and limits', async () => {
      const limits = { memoryBytes: 300e6, processes: 100, diskBytes: 1e9, outputBytes: 1000, cpus: 0.5 };
      await docker.withSandbox(spec({ limits }), async (s) => {
        const [row] = await engine.listContainers({ all: true, filters: { label: ['octobench.id'] } });
        const { HostConfig, Config } = await engine.getContainer(row?.Id ?? '').inspect();
        expect(HostConfig).toMatchObject({
          ...{
            NetworkMode: 'none',
            Init: true,
            CapDrop: ['ALL'],
            SecurityOpt: ['no-new-privileges'],
            Privileged: false,
          },
          ...{ PidsLimit: 100, Memory: 300e6, MemorySwap: 300e6, NanoCpus: 5e8, LogConfig: { Type: 'none' } },
        });
        expect(Config.Env.join('\n')).not.toContain('DOCKER_HOST');
        expect((await s.command(['id', '-u'])).stdout).not.toBe('0\n');
      });
    });

    it('leave nothing mounted', async () => {
      const mounts = () => execFileSync('cat', ['/proc/mounts'], { encoding: 'utf8' }).split('\n').length;
      const before = mounts();
      await docker.withSandbox(spec({}), async (s) => s.command(['true']));
      expect(mounts()).toBe(before);
    });
  });

const why = await docker.check();
if (why === null) {
  describeSandbox(docker, true);
  describeImages();
  describeEngine();
} else {
  describe('sandbox docker', () => {
    if (process.env.CI_REQUIRE_ENGINE === '1') {
      it('can be had', () => {
        throw new Error(why);
      });
    } else it.skip(`cannot be had here: ${why}`, () => undefined);
  });
}
