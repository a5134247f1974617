import { isMap, isPair, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import type { z } from 'zod';
import type { Problem } from './problem.ts';

/** A YAML file that was read: its value, what is wrong with its syntax, and the line (from 1) on which a path of keys stands. */
export interface YamlFile {
  value: unknown;
  problems: Problem[];
  lineOf(path: readonly PropertyKey[]): number | undefined;
}

const keyOf = (pair: Pair): string => (isScalar(pair.key) ? String(pair.key.value) : String(pair.key));

const childOf = (node: unknown, key: PropertyKey): { start: Node | undefined; value: unknown } | null => {
  if (isMap(node)) {
    const pair = node.items.find((p) => isPair(p) && keyOf(p) === String(key));
    return pair === undefined ? null : { start: pair.key as Node, value: pair.value };
  }
  if (isSeq(node)) {
    const item = node.items[Number(key)];
    return item === undefined ? null : { start: item as Node, value: item };
  }
  return null;
};

/** Reads YAML 1.2 (core schema: `no` and `1e3` as ids stay what a reader of the file would say they are). Syntax errors are problems. */
export const readYaml = (text: string, file: string): YamlFile => {
  const lines = new LineCounter();
  const document = parseDocument(text.replace(/^\uFEFF/, ''), {
    lineCounter: lines,
    version: '1.2',
    schema: 'core',
    prettyErrors: false,
  });
  const problems = document.errors.map(
    (e): Problem => ({ kind: 'yaml', severity: 'error', message: e.message, file, line: lines.linePos(e.pos[0]).line }),
  );
  const lineOf = (path: readonly PropertyKey[]): number | undefined => {
    let node: unknown = document.contents;
    let line: number | undefined = problems.length > 0 ? undefined : 1;
    for (const key of path) {
      const child = childOf(node, key);
      if (child === null) break;
      const at = child.start?.range?.[0];
      if (at !== undefined) line = lines.linePos(at).line;
      node = child.value;
    }
    return line;
  };
  if (problems.length > 0) return { value: undefined, problems, lineOf };
  try {
    return { value: document.toJS({ maxAliasCount: 100 }), problems, lineOf };
  } catch (e) {
    problems.push({ kind: 'yaml', severity: 'error', message: e instanceof Error ? e.message : String(e), file });
    return { value: undefined, problems, lineOf };
  }
};

/** `a.b[2].c` from a path of keys. */
export const fieldName = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (s, k) => (typeof k === 'number' ? `${s}[${k}]` : s === '' ? String(k) : `${s}.${String(k)}`),
    '',
  );

/** What a schema did not accept, each with its line and field. */
export const schemaProblems = (error: z.ZodError, yaml: Pick<YamlFile, 'lineOf'>, file: string): Problem[] =>
  error.issues.map((issue): Problem => {
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
    const path = unknown === undefined ? issue.path : [...issue.path, unknown];
    const line = yaml.lineOf(path);
    return {
      kind: unknown === undefined ? 'schema' : 'unknown_field',
      severity: 'error',
      message: unknown === undefined ? issue.message : `unknown field "${unknown}"`,
      file,
      field: fieldName(path),
      ...(line === undefined ? {} : { line }),
    };
  });
