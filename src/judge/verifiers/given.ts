import type { Given } from '../../trajectory/schema.ts';
import { givenEvent, SOURCE_LABELS, type Source } from './source.ts';

const reader =
  (g: Given): ((field: string) => unknown) =>
  (field) => {
    if (field === 'label') return g.label;
    if (field === 'text') return g.text;
    if (field === 'path') return g.path;
    return field === 'part' ? g.part : undefined;
  };

/** One event a block of instruction material that the agent was given. */
export const given: Source = {
  name: 'given',
  description: 'a block the agent was given, by its source; those found inside results too',
  subject: 'label',
  fields: { label: { words: SOURCE_LABELS }, text: 'text', path: 'path', part: { words: null } },
  scope: 'main',
  events: (thread) =>
    thread.thread.given.map((g) =>
      givenEvent('given', thread, g.turn, reader(g), {
        text: g.text,
        ...(g.path === undefined ? {} : { path: g.path }),
      }),
    ),
};
