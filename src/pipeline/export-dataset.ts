import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Dataset, EnvironmentFile, Instance } from '../dataset/schema.ts';
import { type Summary, summarize } from '../dataset/summary.ts';
import { writeRows } from '../dataset/write-rows.ts';
import { writeAtomic } from '../host/files.ts';
import { plural } from '../report/format.ts';

const ROWS = 'instances.jsonl';
const CONFLICTS = 'conflicts.jsonl';

const SIZES = [1000, 10_000, 100_000] as const;
const sizeCategory = (n: number): string => {
  const top = SIZES.findIndex((size) => n < size);
  if (top === 0) return 'n<1K';
  return top < 0 ? 'n>100K' : `${SIZES[top - 1] === 1000 ? '1K' : '10K'}<n<${SIZES[top] === 10_000 ? '10K' : '100K'}`;
};

/** Licences that Hugging Face knows under a name of its own; others are `other`, and named in the card. */
const KNOWN = /^(mit|apache-2\.0|bsd-[23]-clause|cc0-1\.0|cc-by-4\.0|cc-by-sa-4\.0|isc)$/;

const licenceOf = (environments: readonly EnvironmentFile[]): Record<string, string> => {
  const named = [...new Set(environments.map((e) => e.licence.toLowerCase()))];
  const [only] = named;
  if (only === undefined) return {};
  return { license: named.length === 1 && KNOWN.test(only) ? only : 'other' };
};

const header = (title: string, dataset: Dataset, summary: Summary, conflicts: number): string =>
  stringify({
    pretty_name: title,
    ...licenceOf(dataset.environments),
    task_categories: ['text-generation'],
    tags: ['agents', 'instruction-following', 'octobench'],
    size_categories: [sizeCategory(summary.instances)],
    configs: [
      { config_name: 'default', data_files: [{ split: 'test', path: ROWS }] },
      ...(conflicts === 0 ? [] : [{ config_name: 'conflicts', data_files: [{ split: 'test', path: CONFLICTS }] }]),
    ],
  });

const inline = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\\|<>`*_[\]]/g, (c) => `\\${c}`);

const counts = (title: string, of: Record<string, number>): string[] => [
  `| ${title} | |`,
  '|---|---:|',
  ...Object.entries(of).map(([name, n]) => `| ${inline(name)} | ${n} |`),
  '',
];

const attribution = (environments: readonly EnvironmentFile[]): string[] =>
  environments.length === 0
    ? []
    : [
        '## Environments',
        '| name | what it is | licence | attribution |',
        '|---|---|---|---|',
        ...environments.map((e) => `| ${[e.name, e.title, e.licence, e.attribution].map(inline).join(' | ')} |`),
        '',
      ];

/** The card of a dataset: YAML header, what is in it by category, where its environments come from. Pure. */
const datasetCard = (title: string, dataset: Dataset): string => {
  const summary = summarize(dataset);
  const used = new Set(dataset.instances.map((i) => i.environment));
  return [
    '---',
    `${header(title, dataset, summary, summary.conflicts)}---`,
    `# ${inline(title)}`,
    '',
    `${plural(summary.instances, 'instance')} in ${plural(summary.environments, 'environment')} with ` +
      `${plural(summary.checks, 'check')}, of which a program can decide ${summary.withVerify}. ` +
      `${plural(summary.conflicts, 'instance')} ${summary.conflicts === 1 ? 'is' : 'are'} made of two orders that conflict.`,
    '',
    `\`${ROWS}\` holds a row an instance${summary.conflicts === 0 ? '' : `, \`${CONFLICTS}\` the conflicts`}. Each row has the ` +
      'queries, the system prompt, the image of its environment, the scaffold, and a checklist: yes-or-no questions on whether an ' +
      'agent followed what it was told. Checks with `verify` are decided by a program, the others by a judge.',
    'Images, hidden tests and scripts are no part of the rows.',
    '',
    `Digest of the dataset: \`${dataset.digest}\``,
    '',
    ...counts('Category', summary.byPrimaryCategory),
    ...counts('Checks of', summary.byCategory),
    ...counts('Scaffold', Object.fromEntries(summary.scaffolds.map((s) => [s.id, s.instances]))),
    ...attribution(dataset.environments.filter((e) => used.has(e.name))),
  ].join('\n');
};

const isConflict = (i: Instance): boolean => i.conflictType !== null;

/**
 * Writes a dataset as a Hugging Face dataset folder: `instances.jsonl`, `conflicts.jsonl` (when there are conflicts), `README.md`.
 * Read again from the hub it has the same digest.
 * @returns names of the files
 */
export const writeHubDataset = async (dataset: Dataset, title: string, out: string): Promise<string[]> => {
  const conflicts = dataset.instances.filter(isConflict);
  const files: [string, string][] = [
    [ROWS, writeRows(dataset.instances.filter((i) => !isConflict(i)))],
    ...(conflicts.length === 0 ? [] : [[CONFLICTS, writeRows(conflicts)] satisfies [string, string]]),
    ['README.md', datasetCard(title, dataset)],
  ];
  for (const [name, text] of files) await writeAtomic(join(out, name), text);
  return files.map(([name]) => name);
};
