import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTar, writeTar } from './tar.ts';
import { unpackTar } from './unpack.ts';

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** One header with its content; enough of a writer to say what no honest one says. */
const member = (name: string, type: string, more: { link?: string; content?: string } = {}): Buffer => {
  const content = Buffer.from(more.content ?? '');
  const block = writeTar([{ name, content }]).subarray(0, 512);
  block.write(type, 156, 'latin1');
  block.write(more.link ?? '', 157, 'latin1');
  block.write('        ', 148, 'latin1');
  const sum = block.reduce((n, b) => n + b, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return Buffer.concat([block, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
};
const archive = (...members: Buffer[]): Buffer => Buffer.concat([...members, Buffer.alloc(1024)]);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ob-tar-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('tar', () => {
  it('reads what it writes, at any cut, with long names', async () => {
    const files = [
      { name: 'a.txt', content: 'A'.repeat(700), mode: 0o755 },
      { name: `${'deep/'.repeat(30)}é.txt`, content: '' },
      { name: 'b', content: 'b' },
    ];
    for (const size of [1, 7, 512, 100_000]) {
      const got: object[] = [];
      for await (const entry of readTar(cut(writeTar(files), size))) {
        const parts: Uint8Array[] = [];
        if (entry.name !== 'a.txt' || size !== 7) for await (const part of entry.body) parts.push(part);
        got.push({
          name: Buffer.from(entry.name, 'latin1').toString(),
          mode: entry.mode,
          size: Buffer.concat(parts).length,
        });
      }
      expect(got).toEqual([
        { name: 'a.txt', mode: 0o755, size: size === 7 ? 0 : 700 },
        { name: files[1]?.name, mode: 0o644, size: 0 },
        { name: 'b', mode: 0o644, size: 1 },
      ]);
    }
  });

  it('reads what GNU tar and pax write', async () => {
    const name = `${'long-name-'.repeat(12)}ü`;
    await writeFile(join(folder, name), 'content');
    await symlink(`${'far/'.repeat(40)}x`, join(folder, 'link'));
    for (const format of ['gnu', 'pax', 'ustar']) {
      const names = format === 'ustar' ? ['link'] : [name, 'link'];
      if (format === 'ustar') await rm(join(folder, 'link')).then(() => symlink('near', join(folder, 'link')));
      const bytes = execFileSync('tar', ['-c', `--format=${format}`, '-C', folder, '--', ...names]);
      const got: string[] = [];
      for await (const e of readTar(cut(bytes, 333))) got.push(`${e.kind} ${Buffer.from(e.name, 'latin1')} ${e.link}`);
      expect(got).toEqual(
        format === 'ustar' ? ['symlink link near'] : [`file ${name} `, `symlink link ${'far/'.repeat(40)}x`],
      );
    }
  });

  it('refuses what is no archive or is cut short', async () => {
    const drain = async (bytes: Uint8Array) => {
      for await (const entry of readTar(cut(bytes, 100))) void entry;
    };
    await expect(drain(Buffer.alloc(512, 'x'))).rejects.toThrow('not a tar archive');
    const whole = writeTar([{ name: 'a', content: 'x'.repeat(2000) }]);
    for (const length of [1, 511, 600, 2000, 2560])
      await expect(drain(whole.subarray(0, length))).rejects.toThrow('cut short');
  });
});

describe('unpacking', () => {
  const unpack = async (bytes: Uint8Array, links: 'inside' | 'any' = 'inside') => {
    const root = await mkdtemp(join(folder, 'root-'));
    await unpackTar(cut(bytes, 999), root, { links });
    return root;
  };

  it('makes files, folders and links, without special files and setuid bits', async () => {
    const root = await unpack(
      archive(
        member('./', '5'),
        member('d/', '5'),
        member('d/f', '0', { content: 'hi' }),
        member('l', '2', { link: 'd/f' }),
        member('h', '1', { link: 'd/f' }),
        member('fifo', '6'),
      ),
    );
    expect(await readFile(join(root, 'h'), 'utf8')).toBe('hi');
    expect(await readlink(join(root, 'l'))).toBe('d/f');
    await expect(stat(join(root, 'fifo'))).rejects.toThrow();
  });

  it.each([
    ['an absolute name', [member('/tmp/evil', '0', { content: 'x' })]],
    ['a name with ..', [member('a/../../evil', '0', { content: 'x' })]],
    ['a link to an absolute path', [member('l', '2', { link: '/etc' })]],
    ['a link out of the archive', [member('a/l', '2', { link: '../../x' })]],
    ['a file below a link', [member('l', '2', { link: '.' }), member('l/evil', '0', { content: 'x' })]],
    ['a hard link out of the archive', [member('h', '1', { link: '../../etc/passwd' })]],
    ['a hard link to an absolute path', [member('h', '1', { link: '/etc/passwd' })]],
    ['a hard link to a link', [member('l', '2', { link: 'x' }), member('h', '1', { link: 'l' })]],
  ])('refuses %s', async (_, members) => {
    await expect(unpack(archive(...members))).rejects.toMatchObject({ code: 'input' });
    await expect(stat(join(folder, 'evil'))).rejects.toThrow();
  });

  it('keeps links out where they are meant for a sandbox, and still never writes through them', async () => {
    const out = member('l', '2', { link: folder });
    expect(await readlink(join(await unpack(archive(out), 'any'), 'l'))).toBe(folder);
    await expect(unpack(archive(out, member('l/evil', '0', { content: 'x' })), 'any')).rejects.toThrow(
      'goes through a link',
    );
    const replaced = await unpack(archive(out, member('l', '0', { content: 'mine' })), 'any');
    expect(await readFile(join(replaced, 'l'), 'utf8')).toBe('mine');
  });
});
