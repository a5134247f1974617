import { afterEach, describe, expect, test } from 'vitest';
import {
  ask,
  type Bridge,
  bridge,
  calling,
  callsOf,
  closeBridges,
  PNG,
  plan,
  SCHEMA,
  text,
} from '../../../test/fakes/bridge.ts';
import { protocols } from '../../wire/all.ts';
import type { Block, DecodedReply } from '../../wire/schema.ts';

afterEach(closeBridges);

describe('a chat client at Anthropic', () => {
  /** A chat client: sends back text and calls, but no reasoning. */
  const chatClient = (on: Bridge, settings: object = {}) => {
    const messages: unknown[] = [{ role: 'system', content: 'S' }];
    return async (...given: unknown[]): Promise<DecodedReply> => {
      messages.push(...given);
      const tools = [{ type: 'function', function: { name: 'Read', description: 'Reads.', parameters: SCHEMA } }];
      const reply = await ask(on, { model: 'm', stream: true, messages, tools, ...settings });
      const said = reply.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
      const tool_calls = callsOf(reply).map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      }));
      messages.push({
        role: 'assistant',
        content: said === '' ? null : said,
        ...(tool_calls.length > 0 && { tool_calls }),
      });
      return reply;
    };
  };
  const user = (content: unknown): unknown => ({ role: 'user', content });
  const tool = (id: string, content: unknown): unknown => ({ role: 'tool', tool_call_id: id, content });

  test('six turns: sealed thinking goes back, though the client drops it', async () => {
    const on = await bridge('openai-chat', 'anthropic');
    const thought = (n: number): Block => ({ type: 'thinking', text: `thought ${n}`, signature: `sig-${n}` });
    on.fake.answer(
      plan('tool', thought(0), text('Looking.'), calling('a', { path: 'a' }), calling('b', {})),
      plan('tool', thought(1), calling('d', { path: 'd' })),
      plan('tool', { type: 'redacted_thinking', data: 'UkVE' }, calling('e', { path: 'e' })),
      plan('end', text('Done.')),
      plan('tool', thought(2), calling('f', { path: 'f' })),
      plan('end', text('All done.')),
    );
    const say = chatClient(on, { reasoning_effort: 'low', max_tokens: 20_000 });
    const replies = [
      await say(user('hi')),
      await say(tool('b', 'two'), tool('a', 'one')),
      await say(
        tool('d', [
          { type: 'text', text: 'a picture' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        ]),
      ),
      await say(tool('e', 'x')),
      await say(
        user([
          { type: 'text', text: 'again' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        ]),
      ),
      await say(tool('f', 'ok')),
    ];
    expect(on.fake.refusals).toEqual([]);
    expect(replies.map(({ outcome, stop }) => `${outcome} ${stop}`)).toEqual([
      'complete tool_calls',
      'complete tool_calls',
      'complete tool_calls',
      'complete stop',
      'complete tool_calls',
      'complete stop',
    ]);
    expect(replies[0]?.blocks).toEqual([
      { type: 'thinking', text: 'thought 0' },
      text('Looking.'),
      calling('a', { path: 'a' }),
      calling('b', {}),
    ]);
    expect(replies[0]?.usage).toMatchObject({ input: 100, output: 20 });

    const { body = {}, headers = {} } = on.fake.requests[3] ?? {};
    const { messages } = protocols.anthropic.readRequest(body, '');
    expect(messages.map(({ role, blocks }) => `${role}: ${blocks.map(({ type }) => type).join(' ')}`)).toEqual([
      'user: text',
      'assistant: thinking text tool_call tool_call',
      'user: tool_result tool_result',
      'assistant: thinking tool_call',
      'user: tool_result',
      'assistant: redacted_thinking tool_call',
      'user: tool_result',
    ]);
    expect(messages[4]?.blocks[0]).toMatchObject({ blocks: [text('a picture'), { type: 'image', bytes: 8 }] });
    expect(body.tools).toEqual([{ name: 'Read', description: 'Reads.', input_schema: SCHEMA }]);
    expect(body).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 2048 },
      system: [{ type: 'text', text: 'S' }],
    });
    expect(body).not.toHaveProperty('tool_choice');
    expect(headers).not.toHaveProperty('anthropic-beta');
    expect(on.problems).toEqual([]);
  });

  test('a union at the top of a schema is rewritten and told; no schema is an empty one', async () => {
    const on = await bridge('openai-chat', 'anthropic');
    on.fake.answer(plan('end', text('ok')));
    const branch = (name: string): unknown => ({
      type: 'object',
      properties: { [name]: { type: 'string' } },
      required: [name],
    });
    const reply = await ask(on, {
      model: 'm',
      tools: [
        { type: 'function', function: { name: 'u', parameters: { anyOf: [branch('a'), branch('b')] } } },
        { type: 'function', function: { name: 'n' } },
      ],
      messages: [{ role: 'user', content: 'x' }],
    });
    expect(reply.outcome).toBe('complete');
    expect(protocols.anthropic.readRequest(on.fake.requests[0]?.body, '').tools.map(({ schema }) => schema)).toEqual([
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
      { type: 'object', properties: {} },
    ]);
    expect(on.problems.map(({ kind }) => kind)).toEqual(['schema_rewritten']);
  });

  test('temperature and top_p both arrive; a late system message and foreign reasoning are told', async () => {
    const on = await bridge('openai-chat', 'anthropic');
    on.fake.answer(plan('end', text('ok')));
    await ask(on, {
      model: 'm',
      temperature: 0.5,
      top_p: 0.9,
      seed: 3,
      stop: 'END',
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: 'y', reasoning_content: 'r' },
        { role: 'system', content: 'later' },
        { role: 'user', content: 'z' },
      ],
    });
    expect(on.fake.refusals).toEqual([]);
    expect(on.fake.requests[0]?.body).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      stop_sequences: ['END'],
      max_tokens: expect.any(Number),
    });
    expect(on.problems.map(({ kind }) => kind).sort()).toEqual([
      'parameter_not_forwarded',
      'system_message_moved',
      'thinking_not_forwarded',
    ]);
  });
});
