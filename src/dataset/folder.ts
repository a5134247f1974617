import { z } from 'zod';
import { isObject, type JsonObject } from '../core/json.ts';
import type { Problem } from '../core/problem.ts';
import { readYaml, schemaProblems } from '../core/yaml.ts';
import { type Base, conflictRow } from './conflict.ts';
import { inFile, type Place, problemAt } from './place.ts';
import { type RowReading, readRow } from './row.ts';
import type { EnvironmentFile, Instance } from './schema.ts';
import { readAsWritten } from './written.ts';

/** A text file of a benchmark folder; `name` is its file name without `.yaml`. */
export interface NamedText {
  name: string;
  file: string;
  text: string;
}

/** The files of a benchmark folder that describe it (docs/formats/benchmark.md). */
export interface FolderFiles {
  environments: (NamedText & { dir: string })[];
  instances: NamedText[];
  conflicts: NamedText[];
  /** Instance id -> script name -> file. */
  scripts: Record<string, Record<string, string>>;
  /** Instance id -> folder of hidden tests. */
  hidden: Record<string, string>;
}

export interface FolderReading {
  /** In file order; of broken ones only the id. */
  rows: (RowReading & { place: Place })[];
  environments: EnvironmentFile[];
  problems: Problem[];
}

const said = z.string().regex(/\S/, { error: 'is empty' });

const environmentFile = z.strictObject({
  environment: z.literal(1),
  title: said,
  description: said,
  licence: said,
  attribution: said,
  image: said.optional(),
  workspace: z.string().regex(/^\//, { error: 'is not an absolute path' }),
  toolchain: z.array(said),
  setup: z.array(said).default([]),
  tests: z.array(said),
});

const readEnvironment = (
  source: NamedText & { dir: string },
): { file: EnvironmentFile | null; problems: Problem[] } => {
  const yaml = readYaml(source.text, source.file);
  if (yaml.problems.length > 0) return { file: null, problems: yaml.problems };
  const parsed = environmentFile.safeParse(yaml.value);
  if (!parsed.success) return { file: null, problems: schemaProblems(parsed.error, yaml, source.file) };
  const { environment: _, image, ...rest } = parsed.data;
  return {
    file: { ...rest, name: source.name, dir: source.dir, image: image ?? `octobench/${source.name}` },
    problems: [],
  };
};

interface OwnFile {
  value: JsonObject | null;
  place: Place;
  problems: Problem[];
}

/** Reads one of our files, its version line taken off. */
const readOwn = (source: NamedText, versionField: 'instance' | 'conflict'): OwnFile => {
  const yaml = readYaml(source.text, source.file);
  const place = inFile(source.file, true, yaml.lineOf);
  if (yaml.problems.length > 0) return { value: null, place, problems: yaml.problems };
  const value = readAsWritten(source.text);
  if (!isObject(value))
    return { value: null, place, problems: [problemAt(place, [], 'bad_row', 'error', 'not an object')] };
  const { [versionField]: version, ...rest } = value;
  const problems =
    version === '1'
      ? []
      : [problemAt(place, [versionField], 'version', 'error', `the file must say "${versionField}: 1"`)];
  if (rest.instance_id !== source.name) {
    problems.push(problemAt(place, ['instance_id'], 'file_name', 'error', `is not the file's name ("${source.name}")`));
  }
  return { value: rest, place, problems };
};

const withEnvironment = (
  own: JsonObject,
  place: Place,
  environments: ReadonlyMap<string, EnvironmentFile>,
): { row: JsonObject; problems: Problem[] } => {
  const environment = typeof own.environment === 'string' ? environments.get(own.environment) : undefined;
  const problems =
    environment === undefined
      ? [
          problemAt(
            place,
            ['environment'],
            'no_environment',
            'error',
            `is no environment of this benchmark; there are: ${[...environments.keys()].join(', ')}`,
          ),
        ]
      : [];
  const row = {
    system_prompt: '',
    image: environment?.image ?? 'unknown',
    workspace_abs_path: environment?.workspace ?? '/unknown',
    ...own,
  };
  return { row, problems };
};

const errorsIn = (problems: readonly Problem[]): boolean => problems.some((p) => p.severity === 'error');

/** Reads what a benchmark folder's files say; all problems, none of them thrown. Pure. */
export const readFolder = (files: FolderFiles): FolderReading => {
  const read = files.environments.map(readEnvironment);
  const list = read.flatMap((r) => (r.file === null ? [] : [r.file]));
  const environments = new Map(list.map((e) => [e.name, e]));
  const bases = new Map<string, Base>();
  const placed = (instance: Instance, hiddenOf: string): Instance => ({
    ...instance,
    environmentDir: environments.get(instance.environment)?.dir ?? null,
    hiddenDir: files.hidden[hiddenOf] ?? null,
    scripts: files.scripts[instance.id] ?? {},
  });
  const readOne = (name: string, own: OwnFile, hiddenOf: string): FolderReading['rows'][number] => {
    const { place } = own;
    if (own.value === null) return { instance: null, id: name, problems: own.problems, place };
    const { row, problems } = withEnvironment(own.value, place, environments);
    bases.set(name, { row, place });
    const { instance, id, problems: found } = readRow(row, place);
    const all = [...own.problems, ...problems, ...found];
    const whole = instance !== null && !errorsIn(all) ? placed(instance, hiddenOf) : null;
    return { instance: whole, id: id ?? name, problems: all, place };
  };
  const rows = files.instances.map((source) => readOne(source.name, readOwn(source, 'instance'), source.name));
  for (const source of files.conflicts) {
    const own = readOwn(source, 'conflict');
    const { value, place, problems } = conflictRow(own, bases);
    const base = String(own.value?.base);
    rows.push(readOne(source.name, { value, place, problems: [...own.problems, ...problems] }, base));
  }
  return { rows, environments: list, problems: read.flatMap((r) => r.problems) };
};
