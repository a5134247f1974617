import type { Check } from '../checklist/schema.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import type { Condition, EventSet, Match, Rule, SourceEvent } from './grammar.ts';
import { parseRule } from './parse.ts';
import { findNamedRule } from './rules/all.ts';

/** Something about a rule that is allowed and probably not meant. */
export interface RuleWarning {
  kind: 'empty_set' | 'ok_true' | 'main_only' | 'fixed_language' | 'one_sided';
  message: string;
}

const PROHIBITS =
  /\bnever\b|\bno\b|\bnot\b|n['’]t\b|\bavoid|\bwithout\b|\bforbid|\bneither\b|\bnothing\b|\bonly\b|\balone\b|\buntouched\b|\bunchanged\b|\bas (?:it is|they are)\b|未|没有|不(?:得|能|要|应|可|使用|包含|出现)|避免|禁止|从未|从不|而不是|而非|仅|只/i;
/* At the head of the sentence: what is forbidden, not an aside. */
const FORBIDS =
  /^\W*(?:check (?:whether|that|if) )?(?:the )?(?:assistant|agent)? ?(?:never|does not|did not|avoids?|avoided|must not)\b|^(?:检查)?\s*(?:assistant)?\s*是否(?:从?未|没有|避免)|\bnever\b/i;
const CONDITIONAL =
  /\bwhen(?:ever)?\b|\bif\b|\bin case\b|\beach time\b|\bevery time\b|当|如果|如有|若|时，|在.{1,40}(?:时|期间)/i;
const AS_THE_USER =
  /same language|user'?s language|language of the (?:user|query)|as the user|与用户(?:相同|一致)|用户(?:所)?使用的语言/i;
const WRITES = new Set(['write', 'edit', 'delete', 'move']);

const events = (set: EventSet): SourceEvent[] => (set.is === 'one_of' ? set.events.flatMap(events) : [set]);

/* Every rule inside a rule that is about events, with whether a `not` turns it round. */
const quantified = (rule: Rule): Exclude<Rule, { is: 'and' | 'or' | 'not' | 'offered' | 'workspace' | 'judge' }>[] => {
  if (rule.is === 'and' || rule.is === 'or') return rule.rules.flatMap(quantified);
  if (rule.is === 'not') return quantified(rule.rule);
  return rule.is === 'offered' || rule.is === 'workspace' || rule.is === 'judge' ? [] : [rule];
};

const literals = (match: Match): unknown[] => {
  if (match.is === 'literal') return [match.value];
  return match.is === 'one_of' ? match.matches.flatMap(literals) : [];
};

const asksOkTrue = (event: SourceEvent): boolean =>
  event.fields.some((f) => f.field === 'ok' && literals(f.match).includes(true));

const okWarnings = (rule: Rule): RuleWarning[] =>
  quantified(rule)
    .filter((r) => r.is === 'never' || r.is === 'every')
    .filter((r) => events(r.event).some(asksOkTrue))
    .map((r) => ({
      kind: 'ok_true',
      message: `\`ok: true\` in the event of "${r.is}" leaves calls whose result was not told unscored; \`ok: {not: false}\` counts them`,
    }));

const writesIn = (event: SourceEvent): boolean =>
  event.source === 'action' &&
  event.fields.some((f) => f.field === 'kind' && literals(f.match).some((k) => WRITES.has(String(k))));

const scopeWarnings = (rule: Rule): RuleWarning[] =>
  quantified(rule)
    .filter((r) => r.is === 'never')
    .filter((r) => events(r.event).some((e) => writesIn(e) && (e.scope === null || e.scope === 'main')))
    .map(() => ({
      kind: 'main_only',
      message: 'a "never" over writes looks at the main thread only; a subagent may write too: `in: all`',
    }));

const holdsLanguage = (json: unknown): boolean => {
  if (Array.isArray(json)) return json.some(holdsLanguage);
  if (!isObject(json)) return false;
  if (json.use === 'reply_language') return !isObject(json.is);
  return Object.entries(json).some(([k, v]) => (k === 'language' && !isObject(v)) || holdsLanguage(v));
};

const languageWarnings = (description: string, json: unknown): RuleWarning[] =>
  AS_THE_USER.test(description) && holdsLanguage(json)
    ? [
        {
          kind: 'fixed_language',
          message: 'the text says "as the user", the rule a fixed language: `language: {same_as: query}`',
        },
      ]
    : [];

/*
 * "Never do X" is `never`, "when you do X, do Y" is `every` or `when`, "do X" is `some`. A named rule says by its name what it
 * means over nothing: of it only the plain contradiction is told.
 */
const verbWarnings = (check: Check, rule: Rule, named: boolean): RuleWarning[] => {
  const { description } = check;
  const forms = new Set(quantified(rule).map((r) => r.is));
  const only = forms.size === 1 ? [...forms][0] : undefined;
  const conditional = CONDITIONAL.test(description);
  if (named && only !== 'some') return [];
  if (only === 'never' && !PROHIBITS.test(description) && !conditional) {
    return [
      { kind: 'empty_set', message: 'the text asks for an act, "never" succeeds where nothing was done: `some`' },
    ];
  }
  if (only === 'some' && FORBIDS.test(description) && !conditional && check.when === undefined) {
    return [{ kind: 'empty_set', message: 'the text forbids, "some" succeeds where it was done: `never`' }];
  }
  if (only === 'some' && !named && conditional && check.when === undefined) {
    return [
      {
        kind: 'empty_set',
        message: 'the text has a condition, "some" fails where it never arose: `every … must`, or `when`',
      },
    ];
  }
  if (only === 'never' && conditional && check.when === undefined && !/\bnever\b|从不|从未|始终/i.test(description)) {
    return [
      {
        kind: 'empty_set',
        message: 'the text has a condition, "never" succeeds where it never arose: `every … must`, or `when`',
      },
    ];
  }
  return [];
};

const tests = (condition: Condition): Match[] => {
  if (condition.is === 'field') return [condition.match];
  if (condition.is === 'and' || condition.is === 'or') return condition.conditions.flatMap(tests);
  return condition.is === 'not' ? tests(condition.condition) : [];
};

const oneSided = (rule: Rule): RuleWarning[] =>
  quantified(rule)
    .filter(
      (r) =>
        r.is === 'every' &&
        tests(r.must).some((m) => m.is === 'any' && r.event.is === 'event' && r.event.fields.length === 0),
    )
    .map(() => ({
      kind: 'one_sided',
      message: '`any` in "must" holds for every event that has the field: the rule can hardly fail',
    }));

const isNamed = (json: unknown): json is JsonObject =>
  isObject(json) && typeof json.use === 'string' && findNamedRule(json.use) !== undefined;

/**
 * What is probably not meant in a check's rule, by its words: empty sets, `ok: true` in a prohibition, writes of the main
 * thread only, a fixed language. A rule that does not parse has no warnings: `parseRule` tells what is wrong with it.
 */
export const lintRule = (check: Check): RuleWarning[] =>
  [check.verify, check.when].flatMap((source, i) => {
    const parsed = source === undefined ? null : parseRule(source.json);
    if (source === undefined || parsed === null || !('rule' in parsed)) return [];
    const { rule } = parsed;
    const shape = isNamed(source.json) ? [] : [...okWarnings(rule), ...scopeWarnings(rule), ...oneSided(rule)];
    return [
      ...shape,
      ...(i === 0
        ? [...languageWarnings(check.description, source.json), ...verbWarnings(check, rule, isNamed(source.json))]
        : []),
    ];
  });
