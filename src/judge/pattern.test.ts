import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { globPattern, regexPattern } from './pattern.ts';
import { inRange, parseRange, showRange, spanInRange } from './range.ts';

describe('globs', () => {
  test.each<[string, string[], string[]]>([
    ['src/**', ['src', 'src/a', 'src/a/b.ts', 'src/.env', './src/a'], ['a/src/b', 'srcs/a']],
    ['**/*.md', ['a.md', 'x/y/a.md', '.github/a.md'], ['a.mdx', 'md']],
    ['*.ts', ['a.ts', '.ts'], ['x/a.ts', 'a.tsx']],
    ['docs/*', ['docs/a', 'docs/.x'], ['docs/a/b', 'docs']],
    ['src/?.{ts,js}', ['src/a.ts', 'src/b.js'], ['src/ab.ts', 'src/a.css']],
    ['**/.claude/plans/**', ['.claude/plans/x.md', '/root/.claude/plans/a/b'], ['claude/plans/x']],
    ['~/.ssh/**', ['~/.ssh/id', '~/.ssh'], ['/home/.ssh/id']],
    ['[a-c].txt', ['b.txt'], ['d.txt', '[a-c].txt']],
    ['[!a].txt', ['b.txt'], ['a.txt']],
    ['a+b(c).ts', ['a+b(c).ts'], ['aab(c).ts']],
    ['x{', ['x{'], ['x']],
    ['package.json', ['package.json', 'package.json/'], ['a/package.json']],
  ])('%s', (glob, yes, no) => {
    const pattern = globPattern(glob);
    expect(yes.filter((p) => !pattern.test(p))).toEqual([]);
    expect(no.filter((p) => pattern.test(p))).toEqual([]);
  });
  test('any text is a glob, and a path without signs of one matches itself', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const pattern = globPattern(text);
        if (!/[*?[\]{}]/.test(text) && text.trim() === text && text !== '') expect(pattern.test(text)).toBe(true);
      }),
    );
  });
});

test('regular expressions tell what is wrong with them', () => {
  expect(regexPattern('(')).toEqual(expect.any(String));
  expect(regexPattern('(?<=a)b')).toEqual(expect.any(String));
  expect(regexPattern('a', 'g')).toContain('known: i, m, s');
  const pattern = regexPattern('b+', 'i');
  expect(typeof pattern === 'string' ? null : pattern.find('aBBc')).toEqual({ start: 1, end: 3 });
});

describe('ranges', () => {
  test.each<[string | number, number[], number[]]>([
    [3, [3], [2, 4]],
    ['3', [3], [2]],
    ['>0', [0.1, 5], [0, -1]],
    ['>=0.9', [0.9, 1], [0.89]],
    ['<=1', [1, -4], [1.1]],
    ['1..4', [1, 2.5, 4], [0, 5]],
    ['2..', [2, 99], [1]],
    ['..2', [2, -9], [3]],
  ])('%s', (text, yes, no) => {
    const range = parseRange(text);
    expect(range).not.toBeNull();
    if (range === null) return;
    expect(yes.every((n) => inRange(n, range))).toBe(true);
    expect(no.some((n) => inRange(n, range))).toBe(false);
    expect(parseRange(showRange(range))).toEqual(range);
  });
  test.each(['', '..', 'a', '4..1', '> x', null, true, [1]])('%j is none', (json) => {
    expect(parseRange(json)).toBeNull();
  });
  test('a span is inside, outside or over the edge', () => {
    const range = parseRange('2..4');
    if (range === null) throw new Error('no range');
    expect([spanInRange(2, 4, range), spanInRange(5, 9, range), spanInRange(4, 5, range)]).toEqual([
      'inside',
      'outside',
      'overlaps',
    ]);
    expect(spanInRange(3, Number.POSITIVE_INFINITY, range)).toBe('overlaps');
  });
});
