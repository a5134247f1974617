import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHistory, replayHistory } from './history.ts';
import { scrubHistory } from './scrub.ts';
import { copyFolder } from './workspace.ts';

const FIXTURE = join(import.meta.dirname, '../../test/fixtures/environment/cart');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ob-history-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };
const git = (dir: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'safe.directory=*', '-C', dir, ...args], {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
const has = (dir: string, object: string): boolean => {
  try {
    git(dir, 'cat-file', '-e', object);
    return true;
  } catch {
    return false;
  }
};

describe('a history replayed from data', () => {
  const replay = async (name: string): Promise<{ dir: string; hash: string }> => {
    const dir = join(folder, name);
    await mkdir(dir);
    await copyFolder(join(FIXTURE, 'workspace'), dir);
    const file = join(FIXTURE, 'history.yaml');
    const { entries, problems } = readHistory(await readFile(file, 'utf8'), file);
    expect(problems).toEqual([]);
    return { dir, hash: await replayHistory(dir, entries) };
  };

  it('has the same hashes every time, whoever replays it', async () => {
    const umask = process.umask(0o077);
    const settings = { GIT_AUTHOR_NAME: 'Someone', GIT_COMMITTER_DATE: '2001-01-01T00:00:00Z', TZ: 'Asia/Tokyo' };
    Object.assign(process.env, settings);
    try {
      const { hash } = await replay('a');
      expect(hash).toBe('dcfcdd00cd6a8f6407f3b1cd5ba3bc21261603a4');
    } finally {
      process.umask(umask);
      for (const name of Object.keys(settings)) delete process.env[name];
    }
  });

  it('ends at the workspace as it stands, its commits as they were told', async () => {
    const { dir } = await replay('b');
    expect(git(dir, 'status', '--porcelain')).toBe('');
    expect(git(dir, 'branch', '--show-current')).toBe('main');
    expect(git(dir, 'log', '--format=%an <%ae> %aI %cI %s').split('\n')).toEqual([
      'Bo Example <bo@example.com> 2025-03-03T11:00:00+00:00 2025-03-03T11:00:00+00:00 Break it',
      'Ada Example <ada@example.com> 2025-03-02T10:30:00+01:00 2025-03-02T10:30:00+01:00 feat: a cart',
      'Ada Example <ada@example.com> 2025-03-01T09:00:00+01:00 2025-03-01T09:00:00+01:00 Start',
    ]);
    expect(git(dir, 'show', 'HEAD~1:src/cart.js')).toContain('a + b');
    expect(git(dir, 'show', 'HEAD:.gitignore')).toBe('ignored.txt');
  });

  it('is refused with line and field when it is none', () => {
    const text =
      '- date: 2025-01-01\n  author: nobody\n  message: x\n- date: 2025-01-01T00:00:00Z\n  author: A <a@b>\n  message: y\n  paths: [a]\n  patch: b\n  extra: 1\n';
    const { entries, problems } = readHistory(text, 'history.yaml');
    expect(entries).toEqual([]);
    expect(problems.map((p) => [p.line, p.field])).toEqual(
      expect.arrayContaining([
        [1, '[0].date'],
        [2, '[0].author'],
        [9, '[1].extra'],
      ]),
    );
    expect(readHistory('{', 'history.yaml').problems).toHaveLength(1);
  });
});

describe('a history cut at HEAD', () => {
  /** A repository with a past, a future in every place git keeps one, and settings that run programs. */
  const repository = async (name: string): Promise<{ dir: string; secrets: string[]; canary: string }> => {
    const dir = join(folder, name);
    const canary = join(folder, `${name}.canary`);
    await mkdir(dir);
    git(dir, 'init', '-q', '-b', 'work');
    git(dir, 'config', 'user.name', 'A');
    git(dir, 'config', 'user.email', 'a@example.com');
    const commit = async (text: string): Promise<string> => {
      await writeFile(join(dir, 'file'), text);
      git(dir, 'add', '-A');
      git(dir, 'commit', '-q', '-m', text);
      return git(dir, 'rev-parse', 'HEAD');
    };
    await commit('one');
    git(dir, 'tag', 'v1');
    git(dir, 'tag', '-a', 'v1-annotated', '-m', 'first');
    const now = await commit('two');
    const future = await commit('the solution');
    git(dir, 'tag', 'v2');
    git(dir, 'branch', 'later');
    git(dir, 'update-ref', 'refs/remotes/origin/main', future);
    git(dir, 'pack-refs', '--all');
    await writeFile(join(dir, 'file'), 'stashed idea');
    git(dir, 'stash', '-q');
    const stash = git(dir, 'rev-parse', 'stash');
    git(dir, 'reset', '-q', '--hard', now);
    git(dir, 'remote', 'add', 'origin', 'https://user:token@example.com/x.git');
    await writeFile(join(dir, '.git/hooks/reference-transaction'), `#!/bin/sh\ntouch ${canary}\n`);
    await chmod(join(dir, '.git/hooks/reference-transaction'), 0o755);
    git(dir, 'config', 'core.fsmonitor', `touch ${canary}`);
    await rm(canary, { force: true });
    return { dir, secrets: [future, stash], canary };
  };

  it('keeps the past and nothing of the future', async () => {
    const { dir, secrets, canary } = await repository('cut');
    expect(secrets.every((s) => has(dir, s))).toBe(true);
    await rm(canary, { force: true });
    await scrubHistory(dir, join(folder, 'cut.scratch'));
    await expect(stat(canary)).rejects.toThrow();
    expect(secrets.filter((s) => has(dir, s))).toEqual([]);
    expect(git(dir, 'log', '--format=%s', '--all')).toBe('two\none');
    expect(git(dir, 'for-each-ref', '--format=%(refname)').split('\n')).toEqual([
      ...['refs/heads/work', 'refs/tags/v1', 'refs/tags/v1-annotated'],
    ]);
    expect(git(dir, 'status', '--porcelain', '-b')).toBe('## work');
    expect(git(dir, 'fsck', '--full')).toBe('');
    expect(git(dir, 'config', '--list', '--local')).not.toContain('token');
  });

  it('keeps a detached HEAD, uncommitted changes, and a shallow past', async () => {
    const { dir } = await repository('source');
    const clone = join(folder, 'shallow');
    await rm(join(dir, '.git/hooks'), { recursive: true });
    git(dir, 'config', '--unset', 'core.fsmonitor');
    git(folder, 'clone', '-q', '--depth=1', '--branch=work', `file://${dir}`, clone);
    git(clone, 'checkout', '-q', '--detach');
    await writeFile(join(clone, 'file'), 'changed');
    const head = git(clone, 'rev-parse', 'HEAD');
    await scrubHistory(clone, join(folder, 'shallow.scratch'));
    expect(git(clone, 'rev-parse', 'HEAD')).toBe(head);
    expect(git(clone, 'log', '--format=%s')).toBe('two');
    expect(git(clone, 'status', '--porcelain')).toBe('M file');
    expect(await readFile(join(clone, 'file'), 'utf8')).toBe('changed');
  });

  it('leaves a folder without a repository alone, and removes a .git that points elsewhere', async () => {
    const dir = join(folder, 'none');
    await mkdir(dir);
    await scrubHistory(dir, join(folder, 'none.scratch'));
    await writeFile(join(dir, '.git'), 'gitdir: /etc\n');
    await scrubHistory(dir, join(folder, 'none.scratch'));
    await expect(stat(join(dir, '.git'))).rejects.toThrow();
  });
});
