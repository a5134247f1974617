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
  read,
  SCHEMA,
  send,
  text,
} from '../../../test/fakes/bridge.ts';
import { decodeReply } from '../../wire/all.ts';
import type { Block, DecodedReply } from '../../wire/schema.ts';

afterEach(closeBridges);

/** An Anthropic client: repeats what it was sent, thinking and all, and answers calls. */
const anthropicClient = (on: Bridge, settings: object = {}) => {
  const messages: unknown[] = [];
  const native = (block: Block): unknown => {
    if (block.type === 'thinking') return { type: 'thinking', thinking: block.text, signature: block.signature ?? '' };
    if (block.type === 'tool_call') return { type: 'tool_use', id: block.id, name: block.name, input: block.input };
    return block;
  };
  return async (content: unknown): Promise<DecodedReply> => {
    messages.push({ role: 'user', content });
    const reply = await ask(on, {
      model: 'm',
      stream: true,
      max_tokens: 32_000,
      system: [text('You are A.'), { ...text('Rule: B'), cache_control: { type: 'ephemeral' } }],
      tools: [{ name: 'Read', description: 'Reads.', input_schema: SCHEMA }],
      messages,
      ...settings,
    });
    messages.push({ role: 'assistant', content: reply.blocks.map(native) });
    return reply;
  };
};
const result = (id: string, content: unknown, more: object = {}): unknown => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
});
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };

/** Six turns of an Anthropic client: thinking, parallel calls answered out of order, a failed call, an image, text beside results. */
const sixTurns = async (on: Bridge, sign: (n: number) => string | undefined): Promise<DecodedReply[]> => {
  const thought: Block = { type: 'thinking', text: 'Look first.' };
  on.fake.answer(
    plan(
      'tool',
      thought,
      text('Looking.'),
      calling('a', { path: 'a' }, sign(0)),
      calling('b', { path: 'b' }),
      calling('c', {}),
    ),
    plan('tool', text('An image?'), calling('d', { path: 'd.png' }, sign(1))),
    plan('tool', calling('e', { path: 'e' }, sign(2))),
    plan('end', text('Done.')),
    plan('tool', calling('f', { path: 'f' }, sign(3))),
    plan('end', thought, text('All done.')),
  );
  const say = anthropicClient(on);
  return [
    await say('weather?'),
    await say([
      text('and New York?'),
      result('c', 'res-C'),
      result('a', 'boom', { is_error: true }),
      result('b', [text('res-'), text('B')]),
      text('thanks'),
    ]),
    await say([result('d', [text('a picture'), image])]),
    await say([result('e', '')]),
    await say([text('once more'), image]),
    await say([result('f', 'ok')]),
  ];
};

describe('an Anthropic client at a chat provider', () => {
  test('six turns with parallel calls, thinking, an image result', async () => {
    const on = await bridge('anthropic', 'openai-chat');
    const replies = await sixTurns(on, () => undefined);
    expect(on.fake.refusals).toEqual([]);
    expect(replies.map(({ outcome, stop }) => `${outcome} ${stop}`)).toEqual([
      'complete tool_use',
      'complete tool_use',
      'complete tool_use',
      'complete end_turn',
      'complete tool_use',
      'complete end_turn',
    ]);
    expect(replies[0]?.blocks).toEqual([
      { type: 'thinking', text: 'Look first.' },
      text('Looking.'),
      calling('a', { path: 'a' }),
      calling('b', { path: 'b' }),
      calling('c', {}),
    ]);
    expect(replies[0]?.usage).toMatchObject({ input: 100, output: 20 });

    const body = on.fake.requests[1]?.body;
    const messages = body?.messages as Record<string, unknown>[];
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'tool', 'user']);
    expect(messages[0]?.content).toBe('You are A.\n\nRule: B');
    expect(messages[2]).toMatchObject({ content: 'Looking.', reasoning_content: 'Look first.' });
    expect(messages.slice(3, 6).map(({ tool_call_id, content }) => [tool_call_id, content])).toEqual([
      ['a', 'Error: boom'],
      ['b', 'res-B'],
      ['c', 'res-C'],
    ]);
    expect(messages[6]?.content).toEqual([text('and New York?'), text('thanks')]);
    expect(body?.tools).toEqual([
      { type: 'function', function: { name: 'Read', description: 'Reads.', parameters: SCHEMA } },
    ]);
    expect(body).not.toHaveProperty('tool_choice');
    expect(JSON.stringify(body)).not.toContain('cache_control');

    const withImage = on.fake.requests[2]?.body.messages as Record<string, unknown>[];
    expect(withImage.at(-2)).toMatchObject({
      role: 'tool',
      tool_call_id: 'd',
      content: 'a picture\n[1 image: see the next message]',
    });
    expect(withImage.at(-1)).toMatchObject({
      role: 'user',
      content: [{ type: 'text' }, { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }],
    });
    expect(on.problems).toEqual([]);
  });

  test('calls whose fragments are interleaved come out one after the other', async () => {
    const on = await bridge('anthropic', 'openai-chat');
    const chunk = (delta: unknown, finish: string | null = null): string =>
      `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const f = (index: number, more: object, args: string): unknown => ({
      index,
      ...more,
      function: { ...('id' in more && { name: 'Read' }), arguments: args },
    });
    const stream = [
      chunk({ role: 'assistant', content: 'Look:', tool_calls: [f(0, { id: 'a', type: 'function' }, '{"a"')] }),
      chunk({ tool_calls: [f(1, { id: 'b', type: 'function' }, '{"b"')] }),
      chunk({ tool_calls: [f(0, {}, ': 1}')] }),
      chunk({ tool_calls: [f(1, {}, ': 2}')] }),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ];
    on.fake.answer({
      raw: { status: 200, headers: [['content-type', 'text/event-stream']], chunks: stream.map((s) => Buffer.from(s)) },
    });
    const events = Buffer.concat(
      await read(
        await send(on, { model: 'm', stream: true, max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }),
      ),
    ).toString();
    const order = [...events.matchAll(/"type":"content_block_(start|stop)","index":(\d)/g)].map(
      ([, what, index]) => `${what} ${index}`,
    );
    expect(order).toEqual(['start 0', 'stop 0', 'start 1', 'stop 1', 'start 2', 'stop 2']);
    expect(decodeReply('anthropic', [Buffer.from(events)], { contentType: '' }).blocks).toEqual([
      text('Look:'),
      calling('a', { a: 1 }),
      calling('b', { b: 2 }),
    ]);
  });

  test('a client that does not stream gets one JSON body', async () => {
    const on = await bridge('anthropic', 'openai-chat');
    on.fake.answer(plan('tool', text('Hi.'), calling('a', { path: 'x' })));
    const reply = await send(on, { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] });
    const body = JSON.parse(Buffer.concat(await read(reply)).toString()) as unknown;
    expect(body).toMatchObject({
      type: 'message',
      stop_reason: 'tool_use',
      content: [{ type: 'text' }, { type: 'tool_use', input: { path: 'x' } }],
      usage: { input_tokens: 100, output_tokens: 20 },
    });
  });

  test('what cannot be carried is told, in the reply’s header too', async () => {
    const on = await bridge('anthropic', 'openai-chat');
    on.fake.answer(plan('end', text('ok')));
    const reply = await send(on, {
      model: 'm',
      stream: true,
      max_tokens: 9000,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      top_k: 5,
      metadata: { user_id: 'u' },
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
      messages: [
        { role: 'user', content: [text('x'), { type: 'document', source: {} }] },
        { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }, text('y')] },
        { role: 'user', content: 'z' },
      ],
    });
    await read(reply);
    expect(on.problems.map(({ kind }) => kind).sort()).toEqual([
      'block_not_forwarded',
      'block_not_forwarded',
      'parameter_not_forwarded',
      'parameter_not_forwarded',
      'tool_not_forwarded',
    ]);
    expect(reply.headers).toContainEqual([
      'x-octobench-lost',
      'parameter_not_forwarded, tool_not_forwarded, block_not_forwarded',
    ]);
  });

  test('settings arrive, schemas are completed, the request is not changed', async () => {
    const on = await bridge('anthropic', 'openai-chat');
    on.fake.answer(plan('end', text('ok')));
    await ask(on, {
      model: 'm',
      max_tokens: 77,
      temperature: 0.5,
      top_p: 0.9,
      stop_sequences: ['END'],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      tools: [{ name: 't', input_schema: { type: 'object' } }],
      messages: [{ role: 'user', content: 'x' }],
    });
    expect(on.fake.requests[0]?.body).toMatchObject({
      model: 'fake-model',
      max_tokens: 77,
      temperature: 0.5,
      top_p: 0.9,
      stop: ['END'],
      tool_choice: 'required',
      parallel_tool_calls: false,
      tools: [{ function: { parameters: { type: 'object', properties: {} } } }],
    });
  });
});

describe('an Anthropic client at Google', () => {
  test('six turns: signatures go back to the call they came with', async () => {
    const on = await bridge('anthropic', 'gemini');
    const replies = await sixTurns(on, (n) => `seal-${n}`);
    expect(on.fake.refusals).toEqual([]);
    expect(replies.map(({ outcome }) => outcome)).toEqual(Array(6).fill('complete'));
    expect(replies.map(({ stop }) => stop)).toEqual([
      'tool_use',
      'tool_use',
      'tool_use',
      'end_turn',
      'tool_use',
      'end_turn',
    ]);
    expect(callsOf(replies[0] as DecodedReply).map(({ id, input }) => [id, input])).toEqual([
      ['a', { path: 'a' }],
      ['b', { path: 'b' }],
      ['c', {}],
    ]);
    const body = on.fake.requests[1]?.body as {
      contents: { role: string; parts: Record<string, Record<string, unknown>>[] }[];
      tools: unknown;
    };
    const answers = body.contents.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.functionResponse === undefined ? [] : [part.functionResponse])),
    );
    expect(answers.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(JSON.stringify(answers[0])).toContain('Error: boom');
    expect(JSON.stringify(body.contents)).toContain('"thoughtSignature":"seal-0"');
    expect(body.tools).toEqual([
      { functionDeclarations: [{ name: 'Read', description: 'Reads.', parametersJsonSchema: SCHEMA }] },
    ]);
    expect(JSON.stringify(on.fake.requests[2]?.body)).toContain(PNG);
    expect(on.problems).toEqual([]);
  });

  test('thinking is asked for', async () => {
    const on = await bridge('anthropic', 'gemini');
    on.fake.answer(plan('end', text('ok')));
    await ask(on, {
      model: 'm',
      max_tokens: 9000,
      thinking: { type: 'enabled', budget_tokens: 2048 },
      messages: [{ role: 'user', content: 'x' }],
    });
    expect(on.fake.requests[0]?.body.generationConfig).toMatchObject({
      thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 },
    });
  });
});
