import { type ConflictOutcome, followedOf } from '../analysis/conflicts.ts';
import { excerptAt, lastSaid } from '../analysis/excerpt.ts';
import { type FoundPattern, patternOfAct, refusalIn } from '../analysis/patterns.ts';
import { isObject } from '../core/json.ts';
import type { ConflictSide, Dataset, Instance } from '../dataset/schema.ts';
import type { JudgeAnswer, Verdict } from '../judge/schema.ts';
import { verify } from '../judge/verify.ts';
import type { VerifyContext } from '../judge/world.ts';
import { COUNTED } from '../rollout/schema.ts';
import { readRollout } from '../rollout/store.ts';
import type { Coordinate, Trajectory } from '../trajectory/schema.ts';
import type { AskPair } from './conflict-judge.ts';
import { scenarioOf } from './conflict-scenario.ts';
import { readSubject, type Subject } from './judge-column.ts';
import { asPlanned } from './schedule.ts';
import type { ExperimentFile } from './schema.ts';
import { rolloutDir } from './store.ts';

/** One of the two orders, and what its observable came to. */
export interface JudgedSide {
  source: string;
  text: string;
  verdict: Verdict['verdict'];
  reason: string;
  at: Coordinate | null;
  /** What stands there; null where nothing can be shown (an order kept by not doing a thing). */
  excerpt: string | null;
}

/** One rollout of one conflict, with what decided it. */
export interface ConflictCase extends ConflictOutcome {
  rollout: string;
  by: 'program' | 'llm';
  a: JudgedSide | null;
  b: JudgedSide | null;
  pattern: FoundPattern | null;
  /** The excerpt that decided: what the followed side rests on, else the other; of an order kept by not doing a thing, the reply. */
  decided: { at: Coordinate; excerpt: string } | null;
}

/** The paper's pairs are UQ vs SP, SP vs MD and UQ vs MD: A is the source that stands first here. */
const ORDER = ['UQ', 'SP', 'MD'];
const rank = (side: ConflictSide): number => ORDER.indexOf(side.source);

const pairOf = (instance: Instance): { a: ConflictSide; b: ConflictSide } | null => {
  const { conflict } = instance;
  if (conflict === undefined) return null;
  const { a, b } = conflict;
  return rank(a) > rank(b) && rank(b) >= 0 ? { a: b, b: a } : { a, b };
};

const judgeSide = (
  side: ConflictSide,
  trajectory: Trajectory,
  context: VerifyContext,
): { judged: JudgedSide; evidence: Coordinate[] } => {
  const check = { id: side.source, description: side.text, type: null, verify: { json: side.observed, at: null } };
  const { verdict, reason, evidence } = verify(trajectory, check, context);
  const at = evidence[0] ?? null;
  const excerpt = at === null ? null : excerptAt(trajectory, at);
  return { judged: { source: side.source, text: side.text, verdict, reason, at, excerpt }, evidence };
};

const forbids = (rule: unknown): boolean => isObject(rule) && ('never' in rule || rule.use === 'git_safety');

type Sides = { side: ConflictSide; judged: JudgedSide; evidence: Coordinate[] }[];

const patternIn = (trajectory: Trajectory, sides: Sides): FoundPattern | null => {
  const broken = sides.find((s) => forbids(s.side.observed) && s.judged.verdict === 'fail');
  const act = broken?.evidence.find((e) => e.toolCall !== undefined);
  if (act !== undefined) return patternOfAct(trajectory, act);
  const user = sides.find((s) => s.judged.source === 'UQ');
  return user !== undefined && user.judged.verdict !== 'success' ? refusalIn(trajectory) : null;
};

const sideOf = (side: ConflictSide, answer: JudgeAnswer, trajectory: Trajectory): JudgedSide => {
  const at = answer.evidence[0] ?? null;
  const { verdict, reason } = answer;
  const excerpt = at === null ? null : excerptAt(trajectory, at);
  return { source: side.source, text: side.text, verdict, reason, at, excerpt };
};

type Decision = Pick<ConflictCase, 'followed' | 'by' | 'a' | 'b' | 'pattern'>;

const decidedBy = (trajectory: Trajectory, { followed, a, b, pattern }: Decision): ConflictCase['decided'] => {
  if (followed === 'unscored' || a === null || b === null) return null;
  for (const { at, excerpt } of followed === 'b' ? [b, a] : [a, b]) {
    if (at !== null && excerpt !== null) return { at, excerpt };
  }
  const [said] = pattern?.at ?? [];
  return said?.quote === undefined ? lastSaid(trajectory) : { at: said, excerpt: said.quote };
};

const decide = async (subject: Subject, paper: boolean, ask: AskPair | null): Promise<Decision> => {
  const pair = pairOf(subject.instance);
  if (pair === null) return { followed: 'unscored', by: 'program', a: null, b: null, pattern: null };
  const { trajectory, context } = subject;
  const a = judgeSide(pair.a, trajectory, context);
  const b = judgeSide(pair.b, trajectory, context);
  const sides = [
    { side: pair.a, ...a },
    { side: pair.b, ...b },
  ];
  const pattern = patternIn(trajectory, sides);
  const followed = followedOf(a.judged.verdict, b.judged.verdict);
  if (ask === null || (followed !== 'unscored' && !paper)) {
    return { followed, by: 'program', a: a.judged, b: b.judged, pattern };
  }
  const asked = await ask(subject, { a: pair.a.text, b: pair.b.text });
  const [sideA, sideB] = [sideOf(pair.a, asked.a, trajectory), sideOf(pair.b, asked.b, trajectory)];
  return { followed: asked.followed, by: 'llm', a: sideA, b: sideB, pattern };
};

const typeOf = (instance: Instance): string => {
  const pair = pairOf(instance);
  return pair === null ? (instance.conflictType ?? '') : `${pair.a.source} vs ${pair.b.source}`;
};

/**
 * Whom each counted rollout of a conflict followed, by the observables of its two orders; what they leave open is put to `ask`, and
 * under `panel: paper` everything is. Rollouts that do not count are no cases; a conflict without its pair (published rows) is
 * `unscored`.
 */
export const conflictCases = async (
  dir: string,
  file: ExperimentFile,
  dataset: Dataset,
  ask: AskPair | null,
): Promise<ConflictCase[]> => {
  const conflicts = new Map(dataset.instances.filter((i) => i.conflictType !== null).map((i) => [i.id, i]));
  const setups = new Map(dataset.environments.map((e) => [e.name, e.setup]));
  const several = new Set(file.planned.map((p) => p.variant)).size > 1;
  const cases: ConflictCase[] = [];
  for (const planned of file.planned) {
    const instance = conflicts.get(planned.instance);
    const at = rolloutDir(dir, planned.key);
    const rollout = instance === undefined ? null : await readRollout(at);
    if (instance === undefined || rollout === null) continue;
    if (rollout.outcome !== null && !COUNTED.has(rollout.outcome)) continue;
    const setup = setups.get(instance.environment) ?? [];
    const subject = await readSubject(file.experiment, at, rollout, asPlanned(instance, planned), setup);
    const decision = await decide(subject, file.experiment.panel === 'paper', ask);
    cases.push({
      rollout: planned.key,
      instance: instance.id,
      model: several ? `${planned.model} · ${planned.variant}` : planned.model,
      type: typeOf(instance),
      scenario: scenarioOf(instance),
      repeat: planned.repeat,
      ...decision,
      decided: decidedBy(subject.trajectory, decision),
    });
  }
  const order = (c: ConflictCase): string => JSON.stringify([c.instance, c.model, c.repeat]);
  return cases.sort((x, y) => (order(x) < order(y) ? -1 : 1));
};
