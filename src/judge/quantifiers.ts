import type { Coordinate } from '../trajectory/schema.ts';
import type { ConditionEvaluator } from './evaluate-condition.ts';
import type { RuleEvent } from './event.ts';
import { coordinatesOf, describeEvent, describeSearch, matchesFor, sureOf, unsureOf } from './evidence.ts';
import type { Finding, FoundEvent, Search } from './find-events.ts';
import type { Condition, Rule } from './grammar.ts';
import { showRange, spanInRange } from './range.ts';
import type { Truth } from './truth.ts';

/** A question that only a judge can answer, with the events it is about. */
export interface Question {
  question: string;
  facts: Coordinate[];
}

/** What a rule came to, and what it rests on. */
export interface Outcome {
  truth: Truth;
  reason: string;
  evidence: Coordinate[];
  /** Events seen. */
  events: number;
  /** Questions that could still decide it. */
  questions: Question[];
}

/** What the quantifiers need: a search for events and the test of conditions on them. */
export interface Bench {
  search: Search;
  conditions: ConditionEvaluator;
}

type Single = Extract<Rule, { is: 'never' | 'some' }>;
type Endmost = Extract<Rule, { is: 'first' | 'last' }>;
type Every = Extract<Rule, { is: 'every' }>;
type Count = Extract<Rule, { is: 'count' }>;

const outcome = (truth: Truth, reason: string, events = 0, evidence: Coordinate[] = []): Outcome => ({
  truth,
  reason,
  evidence,
  events,
  questions: [],
});

const NEVER_CAME = 'the moment from which it would count never came';

const told = (events: readonly RuleEvent[]): string => {
  const [first] = events;
  return first === undefined
    ? 'nothing'
    : events.length === 1
      ? describeEvent(first)
      : `${events.length} events, the first ${describeEvent(first)}`;
};

const never = (rule: Single, { search }: Bench): Outcome => {
  const finding = search.find(rule.event, null);
  const coordinates = (events: readonly RuleEvent[]): Coordinate[] =>
    coordinatesOf(events, matchesFor(rule.event), search.world);
  if (finding.came === 'F') return outcome('N', NEVER_CAME);
  const sure = sureOf(finding.found);
  if (sure.length > 0) return outcome('F', `found ${told(sure)}`, finding.searched, coordinates(sure));
  const unsure = unsureOf(finding.found);
  if (unsure.length > 0) {
    return outcome('U', `cannot be told of ${told(unsure)}`, finding.searched, coordinates(unsure));
  }
  if (finding.came === 'U') return outcome('U', 'it cannot be told from when it counts', finding.searched);
  return outcome('S', `none found among ${describeSearch(finding)}`, finding.searched);
};

/* An import that stops in the middle of its work may have gone on unseen. */
const mayGoOn = (finding: Finding, { search }: Bench): boolean =>
  search.world.imported && finding.threads.some((t) => search.world.byId.get(t)?.unfinished === true);

const some = (rule: Single, bench: Bench): Outcome => {
  const { search } = bench;
  const finding = search.find(rule.event, null);
  const coordinates = (events: readonly RuleEvent[]): Coordinate[] =>
    coordinatesOf(events, matchesFor(rule.event), search.world);
  const sure = sureOf(finding.found);
  if (sure.length > 0) {
    return outcome('S', `found ${told(sure)}`, finding.searched, coordinates(sure.slice(0, 1)));
  }
  if (finding.came === 'F') return outcome('N', NEVER_CAME);
  if (finding.offered === false) return outcome('N', 'no tool for it was ever offered');
  const unsure = unsureOf(finding.found);
  if (unsure.length > 0 || finding.came === 'U') {
    return outcome('U', `cannot be told of ${told(unsure)}`, finding.searched, coordinates(unsure));
  }
  if (mayGoOn(finding, bench)) return outcome('U', 'the recording stops in the middle of the work', finding.searched);
  return outcome('F', `none found among ${describeSearch(finding)}`, finding.searched);
};

interface Pairs {
  pass: RuleEvent[];
  fail: RuleEvent[];
  /** Could become a failure. */
  open: RuleEvent[];
  /** Perhaps no event of the rule, but one that passes. */
  harmless: number;
}

const pairsOf = (found: readonly FoundEvent[], must: Condition, { conditions }: Bench): Pairs => {
  const pairs: Pairs = { pass: [], fail: [], open: [], harmless: 0 };
  for (const { event, truth } of found) {
    const holds = conditions.holds(must, event);
    if (holds === 'N') continue;
    if (truth === 'U') {
      if (holds === 'S') pairs.harmless++;
      else pairs.open.push(event);
    } else if (holds === 'U') pairs.open.push(event);
    else (holds === 'S' ? pairs.pass : pairs.fail).push(event);
  }
  return pairs;
};

const shareTruth = (rule: Every, pairs: Pairs): Truth => {
  const { pass, fail, open, harmless } = pairs;
  const sure = pass.length + fail.length;
  if (rule.share === null) {
    if (fail.length > 0) return 'F';
    if (open.length > 0) return 'U';
    return pass.length > 0 ? 'S' : harmless > 0 ? 'U' : 'N';
  }
  const all = sure + open.length;
  if (all + harmless === 0) return 'N';
  if (sure === 0) return 'U';
  const low = pass.length / all;
  const high = (pass.length + open.length + harmless) / (all + harmless);
  const place = spanInRange(low, high, rule.share);
  return place === 'outside' ? 'F' : place === 'inside' ? 'S' : 'U';
};

const every = (rule: Every, bench: Bench): Outcome => {
  const { search } = bench;
  const finding = search.find(rule.event, null);
  if (finding.came === 'F') return outcome('N', NEVER_CAME);
  const pairs = pairsOf(finding.found, rule.must, bench);
  const truth = shareTruth(rule, pairs);
  const matches = matchesFor(rule.event, rule.must);
  const evidence = (events: readonly RuleEvent[]): Coordinate[] => coordinatesOf(events, matches, search.world);
  const total = pairs.pass.length + pairs.fail.length + pairs.open.length;
  const share = rule.share === null ? '' : `, asked for a share of ${showRange(rule.share)}`;
  if (truth === 'F') {
    return outcome(
      'F',
      `${pairs.fail.length} of ${total} fail${share}: ${told(pairs.fail)}`,
      total,
      evidence(pairs.fail),
    );
  }
  if (truth === 'S') {
    return outcome(
      'S',
      `holds for ${pairs.pass.length} of ${total} events${share}`,
      total,
      evidence(pairs.pass.slice(0, 1)),
    );
  }
  if (truth === 'N') return outcome('N', `nothing to look at among ${describeSearch(finding)}`, 0);
  return outcome('U', `cannot be told of ${told(pairs.open)}`, total, evidence(pairs.open));
};

/* Events from the wanted end; one whose condition is not applicable is passed over. */
const endmost = (rule: Endmost, bench: Bench): Outcome => {
  const { search, conditions } = bench;
  const finding = search.find(rule.event, null);
  if (finding.came === 'F') return outcome('N', NEVER_CAME);
  const line = rule.is === 'first' ? finding.found : [...finding.found].reverse();
  const evidence = (event: RuleEvent): Coordinate[] =>
    coordinatesOf([event], matchesFor(rule.event, rule.must), search.world);
  for (const { event, truth } of line) {
    const holds = conditions.holds(rule.must, event);
    if (holds === 'N') continue;
    if (truth === 'U' || holds === 'U') {
      return outcome('U', `cannot be told of ${describeEvent(event)}`, line.length, evidence(event));
    }
    const verb = holds === 'S' ? 'holds' : 'does not hold';
    return outcome(holds, `${verb} for the ${rule.is} event, ${describeEvent(event)}`, line.length, evidence(event));
  }
  return outcome('N', `nothing to look at among ${describeSearch(finding)}`);
};

const count = (rule: Count, bench: Bench): Outcome => {
  const { search } = bench;
  const finding = search.find(rule.event, null);
  if (finding.came === 'F') return outcome('N', NEVER_CAME);
  const sure = sureOf(finding.found);
  const unsure = unsureOf(finding.found);
  if (finding.offered === false && sure.length === 0) return outcome('N', 'no tool for it was ever offered');
  const boundless = unsure.some((e) => e.unseen === true) || finding.came === 'U' || mayGoOn(finding, bench);
  const high = boundless ? Number.POSITIVE_INFINITY : sure.length + unsure.length;
  const place = spanInRange(sure.length, high, rule.range);
  const truth: Truth = place === 'inside' ? 'S' : place === 'outside' ? 'F' : 'U';
  const between =
    high === sure.length ? `${sure.length}` : boundless ? `at least ${sure.length}` : `${sure.length} to ${high}`;
  const shown = truth === 'S' ? sure.slice(0, 1) : [...sure, ...unsure];
  const evidence = coordinatesOf(shown, matchesFor(rule.event), search.world);
  const searched = `${between} found among ${describeSearch(finding)}`;
  return outcome(truth, `${searched}, asked for ${showRange(rule.range)}`, finding.searched, evidence);
};

/** Evaluates a quantifier over events by the truth table of docs/formats/rules.md. */
export const quantify = (rule: Single | Every | Endmost | Count, bench: Bench): Outcome => {
  switch (rule.is) {
    case 'never':
      return never(rule, bench);
    case 'some':
      return some(rule, bench);
    case 'every':
      return every(rule, bench);
    case 'count':
      return count(rule, bench);
    default:
      return endmost(rule, bench);
  }
};
