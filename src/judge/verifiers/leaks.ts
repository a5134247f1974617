import type { Action, SourceLabel } from '../../scaffolds/dialect.ts';
import { queriesOf } from '../queries.ts';
import { fold } from '../texts/fold.ts';
import { type Truth, truthOf } from '../truth.ts';
import type { World } from '../world.ts';
import { resultText } from './action.ts';
import { SOURCE_LABELS } from './source.ts';
import { strings, type TextTest } from './test.ts';

/* What a block of the label is called, in the languages that the published sets are written in. */
const NAMES: Readonly<Partial<Record<SourceLabel, RegExp>>> = {
  system_reminder:
    /system[-_ ]?reminders?|系统提醒|系统提示(?:信息|消息)?中?的?提醒|システムリマインダー|시스템 리마인더/i,
  environment: /environment_details|<env>/i,
  system_prompt: /system prompt|系统提示词|システムプロンプト/i,
};

const SHARED = 40;
const STEP = 20;

interface Held {
  /** Windows of 20 characters at every 20th place: a shared stretch of 40 holds at least one whole. */
  windows: Map<string, [text: string, at: number]>;
  /** All that the user, files and results told as well. */
  open: string;
}

const cache = new WeakMap<World, Map<string, Held>>();

const heldBy = (world: World, label: SourceLabel): Held => {
  const known = cache.get(world) ?? new Map<string, Held>();
  cache.set(world, known);
  const held = known.get(label) ?? collect(world, label);
  known.set(label, held);
  return held;
};

/* What a result showed, and what the agent wrote itself: a reminder that repeats its todo list gives nothing away. */
const told = (action: Action): string[] => [
  resultText(action.result) ?? '',
  action.content ?? '',
  (action.added ?? []).join('\n'),
  ...(action.todos ?? []).map((t) => t.text),
];

const collect = (world: World, label: SourceLabel): Held => {
  const windows = new Map<string, [string, number]>();
  const open: string[] = [];
  for (const thread of world.threads) {
    for (const given of thread.thread.given) {
      const text = fold(given.text);
      if (given.label !== label) {
        if (given.label !== 'system_prompt' && given.label !== 'tool_schema') open.push(text);
        continue;
      }
      for (let i = 0; i + STEP <= text.length; i += STEP) windows.set(text.slice(i, i + STEP), [text, i]);
    }
    for (const q of queriesOf(thread, world)) open.push(fold(q.text));
    for (const action of thread.thread.actions) {
      open.push(...told(action).map(fold));
    }
  }
  return { windows, open: open.join('\n') };
};

/* The longest stretch around a hit that both texts have. */
const stretch = (a: string, at: number, b: string, bt: number): [start: number, end: number] => {
  let before = 0;
  while (before < SHARED && at > before && bt > before && a[at - before - 1] === b[bt - before - 1]) before++;
  let after = STEP;
  while (after < 2 * SHARED && at + after < a.length && a[at + after] === b[bt + after]) after++;
  return [at - before, at + after];
};

const leaksOf = (value: string, label: SourceLabel, world: World): boolean => {
  if (NAMES[label]?.test(value) === true) return true;
  const held = heldBy(world, label);
  const text = fold(value);
  for (let i = 0; i + STEP <= text.length; i++) {
    const hit = held.windows.get(text.slice(i, i + STEP));
    if (hit === undefined) continue;
    const [start, end] = stretch(text, i, hit[0], hit[1]);
    const shared = text.slice(start, end).replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
    if (shared.length >= SHARED && !held.open.includes(shared)) return true;
    i = Math.max(i, end - STEP);
  }
  return false;
};

export const leaks: TextTest = {
  name: 'leaks',
  description: 'names a block of this label, or shares 40 characters with one that no query, file or result holds',
  on: 'text',
  options: [],
  schema: { anyOf: [{ enum: SOURCE_LABELS }, { type: 'array', items: { enum: SOURCE_LABELS }, minItems: 1 }] },
  bind(argument) {
    const labels = strings(argument)?.map((l) => SOURCE_LABELS.find((known) => known === l));
    if (labels === undefined || labels.includes(undefined)) return `takes a label: ${SOURCE_LABELS.join(', ')}`;
    const wanted = labels.flatMap((l) => l ?? []);
    return {
      holds: (value, { world }): Truth => truthOf(wanted.some((l) => leaksOf(value, l, world))),
      find: (value) => {
        for (const l of wanted) {
          const named = NAMES[l]?.exec(value);
          if (named !== null && named !== undefined) return { start: named.index, end: named.index + named[0].length };
        }
        return null;
      },
    };
  },
};
