import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leftOut, readPatch } from '../../src/environment/parse-patch.ts';
import type { SandboxProvider, SandboxSpec } from '../../src/environment/schema.ts';
import { describeContainment } from './sandbox-containment.ts';
import {
  FIXTURE,
  INSIDE_NODE,
  js,
  NODE,
  openProxy,
  type Play,
  processesWith,
  sh,
  stubborn,
  until,
  type Within,
} from './sandbox-fixture.ts';

/** The behaviour that every kind of sandbox shares; `isolated` kinds must also keep a hostile agent in. */
export const describeSandbox = (provider: SandboxProvider, isolated: boolean): void => {
  describe(`sandbox ${provider.kind}`, { timeout: 60_000 }, () => {
    let folder: string;
    let proxy: Awaited<ReturnType<typeof openProxy>>;
    const node = isolated ? INSIDE_NODE : NODE;

    const spec = (over: Partial<SandboxSpec> = {}): SandboxSpec => ({
      id: `test-${randomUUID()}`,
      seed: { kind: 'folder', dir: join(FIXTURE, 'workspace'), history: join(FIXTURE, 'history.yaml'), setup: [] },
      workspace: '/workspace/cart',
      overlay: [],
      mounts: isolated ? [{ source: NODE, target: INSIDE_NODE }] : [],
      socket: proxy.socket,
      hostUrl: proxy.url,
      node,
      limits: { memoryBytes: null, processes: null, diskBytes: null, outputBytes: 64 * 1024 },
      network: 'proxy',
      ...over,
    });
    const within: Within = (use, over = {}) => provider.withSandbox(spec(over), use);
    const play: Play = (s, steps, signal = new AbortController().signal) => s.run(steps, { signal });

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'ob-test-'));
      proxy = await openProxy(folder);
    });
    afterAll(async () => {
      await proxy.close();
      await rm(folder, { recursive: true, force: true });
    });

    it('runs the queries of one session, carries the session id on, and takes the change as a patch', async () => {
      await within(
        async (s) => {
          const end = await play(s, [
            sh('pwd; git log --format=%h; cat CLAUDE.md; echo "session: $(echo abc-1)"; echo new > new.txt; cat', {
              capture: 'session: (\\S+)',
            }),
            sh('echo "resumed {{session}} as $WHO"; cat; cat new.txt', {
              env: { WHO: '{{session}}!' },
              stdin: 'typed\n',
            }),
          ]);
          expect(end).toMatchObject({ end: 'exited', message: null, steps: [{ code: 0 }, { code: 0 }] });
          expect(end.steps[0]?.stdout).toBe(`${s.workspace}\ndcfcdd0\nb421f0d\n2e66754\nUse tabs.\nsession: abc-1\n`);
          expect(end.steps[1]?.stdout).toBe('resumed abc-1 as abc-1!\ntyped\nnew\n');
          expect(readPatch(await s.patch())).toEqual([
            { rel: 'new.txt', status: 'added', added: ['new'], removed: [], binary: false },
          ]);
        },
        { overlay: [{ path: 'CLAUDE.md', content: 'Use tabs.\n' }] },
      );
    });

    it('starts each sandbox fresh: HOME holds only a git identity, the environment nothing of ours', async () => {
      process.env.OCTOBENCH_TEST_SECRET = 'do-not-leak';
      try {
        await within(async (s) => {
          await s.write([{ path: '~/.config/x.json', content: '{}', mode: 0o600 }]);
          const end = await play(s, [sh('env; ls -A ~; cat ~/.config/x.json; git config user.name')]);
          const said = end.steps[0]?.stdout ?? '';
          expect(said).not.toContain('do-not-leak');
          expect(said).toContain('.config\n.gitconfig\n{}Developer\n');
        });
      } finally {
        delete process.env.OCTOBENCH_TEST_SECRET;
      }
    });

    it('stops at a step that fails, and says how it ended', async () => {
      await within(async (s) => {
        const failed = await play(s, [sh('echo out; echo err >&2; exit 3'), sh('echo never')]);
        expect(failed).toMatchObject({ end: 'exited', steps: [{ code: 3, stdout: 'out\n', stderr: 'err\n' }] });
        expect(failed.steps).toHaveLength(1);
        const killed = await play(s, [sh('kill -9 $$')]);
        expect(killed.steps[0]).toMatchObject({ code: null, signal: 'SIGKILL' });
        expect(killed.steps[0]?.oomKilled).toBeUndefined();
        const missing = await play(s, [{ argv: ['no-such-program'], env: {}, stdin: null }]);
        expect(missing.steps[0]).toMatchObject({ code: 127 });
        const lost = await play(s, [sh('true', { capture: 'session: (\\w+)' }), sh('echo {{session}}')]);
        expect(lost).toMatchObject({ end: 'exited', message: expect.stringContaining('no session id') });
      });
    });

    it('keeps bytes as they are, and only head and tail of them', async () => {
      await within(
        async (s) => {
          const chunks: Uint8Array[] = [];
          const bytes = "printf '\\377\\376 \\033[2J\\033]0;title\\007 \\342\\202 \\303\\251'";
          const end = await s.run([sh(bytes)], {
            signal: new AbortController().signal,
            onOutput: (_, chunk) => chunks.push(Uint8Array.from(chunk)),
          });
          expect(Buffer.concat(chunks).toString('hex')).toBe('fffe201b5b324a1b5d303b7469746c650720e28220c3a9');
          expect(end.steps[0]?.stdout).toBe('\ufffd\ufffd \u001b[2J\u001b]0;title\u0007 \ufffd é');
          const long = await play(s, [sh('echo first; head -c 3000000 /dev/zero | tr "\\0" x; echo last')]);
          const kept = long.steps[0];
          expect(kept?.stdout.length).toBeLessThan(5000);
          expect(kept?.stdout).toMatch(/^first\nx+\n\[octobench: \d+ bytes left out\]\nx+last\n$/);
          expect(kept?.dropped).toBe(3_000_011 - 4096);
        },
        { limits: { memoryBytes: null, processes: null, diskBytes: null, outputBytes: 4096 } },
      );
    });

    it('ends a session that prints without end', async () => {
      await within(
        async (s) => {
          const end = await play(s, [sh('while :; do echo filling the log; done')]);
          expect(end).toMatchObject({ end: 'aborted', limit: 'output' });
        },
        { limits: { memoryBytes: null, processes: null, diskBytes: null, outputBytes: 4096, outputTotalBytes: 1e6 } },
      );
    });

    it('leaves no process behind, whether the session ends or is aborted', async () => {
      const mark = `m${randomUUID()}`;
      await within(async (s) => {
        const end = await play(s, [sh(`${stubborn(mark)} sleep 0.3`)]);
        expect(end).toMatchObject({ end: 'exited', steps: [{ code: 0 }] });
        expect(await until(async () => (await processesWith(mark)).length === 0)).toBe(true);
        const abort = new AbortController();
        const running = play(s, [sh(`${stubborn(mark)} while :; do sleep 0.2; done`)], abort.signal);
        expect(await until(async () => (await processesWith(mark)).length >= 2)).toBe(true);
        const began = Date.now();
        abort.abort();
        expect(await running).toMatchObject({ end: 'aborted', steps: [{ code: null, signal: 'SIGKILL' }] });
        expect(Date.now() - began).toBeLessThan(5000);
      });
      expect(await until(async () => (await processesWith(mark)).length === 0)).toBe(true);
    });

    it('lets a server that one query started serve the next one', async () => {
      await within(async (s) => {
        const serve = `require('http').createServer((q, r) => r.end('still here')).listen(3999, '127.0.0.1')`;
        const end = await play(s, [
          sh(`"${node}" -e "${serve}" >/dev/null 2>&1 & sleep 0.5`),
          js(node, `fetch('http://127.0.0.1:3999').then((r) => r.text()).then(console.log)`),
        ]);
        expect(end.steps[1]).toMatchObject({ code: 0, stdout: 'still here\n' });
      });
    });

    it('reaches the proxy, and sees a reply that was cut as cut', async () => {
      await within(async (s) => {
        const end = await play(s, [
          js(node, `fetch(process.env.URL + '/v1/x').then((r) => r.text()).then(console.log)`, { URL: s.baseUrl }),
          js(
            node,
            `fetch(process.env.URL + '/cut').then((r) => r.text()).then(() => console.log('whole'), () => console.log('cut'))`,
            { URL: s.baseUrl },
          ),
        ]);
        expect(end.steps.map((x) => x.stdout)).toEqual(['proxy saw /v1/x\n', 'cut\n']);
      });
    });

    it('says when the proxy does not answer from inside, before anything runs', async () => {
      const dead = join(folder, 'dead.sock');
      const server = createTcp((c) => c.destroy());
      await new Promise<void>((resolve) => server.listen(dead, resolve));
      const taken = createTcp((c) => c.destroy());
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(taken.address() as AddressInfo).port}`;
      await within(
        async (s) => {
          const end = await play(s, [sh('echo never')]);
          expect(end).toMatchObject({ end: 'lost', lost: 'proxy_unreachable', steps: [] });
        },
        { socket: dead, hostUrl: url },
      );
      await Promise.all([server, taken].map((x) => new Promise((resolve) => x.close(resolve))));
    });

    it('takes the whole change, whatever the agent does to git', async () => {
      const canary = join(folder, `canary-${provider.kind}`);
      await writeFile(canary, 'secret-of-the-host');
      const script = `
        git config core.fsmonitor "touch ${canary}.fsmonitor"
        git config filter.evil.clean "touch ${canary}.clean; cat"
        git config diff.evil.textconv "touch ${canary}.textconv; cat"
        git config core.hooksPath "$PWD/hooks"
        echo '* filter=evil diff=evil -text binary' > .gitattributes
        mkdir hooks sub; for h in pre-commit post-index-change reference-transaction; do printf '#!/bin/sh\\ntouch ${canary}.hook\\n' > hooks/$h; done
        chmod +x hooks/*
        rm README.md; echo 'exports.total = (a, b) => a + b;' > src/cart.js; chmod +x src/cart.js
        printf 'a\\000b\\377' > bin.dat; echo x > ignored.txt; ln -s ${canary} out-link; ln -s /etc out-dir
        (cd sub && git init -q . && echo nested > file.txt && git add . )
        printf 'tail without newline' > 'odd "name" é\\n.txt'
        mkdir -p big/node_modules; i=0; while [ $i -lt 1001 ]; do : > big/node_modules/$i; i=$((i+1)); done
        rm -rf .git; mkdir .git; echo 'ref: refs/heads/../../../../etc/passwd' > .git/HEAD; mkfifo .git/config`;
      await within(async (s) => {
        expect((await play(s, [sh(script)])).steps[0]).toMatchObject({ code: 0 });
        const patch = await s.patch();
        expect(Buffer.from(patch).toString('latin1')).not.toContain('secret-of-the-host');
        const files = new Map(readPatch(patch).map((f) => [f.rel, f]));
        expect([...files.keys()].sort()).toEqual(
          [
            ...['.gitattributes', 'README.md', 'bin.dat', 'hooks/post-index-change', 'hooks/pre-commit'],
            ...['hooks/reference-transaction', 'ignored.txt', 'odd "name" é\\n.txt', 'out-dir', 'out-link'],
            ...['src/cart.js', 'sub/file.txt'],
          ].sort(),
        );
        expect(files.get('README.md')).toMatchObject({ status: 'deleted', removed: ['# Cart'] });
        expect(files.get('bin.dat')).toMatchObject({ status: 'added', binary: true });
        expect(files.get('out-dir')).toMatchObject({ status: 'added', added: ['/etc'] });
        expect(files.get('src/cart.js')?.removed).toEqual(['exports.total = (a, b) => a - b;']);
        expect(leftOut(patch).join('\n')).toMatch(/"big\/node_modules": a dependency folder.*\n"sub\/.git"/);
      });
      expect((await readdir(folder)).filter((n) => n.startsWith(`canary-${provider.kind}.`))).toEqual([]);
    });

    it('runs commands apart from the session, with a time limit and with mounts of their own', async () => {
      await mkdir(join(folder, 'hidden'), { recursive: true });
      await writeFile(join(folder, 'hidden/check.sh'), 'test -f done && echo solved');
      const target = isolated ? '/opt/hidden' : join(folder, 'hidden');
      await within(async (s) => {
        await play(s, [sh('touch done; ls /opt')]);
        const solved = await s.command(['sh', `${target}/check.sh`], {
          mounts: [{ source: join(folder, 'hidden'), target }],
        });
        expect(solved).toMatchObject({ code: 0, stdout: 'solved\n', timedOut: false, failure: null });
        const slow = await s.command(['sleep', '60'], { timeoutMs: 500 });
        expect(slow).toMatchObject({ timedOut: true, code: null });
        if (isolated) expect((await s.command(['ls', '/opt'])).stdout).toBe('node\n');
      });
    });

    it('digests instruction files by their inside path and follows no link out', async () => {
      const canary = join(folder, 'canary-digest');
      await writeFile(canary, 'host');
      await within(
        async (s) => {
          const before = await s.digests(['**/*.md', '~/.gitconfig']);
          await play(s, [sh(`ln -s ${canary} OUT.md; ln -s README.md IN.md; echo more >> README.md`)]);
          const after = await s.digests(['**/*.md', '~/.gitconfig']);
          const readme = join(s.workspace, 'README.md');
          expect(Object.keys(before)).toEqual([readme, join(s.workspace, 'docs/AGENTS.md'), '~/.gitconfig']);
          expect(after[readme]).not.toBe(before[readme]);
          expect(after[join(s.workspace, 'IN.md')]).toBe(after[readme]);
          expect(after[join(s.workspace, 'OUT.md')]).not.toBe(
            '0932ee2f1fc5a6db5d31d4eae0d7fe5b4ba0b0dbb2d6d8c1dd7a1ee2fd7d7a5e',
          );
          await expect(s.write([{ path: '/etc/x', content: '' }])).rejects.toThrow(/workspace or HOME/);
          await expect(s.write([{ path: join(s.workspace, '../x'), content: '' }])).rejects.toThrow();
        },
        { overlay: [{ path: 'docs/AGENTS.md', content: 'Be brief.' }] },
      );
    });

    it('runs setup commands before the change begins to count, and says which one failed', async () => {
      const seed = (setup: string[]): SandboxSpec['seed'] => ({
        kind: 'folder',
        dir: join(FIXTURE, 'workspace'),
        history: null,
        setup,
      });
      await within(
        async (s) => {
          expect((await s.command(['cat', 'made'])).stdout).toBe('made\n');
          expect((await s.command(['git', 'status'])).code).not.toBe(0);
          expect((await s.patch()).length).toBe(0);
        },
        { seed: seed(['echo made > made']) },
      );
      await expect(within(async () => undefined, { seed: seed(['echo why >&2; false']) })).rejects.toThrow(
        /setup command "echo why >&2; false" failed.*why/,
      );
    });

    if (isolated) describeContainment(within, play, () => folder, node);
  });
};
