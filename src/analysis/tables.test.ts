import { expect, test } from 'vitest';
import { conflictRates } from './conflicts.ts';
import { refinementArm } from './refine.ts';
import { conflictTable, refinementTables } from './tables.ts';

test('conflicts: the share that followed the first source, its interval and every count', () => {
  const outcome = (instance: string, followed: 'a' | 'b' | 'neither') => ({
    instance,
    model: 'm',
    type: 'UQ vs SP',
    scenario: 'emoji',
    repeat: 0,
    followed,
  });
  const { types } = conflictRates([outcome('1', 'a'), outcome('2', 'b'), outcome('3', 'neither')]);
  const table = conflictTable('table-4', 'Conflicts', types);
  expect(table.rows).toEqual([['m', 'UQ vs SP', { value: 0.5 }, '1.3–98.7', 1, 1, 0, 1, 0]]);
  expect(table.rows[0]).toHaveLength(table.columns.length);
});

test('refinement: one table of the whole set, one of what was run again', () => {
  const at = (instance: string, isr: number, csr: number) => ({ instance, environment: instance, isr, csr });
  const [a, before, after] = [at('a', 1, 1), at('b', 0, 0.5), at('b', 1, 1)];
  const sets = {
    selected: { before: [before], after: [after] },
    whole: { before: [a, before], after: [a, after] },
  };
  const tables = refinementTables([refinementArm({ model: 'm', arm: 'feedback' }, sets)]);
  expect(tables.map((t) => t.id)).toEqual(['table-5', 'table-5-selected']);
  expect(tables[0]?.rows).toEqual([
    ['m', 'feedback', { value: 0.5 }, { value: 1 }, { value: 0.5 }, { value: 0.75 }, { value: 1 }, { value: 0.25 }, 2],
  ]);
  expect(tables[1]?.rows[0]?.at(-1)).toBe(1);
});
