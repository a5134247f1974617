import type { Table, TableCell, TableColumn } from '../metrics/schema.ts';
import type { ConflictRate } from './conflicts.ts';
import type { CheckChanges, DifferenceOfDifferences, Gain, RefinementArm } from './refine.ts';

const text = (title: string): TableColumn => ({ title, kind: 'text' });
const inPercent = (share: number): string => (share * 100).toFixed(1);

/** Rates of conflicts by type (the paper's Table 4) or by scenario (Tables 9 to 11), with counts and exact intervals. */
export const conflictTable = (id: string, title: string, rates: readonly ConflictRate[]): Table => ({
  id,
  title,
  columns: [
    text('Model'),
    text('Conflict'),
    { title: 'followed the first', kind: 'share' },
    text('95% interval'),
    ...(['A', 'B', 'both', 'neither', 'unscored'] as const).map((t): TableColumn => ({ title: t, kind: 'count' })),
  ],
  rows: rates.map(({ model, group, rate, interval, counts }): TableCell[] => [
    model,
    group,
    { value: rate },
    interval === null ? '' : `${inPercent(interval.low)}–${inPercent(interval.high)}`,
    counts.a,
    counts.b,
    counts.both,
    counts.neither,
    counts.unscored,
  ]),
});

const gainColumns = (figure: string): TableColumn[] =>
  ['before', 'after', 'Δ'].map((title): TableColumn => ({ title, group: figure, kind: 'share' }));
const gainCells = ({ before, after, gain }: Gain): TableCell[] => [
  { value: before },
  { value: after },
  { value: gain },
];

/** Before and after of each arm (the paper's Table 5), on the whole set and on the instances that were run again. */
export const refinementTables = (arms: readonly RefinementArm[]): Table[] =>
  (['whole', 'selected'] as const).map((set) => ({
    id: set === 'whole' ? 'table-5' : 'table-5-selected',
    title:
      set === 'whole'
        ? 'Before and after, on the whole set: instances not run again are carried over.'
        : 'Before and after, on the instances that were run again.',
    columns: [
      text('Model'),
      text('Arm'),
      ...gainColumns('ISR'),
      ...gainColumns('CSR'),
      { title: 'Instances', kind: 'count' },
    ],
    rows: arms.map((a): TableCell[] => [
      a.model,
      a.arm,
      ...gainCells(a[set].isr),
      ...gainCells(a[set].csr),
      a[set].csr.instances,
    ]),
  }));

const signed = (share: number): string => `${share < 0 ? '−' : '+'}${inPercent(Math.abs(share))}`;

/** What feedback gains over each control arm, in percentage points with intervals. */
export const differenceTable = (differences: readonly DifferenceOfDifferences[]): Table => ({
  id: 'refine-differences',
  title: 'Gain of the feedback arm less the gain of a control arm, in percentage points.',
  columns: [
    ...['Model', 'Control', 'Figure', 'Difference', '95% interval'].map(text),
    { title: 'Instances', kind: 'count' },
  ],
  rows: differences.map(({ model, control, figure, value, low, high, instances }): TableCell[] => [
    model,
    control,
    figure.toUpperCase(),
    value === null ? '' : signed(value),
    low === null || high === null ? '' : `${signed(low)} to ${signed(high)}`,
    instances,
  ]),
});

/** Checks repaired and newly broken, by arm. */
export const changesTable = (changes: readonly CheckChanges[]): Table => ({
  id: 'refine-checks',
  title: 'Checks that had failed, and what became of them; checks that were kept before and are broken now.',
  columns: [
    ...['Model', 'Arm'].map(text),
    ...['told', 'of them repaired', 'held back', 'of them repaired', 'newly broken'].map(
      (title): TableColumn => ({ title, kind: 'count' }),
    ),
  ],
  rows: changes.map((c): TableCell[] => [
    c.model,
    c.arm,
    c.told,
    c.repairedTold,
    c.heldBack,
    c.repairedHeldBack,
    c.newlyBroken,
  ]),
});
