import type { Instance } from '../dataset/schema.ts';
import type { Check } from './schema.ts';

/** What a program said of a check; the words are those of `judge`. */
export type Word = 'success' | 'fail' | 'not_applicable' | 'unscored';

/** What a script's run on the real scaffold came to. */
export interface WitnessRun {
  /** Name of the script file: `follow`, `break-careless`, of a conflict `a`. */
  script: string;
  /** The checks that the script says it breaks. */
  breaks: string[];
  /** `finished`, or how else it ended and why. */
  outcome: string;
  /** Whether the task is solved; null = not asked or not known. */
  solved: boolean | null;
  /** Check id -> what the program said; checks without a rule are left out. */
  verdicts: Record<string, Word>;
  /** Of a conflict: what the observables of its two sides said. */
  observed?: { a: Word; b: Word };
}

/** Something without proof, or proved wrong. */
export interface WitnessFinding {
  kind:
    | 'missing_script'
    | 'not_finished'
    | 'not_solved'
    | 'unknown_check'
    | 'not_followed'
    | 'not_broken'
    | 'broken_unlisted'
    | 'differs'
    | 'no_pass'
    | 'no_fail'
    | 'no_label'
    | 'wrong_side';
  script?: string;
  check?: string;
  message: string;
}

/** The scripts of a conflict, each named after whom it follows. */
export const SIDES = ['a', 'b', 'neither', 'both'] as const;

const isFollow = (run: WitnessRun): boolean => run.script === 'follow' || run.script.startsWith('follow-');
const isBreak = (run: WitnessRun): boolean => run.script.startsWith('break-');

const checksOf = (instance: Instance, scaffold: string): Check[] =>
  instance.checklist.categories
    .flatMap((c) => c.checks)
    .filter((c) => c.scaffolds === undefined || c.scaffolds.includes(scaffold));

/** The checks of an instance that a program decides on this scaffold. */
export const verifiable = (instance: Instance, scaffold: string): Check[] =>
  checksOf(instance, scaffold).filter((c) => c.verify !== undefined);

const wordOn = (run: WitnessRun, check: string): Word => run.verdicts[check] ?? 'unscored';

const followFindings = (run: WitnessRun, checks: readonly Check[], asked: boolean): WitnessFinding[] => {
  const { script } = run;
  const found: WitnessFinding[] = [];
  if (asked && run.solved !== true) found.push({ kind: 'not_solved', script, message: 'it does not solve the task' });
  if (run.breaks.length > 0)
    found.push({ kind: 'unknown_check', script, message: '`breaks` is not empty, but it follows' });
  for (const { id } of checks) {
    const word = wordOn(run, id);
    if (word === 'success' || word === 'not_applicable') continue;
    found.push({ kind: 'not_followed', script, check: id, message: `is ${word}; a script that follows passes it` });
  }
  return found;
};

/** One check under a script that breaks: listed ones fail, the others are as under a script that follows or do not apply. */
const breakFinding = (
  run: WitnessRun,
  check: string,
  follows: readonly WitnessRun[],
): Omit<WitnessFinding, 'script'> | null => {
  const word = wordOn(run, check);
  const listed = run.breaks.includes(check);
  if (listed && word !== 'fail') return { kind: 'not_broken', check, message: `is ${word}; \`breaks\` lists it` };
  if (listed || word === 'not_applicable') return null;
  if (word === 'fail') return { kind: 'broken_unlisted', check, message: 'fails; `breaks` does not list it' };
  if (follows.length === 0 || follows.some((f) => wordOn(f, check) === word)) return null;
  return { kind: 'differs', check, message: `is ${word}, as under no script that follows` };
};

const breakFindings = (
  run: WitnessRun,
  checks: readonly Check[],
  known: ReadonlySet<string>,
  follows: readonly WitnessRun[],
): WitnessFinding[] => {
  const strangers = run.breaks
    .filter((id) => !known.has(id))
    .map((check) => ({ kind: 'unknown_check' as const, check, message: '`breaks` lists it; there is no such check' }));
  const own = checks.map(({ id }) => breakFinding(run, id, follows)).filter((f) => f !== null);
  return [...strangers, ...own].map((f) => ({ ...f, script: run.script }));
};

/** Checks that only a reader can decide carry their author's word on each script, and on no other. */
const labelFindings = (instance: Instance, scaffold: string, runs: readonly WitnessRun[]): WitnessFinding[] => {
  const scripts = new Set(runs.map((r) => r.script));
  return checksOf(instance, scaffold)
    .filter((c) => c.verify === undefined)
    .flatMap(({ id: check, labels = {} }) => [
      ...[...scripts]
        .filter((script) => labels[script] === undefined)
        .map((script) => ({
          kind: 'no_label' as const,
          check,
          message: `has neither a rule nor a label for ${script}`,
        })),
      ...Object.keys(labels)
        .filter((script) => !scripts.has(script))
        .map((script) => ({ kind: 'missing_script' as const, check, message: `has a label for a script ${script}` })),
    ]);
};

const unfinished = ({ script, outcome }: WitnessRun): WitnessFinding[] =>
  outcome === 'finished' ? [] : [{ kind: 'not_finished', script, message: `it ended as ${outcome}` }];

const plainFindings = (instance: Instance, scaffold: string, runs: readonly WitnessRun[]): WitnessFinding[] => {
  const checks = verifiable(instance, scaffold);
  const known = new Set(instance.checklist.categories.flatMap((c) => c.checks.map((check) => check.id)));
  const ended = runs.filter((r) => r.outcome === 'finished');
  const follows = ended.filter(isFollow);
  const found = [...runs.flatMap(unfinished), ...labelFindings(instance, scaffold, runs)];
  if (!runs.some((r) => r.script === 'follow'))
    found.push({ kind: 'missing_script', message: 'there is no script follow' });
  for (const run of ended) {
    if (isFollow(run)) found.push(...followFindings(run, checks, instance.solved !== null));
    else if (isBreak(run)) found.push(...breakFindings(run, checks, known, follows));
    else found.push({ kind: 'missing_script', script: run.script, message: 'its name is neither follow nor break-…' });
  }
  for (const { id } of checks) {
    if (!follows.some((r) => wordOn(r, id) === 'success'))
      found.push({ kind: 'no_pass', check: id, message: 'no script that follows passes it' });
    if (!ended.some((r) => isBreak(r) && wordOn(r, id) === 'fail'))
      found.push({ kind: 'no_fail', check: id, message: 'no script that breaks fails it' });
  }
  return found;
};

/** Whom a run of a conflict followed by its observables; null when one of them could not tell. */
export const sideOf = (observed: { a: Word; b: Word }): (typeof SIDES)[number] | null => {
  const { a, b } = observed;
  if (a === 'unscored' || b === 'unscored') return null;
  if (a === 'success') return b === 'success' ? 'both' : 'a';
  return b === 'success' ? 'b' : 'neither';
};

const conflictFindings = (runs: readonly WitnessRun[]): WitnessFinding[] => {
  const found = runs.flatMap(unfinished);
  for (const side of SIDES) {
    const run = runs.find((r) => r.script === side);
    if (run === undefined) found.push({ kind: 'missing_script', message: `there is no script ${side}` });
    else if (run.outcome === 'finished') {
      const seen = run.observed === undefined ? null : sideOf(run.observed);
      if (seen !== side)
        found.push({ kind: 'wrong_side', script: side, message: `its observables say: ${seen ?? 'unscored'}` });
    }
  }
  for (const { script } of runs) {
    if (!SIDES.some((side) => side === script))
      found.push({ kind: 'missing_script', script, message: `a script of a conflict is one of: ${SIDES.join(', ')}` });
  }
  return found;
};

/**
 * What an instance's scripts leave without proof on one scaffold. Each check with a rule needs a run that follows and passes it and a
 * run that breaks and fails it; scripts that follow solve the task; scripts that break fail exactly what they list; scripts of a
 * conflict show the side they are named after. Empty = all is witnessed. Pure.
 * @param scaffold its id
 */
export const witnessFindings = (instance: Instance, scaffold: string, runs: readonly WitnessRun[]): WitnessFinding[] =>
  instance.conflict === undefined ? plainFindings(instance, scaffold, runs) : conflictFindings(runs);
