import { randomUUID } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer as createTcp, type Server } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { js, type Play, processesWith, sh, until, type Within } from './sandbox-fixture.ts';

const listenEverywhere = async (): Promise<{ port: number; seen: () => number; close(): Promise<void> }> => {
  let seen = 0;
  const server: Server = createTcp((c) => {
    seen++;
    c.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, seen: () => seen, close: () => new Promise((resolve) => server.close(() => resolve())) };
};

/** What a hostile agent must not get away with. */
export const describeContainment = (within: Within, play: Play, folder: () => string, node: string): void => {
  const none = { memoryBytes: null, processes: null, diskBytes: null, outputBytes: 64 * 1024 };

  it('runs as nobody of the host, without capabilities, and cannot touch the relay', async () => {
    await within(async (s) => {
      const end = await play(s, [
        sh('id -u; grep -E "^(CapPrm|CapEff|CapAmb|NoNewPrivs)" /proc/self/status | tr -d "\\t "; id -un'),
        sh('kill -9 -1 2>/dev/null; kill -9 $PPID 2>/dev/null; echo survived'),
      ]);
      const [uid, ...status] = (end.steps[0]?.stdout ?? '').trim().split('\n');
      expect(Number(uid)).toBeGreaterThan(0);
      const empty = '0000000000000000';
      expect(status).toEqual([`CapPrm:${empty}`, `CapEff:${empty}`, `CapAmb:${empty}`, 'NoNewPrivs:1', 'agent']);
      if (process.getuid?.() !== 0) return;
      expect(end.end).toBe('exited');
      const frame = `\\003\\000\\000\\000\\000\\000\\000\\056{"t":"end","step":0,"code":0,"signal":null,"x":"y"}\\n`;
      const forged = await play(s, [
        sh(`printf '${frame}'; for p in /proc/[0-9]*; do printf '${frame}' > $p/fd/1; done 2>/dev/null; exit 7`),
      ]);
      expect(forged).toMatchObject({ end: 'exited', steps: [{ code: 7 }] });
      expect(forged.steps).toHaveLength(1);
    });
  });

  it('sees nothing of the host or of other sandboxes', async () => {
    const canary = join(folder(), 'canary-file');
    await writeFile(canary, 'secret-canary');
    await chmod(folder(), 0o755);
    await within(async (other) => {
      await other.write([{ path: '~/note', content: 'secret-canary' }]);
      await within(async (s) => {
        const looking = `cat ${canary} ${other.hostWorkspace}/../home/note /proc/*/root${canary} /proc/*/cwd/../home/note 2>/dev/null; ls -A /home /root /workspace /tmp 2>/dev/null; cat /etc/passwd; grep -rl secret-canary /home /tmp /opt /run /var /workspace 2>/dev/null`;
        const end = await play(s, [sh(`${looking}; true`)]);
        const said = end.steps[0]?.stdout ?? '';
        expect(said).not.toContain('secret-canary');
        expect(said).not.toContain('note');
        expect(said).not.toContain(folder());
      });
    });
  });

  it('reaches no port of the host and no other machine', async () => {
    const server = await listenEverywhere();
    const probe = connect(server.port, '127.0.0.1');
    await new Promise((resolve) => probe.once('close', resolve));
    expect(server.seen()).toBe(1);
    const code = `
      const hosts = ['127.0.0.1', '172.17.0.1', 'localhost', 'host.docker.internal', '10.0.0.1', '1.1.1.1', ...Object.values(os.networkInterfaces()).flat().map((i) => i.address)];
      let open = hosts.length;
      for (const host of hosts) {
        const c = net.connect({ host, port: ${server.port}, timeout: 1000 });
        c.on('connect', () => console.log('connected ' + host)).on('timeout', () => c.destroy()).on('error', () => {}).on('close', () => { if (--open === 0) console.log('tried'); });
      }`;
    await within(async (s) => {
      const end = await play(s, [js(node, code)]);
      expect(end.steps[0]).toMatchObject({ code: 0, stdout: 'tried\n' });
    });
    expect(server.seen()).toBe(1);
    await server.close();
  });

  it('holds a fork bomb', async () => {
    const mark = `m${randomUUID()}`;
    await within(
      async (s) => {
        const abort = new AbortController();
        const bomb = `bomb() { sh -c 'sleep 30; : ${mark}' & bomb & bomb; }; bomb 2>/dev/null`;
        const running = play(s, [sh(bomb)], abort.signal);
        await until(async () => (await processesWith(mark)).length > 10, 3000);
        await new Promise((resolve) => setTimeout(resolve, 500));
        expect((await processesWith(mark)).length).toBeLessThan(80);
        abort.abort();
        expect(['aborted', 'exited']).toContain((await running).end);
      },
      { limits: { ...none, processes: 80 } },
    );
    expect(await until(async () => (await processesWith(mark)).length === 0)).toBe(true);
  });

  it('stops what fills the disk', async () => {
    await within(
      async (s) => {
        const end = await play(s, [
          sh('i=0; while :; do i=$((i+1)); head -c 4000000 /dev/zero > f$i || sleep 0.1; done'),
        ]);
        expect(end).toMatchObject({ end: 'aborted', limit: 'disk' });
        const one = await play(s, [
          sh('head -c 60000000 /dev/zero > /tmp/x; head -c 60000000 /dev/zero > ~/x; wc -c < ~/x'),
        ]);
        expect(Number(one.steps[0]?.stdout.trim() || '0')).toBeLessThanOrEqual(30_000_000);
      },
      { limits: { ...none, diskBytes: 30_000_000 } },
    );
  });

  it('stops what takes all memory', async () => {
    await within(
      async (s) => {
        const hog = 'const a = []; for (;;) a.push(Buffer.alloc(8e6, 1));';
        const end = await play(s, [js(node, hog)]);
        expect(end.limit).toBe('memory');
        expect(end.steps[0]?.code).not.toBe(0);
      },
      { limits: { ...none, memoryBytes: 200e6 } },
    );
  });

  it('mounts the scaffold read-only and gives a private /tmp', async () => {
    await within(async (s) => {
      const end = await play(s, [
        sh(`touch ${node} && echo changed; touch /usr/x 2>/dev/null && echo usr; touch /tmp/ok && ls /tmp`),
      ]);
      expect(end.steps[0]?.stdout).toBe('ok\n');
    });
  });
};
