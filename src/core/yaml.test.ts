import { expect, test } from 'vitest';
import { z } from 'zod';
import { readYaml, schemaProblems } from './yaml.ts';

const TEXT = 'a: 1\nlist:\n  - name: x\n  - name: y\n    extra: 2\n';

test('a path of keys is found on its line', () => {
  const yaml = readYaml(TEXT, 'f.yaml');
  expect(yaml.value).toEqual({ a: 1, list: [{ name: 'x' }, { name: 'y', extra: 2 }] });
  expect(yaml.lineOf(['a'])).toBe(1);
  expect(yaml.lineOf(['list', 1, 'extra'])).toBe(5);
  expect(yaml.lineOf(['list', 7])).toBe(2);
});

test('syntax errors have a line and no value', () => {
  const yaml = readYaml('a: [1\nb: 2', 'f.yaml');
  expect(yaml.value).toBeUndefined();
  expect(yaml.problems[0]).toMatchObject({ severity: 'error', file: 'f.yaml' });
  expect(yaml.problems[0]?.line).toBeGreaterThan(0);
});

test('what a schema does not accept is named with line and field, unknown fields by their own line', () => {
  const yaml = readYaml(TEXT, 'f.yaml');
  const read = z
    .strictObject({ a: z.string(), list: z.array(z.strictObject({ name: z.string() })) })
    .safeParse(yaml.value);
  const problems = read.success ? [] : schemaProblems(read.error, yaml, 'f.yaml');
  expect(problems.map((p) => [p.line, p.field, p.kind])).toEqual([
    [1, 'a', 'schema'],
    [5, 'list[1].extra', 'unknown_field'],
  ]);
});

test('a bomb of aliases is refused, not expanded', () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x,x]',
    ...'bcdefgh'.split('').map((k, i) => `${k}: &${k} [${`*${'abcdefgh'[i]},`.repeat(10)}]`),
  ].join('\n');
  expect(readYaml(bomb, 'f.yaml').problems).toHaveLength(1);
});
