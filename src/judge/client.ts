import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError } from 'ai';
import { isObject, parseJson } from '../core/json.ts';
import { sleep } from '../host/clock.ts';
import { retryDelay } from '../wire/retry-delay.ts';
import type { Protocol, Usage } from '../wire/schema.ts';
import type { AskJudge, JudgeFailure, JudgeReply, JudgeRequest, Show } from './client-schema.ts';
import { REPLY_SCHEMA } from './reply-schema.ts';

export interface JudgeClientOptions {
  protocol: Protocol;
  /** Of the recording proxy, without a path. */
  baseUrl: string;
  key: string;
  model: string;
  /** `temperature` (default 1), `top_p`, `seed`, `timeout_ms`, `provider_options` (the AI SDK's, by provider). */
  settings: Readonly<Record<string, unknown>>;
  signal: AbortSignal;
  /** First wait after a passing failure, doubled each time. Default 2 s. */
  backOffMs?: number;
}

type Model = ReturnType<ReturnType<typeof createAnthropic>>;
type CallOptions = Parameters<Model['doGenerate']>[0];
type Result = Awaited<ReturnType<Model['doGenerate']>>;
type Messages = CallOptions['prompt'];
type Said = Extract<Messages[number], { role: 'assistant' }>['content'][number];

const TRIES = 4;
const LONGEST_WAIT = 120_000;
const MOST_SHOWN = 12;
const SHOWN_CHARACTERS = 40_000;
const CACHED = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/** What a provider is asked for, most first: some refuse a schema, some a temperature. */
const FORMS: readonly { structured: boolean; sampled: boolean }[] = [
  { structured: true, sampled: true },
  { structured: false, sampled: true },
  { structured: false, sampled: false },
];

const SHOW_TOOL: NonNullable<CallOptions['tools']>[number] = {
  type: 'function',
  name: 'show',
  description:
    'The uncut text of one turn of the record, or characters `from` up to `to` of it. turn null = before the first.',
  inputSchema: {
    type: 'object',
    properties: {
      turn: { type: ['integer', 'null'] },
      from: { type: 'integer' },
      to: { type: 'integer' },
      thread: { type: 'string' },
    },
    required: ['turn'],
    additionalProperties: false,
  },
};

const createModel = ({ protocol, baseUrl, key, model }: JudgeClientOptions): Model => {
  const url = baseUrl.replace(/\/+$/, '');
  switch (protocol) {
    case 'anthropic':
      return createAnthropic({ apiKey: key, baseURL: `${url}/v1` })(model);
    case 'openai-responses':
      return createOpenAI({ apiKey: key, baseURL: `${url}/v1` }).responses(model);
    case 'openai-chat': {
      const named = { name: 'judge', apiKey: key, baseURL: `${url}/v1`, supportsStructuredOutputs: true };
      return createOpenAICompatible(named)(model);
    }
    case 'gemini':
      return createGoogleGenerativeAI({ apiKey: key, baseURL: `${url}/v1beta` })(model);
  }
};

const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

const usageOf = ({ inputTokens, outputTokens }: Result['usage']): Usage => ({
  input: inputTokens.total ?? null,
  output: outputTokens.total ?? null,
  cacheRead: inputTokens.cacheRead ?? null,
  cacheWrite: inputTokens.cacheWrite ?? null,
});

const add = (a: Usage, b: Usage): Usage => {
  const sum = (key: keyof Usage): number | null =>
    a[key] === null && b[key] === null ? null : (a[key] ?? 0) + (b[key] ?? 0);
  return { input: sum('input'), output: sum('output'), cacheRead: sum('cacheRead'), cacheWrite: sum('cacheWrite') };
};

const failure = (e: unknown): JudgeFailure => {
  const status = APICallError.isInstance(e) ? (e.statusCode ?? null) : null;
  return { finish: 'failed', status, message: (e instanceof Error ? e.message : String(e)).slice(0, 500) };
};

/** A failure that may pass: no connection, 408, 409, 429, 5xx, or a reply that was no reply. */
const passing = (e: unknown): boolean => {
  if (!APICallError.isInstance(e)) return !(e instanceof Error && e.name === 'AbortError');
  const status = e.statusCode ?? 0;
  return status < 400 || status === 408 || status === 409 || status === 429 || status >= 500;
};

const shownText = (show: Show, input: string): string => {
  const args = parseJson(input);
  if (!isObject(args)) return 'show takes {turn, from?, to?, thread?}';
  const from = number(args.from) ?? 0;
  const to = Math.min(number(args.to) ?? from + SHOWN_CHARACTERS, from + SHOWN_CHARACTERS);
  const thread = typeof args.thread === 'string' && args.thread !== '' ? args.thread : undefined;
  return show(number(args.turn) ?? null, { from, to }, thread) ?? 'there is no such turn';
};

const firstMessages = ({ prompt }: JudgeRequest): Messages => [
  { role: 'system', content: prompt.system, providerOptions: CACHED },
  {
    role: 'user',
    content: [
      { type: 'text', text: prompt.record, providerOptions: CACHED },
      { type: 'text', text: prompt.ask },
    ],
  },
];

/** What the judge said, and the answers to its calls, as the next request repeats them. */
const nextMessages = (result: Result, show: Show): Messages => {
  const said = result.content.flatMap((part): Said[] => {
    if (part.type === 'text' || part.type === 'reasoning') {
      const { type, text, providerMetadata } = part;
      return [{ type, text, ...(providerMetadata === undefined ? {} : { providerOptions: providerMetadata }) }];
    }
    if (part.type !== 'tool-call') return [];
    const { toolCallId, toolName, input, providerMetadata } = part;
    const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
    return [{ type: 'tool-call' as const, toolCallId, toolName, input: parseJson(input) ?? {}, ...options }];
  });
  const answers = result.content.flatMap((part) =>
    part.type !== 'tool-call'
      ? []
      : [
          {
            type: 'tool-result' as const,
            toolCallId: part.toolCallId,
            toolName: part.toolName,
            output: { type: 'text' as const, value: shownText(show, part.input) },
          },
        ],
  );
  return [
    { role: 'assistant', content: said },
    { role: 'tool', content: answers },
  ];
};

class Client {
  readonly #options: JudgeClientOptions;
  readonly #model: Model;
  /** The first form of `FORMS` that the provider took. */
  #form = 0;

  constructor(options: JudgeClientOptions) {
    this.#options = options;
    this.#model = createModel(options);
  }

  async ask(request: JudgeRequest): Promise<JudgeReply> {
    const messages = firstMessages(request);
    let usage: Usage = { input: null, output: null, cacheRead: null, cacheWrite: null };
    for (let shown = 0; ; shown++) {
      // Asked once too often it has to answer from what it saw.
      const show = shown < MOST_SHOWN ? request.show : null;
      const result = await this.#inSomeForm(request, messages, show !== null, shown > 0);
      usage = add(usage, usageOf(result.usage));
      const calls = result.content.some((part) => part.type === 'tool-call');
      if (calls && show !== null) {
        messages.push(...nextMessages(result, show));
        continue;
      }
      const { unified } = result.finishReason;
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      return {
        finish: unified === 'length' ? 'length' : unified === 'content-filter' ? 'refused' : 'stopped',
        text: result.structuredOutputText ?? text,
        shown,
        structured: FORMS[this.#form]?.structured === true,
        usage,
      };
    }
  }

  /** Asks with less until the provider takes it: what it refuses with 400 or 422 it will refuse again. */
  async #inSomeForm(request: JudgeRequest, messages: Messages, withShow: boolean, declared: boolean): Promise<Result> {
    for (let form = this.#form; ; form++) {
      try {
        const result = await this.#persist(request, messages, form, withShow, declared);
        this.#form = form;
        return result;
      } catch (e) {
        const refused = APICallError.isInstance(e) && (e.statusCode === 400 || e.statusCode === 422);
        if (!refused || form + 1 >= FORMS.length) throw e;
      }
    }
  }

  async #persist(request: JudgeRequest, messages: Messages, form: number, withShow: boolean, declared: boolean) {
    const { signal, backOffMs = 2000 } = this.#options;
    for (let tried = 1; ; tried++) {
      try {
        return await this.#once(request, messages, form, withShow, declared);
      } catch (e) {
        if (tried >= TRIES || signal.aborted || !passing(e)) throw e;
        const asked = APICallError.isInstance(e) ? retryDelay(e.responseHeaders ?? {}, new Date()) : null;
        await sleep(Math.min(asked ?? backOffMs * 2 ** (tried - 1), LONGEST_WAIT), signal);
      }
    }
  }

  #once(request: JudgeRequest, messages: Messages, form: number, withShow: boolean, declared: boolean) {
    const { settings, signal } = this.#options;
    const { structured, sampled } = FORMS[form] ?? { structured: false, sampled: false };
    const topP = number(settings.top_p);
    const seed = number(settings.seed);
    const own = settings.provider_options;
    return this.#model.doGenerate({
      prompt: messages,
      maxOutputTokens: request.maxOutputTokens,
      abortSignal: AbortSignal.any([signal, AbortSignal.timeout(number(settings.timeout_ms) ?? 600_000)]),
      ...(sampled ? { temperature: number(settings.temperature) ?? 1 } : {}),
      ...(sampled && topP !== undefined ? { topP } : {}),
      ...(seed === undefined ? {} : { seed }),
      ...(structured ? { responseFormat: { type: 'json', name: 'verdicts', schema: REPLY_SCHEMA } } : {}),
      // Providers refuse a history of calls to tools that they are not told of.
      ...(withShow || declared ? { tools: [SHOW_TOOL], toolChoice: { type: withShow ? 'auto' : 'none' } } : {}),
      ...(isObject(own) ? { providerOptions: own as NonNullable<CallOptions['providerOptions']> } : {}),
    });
  }
}

/**
 * Asks a model of any of the four protocols: structured output with one generic schema where the provider takes it, in words
 * alone where it does not; the record first, marked for caching. Failures that may pass are tried four times in all, after the
 * time the provider asks for or a growing one. What stays a failure is told as one. Nothing is retried by the SDK.
 */
export const createJudgeClient = (options: JudgeClientOptions): AskJudge => {
  const client = new Client(options);
  return (request) => client.ask(request).catch(failure);
};
