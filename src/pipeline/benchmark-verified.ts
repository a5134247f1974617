import { join } from 'node:path';
import type { WitnessRun } from '../checklist/witness.ts';
import { BenchError } from '../core/errors.ts';
import { sha256 } from '../core/ids.ts';
import { canonicalJson, isObject, parseJson } from '../core/json.ts';
import { VERSION } from '../core/version.ts';
import type { Instance } from '../dataset/schema.ts';
import { readText, writeJson } from '../host/files.ts';
import { explainRule, listRules } from '../judge/rule-docs.ts';
import { ruleSchema } from '../judge/rule-schema.ts';
import { filesIn, readBytes, readNamed } from './store.ts';

/** A script's run that was as it has to be, and the digest of all that could have made it another one. */
export interface VerifiedRun extends WitnessRun {
  instance: string;
  /** `claude-code@2.0.69`. */
  scaffold: string;
  digest: string;
}

/** `verified.json` of a benchmark folder (docs/formats/benchmark.md). */
interface VerifiedFile {
  version: 1;
  runs: VerifiedRun[];
}

const verifiedPath = (folder: string): string => join(folder, 'verified.json');

/** The runs that are on record. @throws BenchError('input') when the file is of another version */
export const readVerified = async (folder: string): Promise<VerifiedRun[]> => {
  const text = await readText(verifiedPath(folder));
  if (text === null) return [];
  const file = parseJson(text);
  if (isObject(file) && file.version === 1 && Array.isArray(file.runs)) return file.runs as VerifiedRun[];
  throw new BenchError(
    'input',
    'benchmark',
    `${verifiedPath(folder)} is of another version; remove it to run all again`,
  );
};

const placeOf = (run: VerifiedRun): string => `${run.instance}\n${run.scaffold}\n${run.script}`;

/** Writes the record, ordered by instance, scaffold and script, so that a change of one run is a change of one place. */
export const writeVerified = (folder: string, runs: readonly VerifiedRun[]): Promise<void> => {
  const sorted = [...runs].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  return writeJson(verifiedPath(folder), { version: 1, runs: sorted } satisfies VerifiedFile);
};

/** A JSON Schema without its words for people. */
const unworded = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(unworded);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([key, v]) => key !== 'description' || typeof v !== 'string');
  return Object.fromEntries(kept.map(([key, v]) => [key, unworded(v)]));
};

/** What rules mean: the named ones with what they expand to, the grammar, and the version of the program that reads them. */
const rulesDigest = (): string => {
  const named = listRules().map(({ name, example }) => {
    const explained = explainRule(name);
    return [name, example, typeof explained === 'string' ? null : explained.expansion];
  });
  return sha256(canonicalJson([VERSION, named, unworded(ruleSchema())]));
};

const folderDigest = async (dir: string | null): Promise<string> => {
  if (dir === null) return '';
  const files = [...(await filesIn(dir))].sort();
  const parts: string[] = [];
  for (const rel of files) parts.push(`${rel} ${sha256((await readBytes(join(dir, rel))) ?? '')}`);
  return sha256(parts.join('\n'));
};

/** Digests runs; folders are read once however many runs ask for them. */
export const createDigester = (): ((instance: Instance, script: string, scaffold: string) => Promise<string>) => {
  const rules = rulesDigest();
  const folders = new Map<string | null, Promise<string>>();
  const ofFolder = (dir: string | null): Promise<string> => {
    const known = folders.get(dir) ?? folderDigest(dir);
    folders.set(dir, known);
    return known;
  };
  return async (instance, script, scaffold) => {
    const text = await readNamed(instance.scripts[script] ?? '');
    const { digest, solved, conflict, environmentDir, hiddenDir } = instance;
    const folder = [await ofFolder(environmentDir), await ofFolder(hiddenDir)];
    return sha256(canonicalJson([rules, scaffold, script, text, digest, solved, conflict ?? null, folder]));
  };
};
