import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { sha256 } from '../core/ids.ts';
import { describeProblem, type Problem } from '../core/problem.ts';
import { type FolderFiles, type NamedText, readFolder } from './folder.ts';
import { fetchRepository, parseHubSource } from './huggingface.ts';
import { readJsonLines } from './jsonl.ts';
import { inFile, type Place, problemAt } from './place.ts';
import { type RowReading, readRow } from './row.ts';
import type { Dataset, EnvironmentFile } from './schema.ts';
import { select } from './select.ts';

export interface LoadOptions {
  /** Globs over instance ids; a row must match one of `include` (when given) and none of `exclude`. */
  include?: readonly string[];
  exclude?: readonly string[];
  /** At most this many instances, the first ones. */
  limit?: number;
  /** Folder that `hf:` datasets are kept in. */
  cacheDir?: string;
  hubUrl?: string;
  /** Hub token, for private datasets. */
  token?: string;
  /** Warnings become errors. */
  strict?: boolean;
}

interface Reading {
  rows: (RowReading & { place: Place })[];
  problems: Problem[];
  environments: EnvironmentFile[];
  revision: string | null;
}

const readLines = (text: string, file: string): Reading['rows'] =>
  readJsonLines(text).map(({ line, value }) => {
    const place = inFile(file, false, () => line);
    if (value !== undefined) return { ...readRow(value, place), place };
    return { instance: null, id: null, problems: [problemAt(place, [], 'bad_row', 'error', 'not JSON')], place };
  });

const namesIn = async (dir: string): Promise<string[]> => {
  try {
    return (await readdir(dir)).sort();
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw e;
  }
};

const YAML = /\.ya?ml$/;

const yamlIn = async (dir: string): Promise<NamedText[]> => {
  const names = (await namesIn(dir)).filter((name) => YAML.test(name));
  return Promise.all(
    names.map(async (name) => {
      const file = join(dir, name);
      return { name: name.replace(YAML, ''), file, text: await readFile(file, 'utf8') };
    }),
  );
};

const gather = async (root: string): Promise<FolderFiles> => {
  const files: FolderFiles = {
    environments: [],
    instances: await yamlIn(join(root, 'instances')),
    conflicts: await yamlIn(join(root, 'conflicts')),
    scripts: {},
    hidden: {},
  };
  for (const name of await namesIn(join(root, 'environments'))) {
    const dir = join(root, 'environments', name);
    const found = (await yamlIn(dir)).find((f) => f.name === 'environment');
    if (found !== undefined) files.environments.push({ ...found, name, dir });
  }
  for (const name of await namesIn(join(root, 'instances'))) {
    if (name.endsWith('.hidden')) files.hidden[name.slice(0, -'.hidden'.length)] = join(root, 'instances', name);
  }
  for (const id of await namesIn(join(root, 'scripts'))) {
    const dir = join(root, 'scripts', id);
    const scripts = (await namesIn(dir)).filter((name) => YAML.test(name));
    files.scripts[id] = Object.fromEntries(scripts.map((name) => [name.replace(YAML, ''), join(dir, name)]));
  }
  return files;
};

const readLocal = async (source: string): Promise<Reading> => {
  const kind = await stat(source).catch((cause: unknown) => {
    throw new BenchError(
      'input',
      'dataset',
      `no such dataset: ${source} (a .jsonl file, a benchmark folder, or hf:owner/name)`,
      { cause },
    );
  });
  if (!kind.isDirectory()) {
    const rows = readLines(await readFile(source, 'utf8'), source);
    return { rows, problems: [], environments: [], revision: null };
  }
  const files = await gather(source);
  if (files.instances.length === 0) {
    throw new BenchError('input', 'dataset', `${source} is no benchmark folder: it has no instances/*.yaml`);
  }
  return { ...readFolder(files), revision: null };
};

const readHub = async (source: string, options: LoadOptions): Promise<Reading> => {
  const { revision, files } = await fetchRepository(parseHubSource(source), options);
  const rows = files.flatMap(({ path, text }) => readLines(text, `${source}/${path}`));
  return { rows, problems: [], environments: [], revision };
};

/** The first of each id stays; the others are errors that name both places. */
const duplicates = (rows: Reading['rows']): { kept: Reading['rows']; problems: Problem[] } => {
  const first = new Map<string, Place>();
  const kept: Reading['rows'] = [];
  const problems: Problem[] = [];
  for (const row of rows) {
    const before = row.id === null ? undefined : first.get(row.id);
    if (before === undefined) {
      if (row.id !== null) first.set(row.id, row.place);
      kept.push(row);
      continue;
    }
    const [there, here] = [before.at(['instance_id']), row.place.at(['instance_id'])];
    const where = `${there.file === here.file ? '' : `${basename(there.file)} `}line ${there.line}`;
    problems.push(
      problemAt(row.place, ['instance_id'], 'duplicate_id', 'error', `duplicate id "${row.id}", first on ${where}`),
    );
  }
  return { kept, problems };
};

/**
 * Loads a dataset: a `.jsonl` file of published rows, a benchmark folder (docs/formats/benchmark.md), or `hf:owner/name[@revision]`.
 * Every problem of every row is in `problems`, with file, line and field; rows with an error are not among `instances`
 * (`assertUsable` refuses such a dataset). Throws BenchError('input') when there is nothing to read at all.
 */
export const loadDataset = async (source: string, options: LoadOptions = {}): Promise<Dataset> => {
  const reading = source.startsWith('hf:') ? await readHub(source, options) : await readLocal(source);
  const { kept, problems } = duplicates(reading.rows);
  const all = [...reading.problems, ...reading.rows.flatMap((r) => r.problems), ...problems];
  const found = kept.flatMap((row) => (row.instance === null ? [] : [row.instance]));
  const chosen = select(found, options);
  const told = [...all, ...chosen.problems.map((p) => ({ ...p, file: source }))];
  return {
    source,
    revision: reading.revision,
    instances: chosen.instances,
    problems: options.strict === true ? told.map(asError) : told,
    environments: reading.environments,
    digest: sha256(
      chosen.instances
        .map((i) => i.digest)
        .sort()
        .join('\n'),
    ),
  };
};

const asError = (p: Problem): Problem => (p.severity === 'warning' ? { ...p, severity: 'error' } : p);

/** Throws BenchError('input') with all errors when the dataset has any, or has no instance. */
export const assertUsable = (dataset: Dataset): void => {
  const errors = dataset.problems.filter((p) => p.severity === 'error');
  if (errors.length > 0) {
    const list = errors.map(describeProblem).join('\n');
    throw new BenchError('input', 'dataset', `${dataset.source} cannot be used:\n${list}`, { problems: errors });
  }
  if (dataset.instances.length === 0) throw new BenchError('input', 'dataset', `${dataset.source} has no instance`);
};
