import { queriesOf } from '../queries.ts';
import { givenEvent, type Source } from './source.ts';

/** One event a user query. */
export const query: Source = {
  name: 'query',
  description: 'a query of the user',
  subject: 'text',
  fields: { text: 'text' },
  scope: 'main',
  events: (thread, world) =>
    queriesOf(thread, world).map((q) =>
      givenEvent(
        'query',
        thread,
        q.turn,
        (field) => (field === 'text' ? q.text : undefined),
        { text: q.text },
        q.query,
      ),
    ),
};
