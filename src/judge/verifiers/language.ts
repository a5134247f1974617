import { isObject } from '../../core/json.ts';
import { queriesOf } from '../queries.ts';
import { isInLanguage, languageOf } from '../texts/language.ts';
import { type Truth, truthOf } from '../truth.ts';
import type { TestPlace, TextTest } from './test.ts';

/* A query is short: two words tell; one that says nothing ("ok") leaves the earlier one in force. */
const queryLanguage = ({ event, world }: TestPlace): string | null => {
  const main = world.threads.find((t) => t.role === 'main');
  const own = world.byId.get(event.thread);
  const thread = own?.role === 'main' ? own : main;
  const index = event.read('query');
  if (thread === undefined) return null;
  const before = queriesOf(thread, world).filter((q) => typeof index !== 'number' || q.query <= index);
  for (const q of before.reverse()) {
    const language = languageOf(q.text, { words: 2, signs: 2 });
    if (language !== null && language !== 'latin') return language;
  }
  return null;
};

const compare = (text: string, wanted: readonly string[]): Truth => {
  const language = languageOf(text);
  if (language === null) return 'N';
  const same = isInLanguage(language, wanted);
  return same === null ? 'U' : truthOf(same);
};

export const language: TextTest = {
  name: 'language',
  description:
    'the language of the prose (ISO 639-1), or {same_as: query}; too little to tell under 5 words or 8 Han signs',
  on: 'text',
  options: [],
  schema: {
    anyOf: [
      { type: 'string', pattern: '^[a-z]{2}$' },
      { type: 'array', items: { type: 'string', pattern: '^[a-z]{2}$' }, minItems: 1 },
      {
        type: 'object',
        properties: { same_as: { const: 'query' } },
        required: ['same_as'],
        additionalProperties: false,
      },
    ],
  },
  bind(argument) {
    if (isObject(argument) && argument.same_as === 'query' && Object.keys(argument).length === 1) {
      return {
        holds: (value, at) => {
          const asked = queryLanguage(at);
          if (asked !== null) return compare(value, [asked]);
          return languageOf(value) === null ? 'N' : 'U';
        },
      };
    }
    const wanted = typeof argument === 'string' ? [argument] : argument;
    if (!Array.isArray(wanted) || wanted.length === 0 || !wanted.every((w) => /^[a-z]{2}$/.test(String(w)))) {
      return 'takes a language code such as zh or en, a list of them, or {same_as: query}';
    }
    const codes = wanted.map(String);
    return { holds: (value) => compare(value, codes) };
  },
};
