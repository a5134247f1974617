import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bubblewrap } from '../../src/environment/bubblewrap.ts';
import { exec } from '../../src/host/exec.ts';

const SCRIPT = join(import.meta.dirname, '../fixtures/environment/as-user.mjs');
const why = process.getuid?.() === 0 ? await bubblewrap.check() : 'these tests change the user, which takes root';

describe.skipIf(why !== null)(`bubblewrap for an ordinary user${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ob-user-'));
    await chmod(folder, 0o777);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('holds without root: no capabilities, one user, limits on processes and memory', {
    timeout: 120_000,
  }, async () => {
    const user = ['--reuid', '65534', '--regid', '65534', '--clear-groups', process.execPath, SCRIPT];
    const env = { PATH: process.env.PATH ?? '', HOME: folder, TMPDIR: folder };
    const done = await exec('setpriv', user, { env });
    expect(done.stderr).toBe('');
    const said = JSON.parse(done.stdout);
    expect(said).toMatchObject({ uid: 65534, check: null, identity: { code: 0, failure: null } });
    const [uid, caps, privileges, processes, touch] = said.identity.stdout.split('\n');
    expect([uid, caps, privileges]).toEqual(['1000', 'CapEff:0000000000000000', 'NoNewPrivs:1']);
    expect(Number(processes)).toBeLessThan(10);
    expect(touch).toContain('Read-only file system');
    expect(said.identity.patch).toContain('+new');
    expect(said.forked.stdout).not.toContain('200');
    expect(said.forked.stderr).toMatch(/fork/i);
    expect(said.hog).toMatchObject({ timedOut: false, signal: 'SIGKILL' });
  });
});
