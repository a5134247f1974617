import type { StepEnd } from '../environment/schema.ts';
import type { Dialect, TextPlace } from '../scaffolds/dialect.ts';
import type { Block, DecodedRequest, WireMessage } from '../wire/schema.ts';
import { type Exchange, isMain } from './exchanges.ts';
import type { Difference } from './schema.ts';

/** What the session was asked to be. */
export interface Asked {
  queries: readonly string[];
  systemPrompt: string;
  /** Name of the main model on the wire. */
  model: string;
  /** Version that was to run, and the one the row asked for when it is another. */
  version: string;
  substitutedFor: string | null;
  settings: Readonly<Record<string, unknown>>;
}

/** What was recorded of it. */
export interface Recorded {
  exchanges: readonly Exchange[];
  steps: readonly Pick<StepEnd, 'step' | 'startedAt'>[];
  logOpenedAt: number;
  reportedVersion: string | null;
  dialect: Dialect;
}

/**
 * Where the recorded session is not what was asked for: the user's words, the system prompt, the model, unknown tools, sampling, the
 * version. Only the first request of each query is read, so the cost does not grow with the length of the session.
 */
export const findDifferences = (asked: Asked, recorded: Recorded): Difference[] => {
  const firsts = firstRequests(recorded);
  const first = firsts[0]?.request;
  return [
    ...versionDifferences(asked, recorded.reportedVersion),
    ...firsts.flatMap(({ query, request }) => queryDifference(asked, query, request, recorded.dialect)),
    ...(first === undefined ? [] : promptDifference(asked.systemPrompt, first)),
    ...modelDifferences(
      asked.model,
      firsts.map((f) => f.request),
    ),
    ...(first === undefined ? [] : toolDifference(first, recorded.dialect)),
    ...(first === undefined ? [] : samplingDifferences(asked.settings, first)),
  ];
};

/** The first main request of each query. */
const firstRequests = ({ exchanges, steps, logOpenedAt }: Recorded): { query: number; request: DecodedRequest }[] =>
  steps.flatMap((step, i) => {
    const until = (steps[i + 1]?.startedAt ?? Number.POSITIVE_INFINITY) - logOpenedAt;
    const from = step.startedAt - logOpenedAt;
    const found = exchanges.find((e) => e.call.request.at >= from && e.call.request.at < until && isMain(e));
    return found === undefined ? [] : [{ query: step.step, request: found.request() }];
  });

const versionDifferences = (asked: Asked, reported: string | null): Difference[] => {
  const found: Difference[] = [];
  if (asked.substitutedFor !== null) {
    found.push({ what: 'version', expected: asked.substitutedFor, recorded: asked.version });
  }
  if (reported !== null && !reported.includes(asked.version)) {
    found.push({ what: 'version', expected: asked.version, recorded: reported });
  }
  return found;
};

const textsOf = (blocks: readonly Block[]): string[] => blocks.flatMap((b) => (b.type === 'text' ? [b.text] : []));

/** The user messages at the end of a request: what is new in it when a query begins. */
const newest = (messages: readonly WireMessage[]): WireMessage[] => {
  const last = messages.findLastIndex((m) => m.role === 'assistant' || m.role === 'tool');
  return messages.slice(last + 1).filter((m) => m.role === 'user');
};

/** A text without what the scaffold put in it. */
const withoutSpans = (text: string, place: TextPlace, dialect: Dialect): string => {
  let rest = '';
  let at = 0;
  for (const span of dialect.spans(text, place)) {
    rest += text.slice(at, span.start);
    at = span.end;
  }
  return rest + text.slice(at);
};

/** The user's own words in the newest messages of a request, as the model got them. */
const recordedQuery = (request: DecodedRequest, place: TextPlace, dialect: Dialect): string =>
  newest(request.messages)
    .flatMap((m) => textsOf(m.blocks))
    .map((text) => ({ text, own: withoutSpans(text, place, dialect) }))
    // White space that only separates the scaffold's blocks from each other is not the user's.
    .filter(({ text, own }) => own === text || own.trim() !== '')
    .map(({ text, own }) => (own === text ? own : own.trim()))
    .join('\n');

const queryDifference = (asked: Asked, query: number, request: DecodedRequest, dialect: Dialect): Difference[] => {
  const expected = asked.queries[query] ?? '';
  const recorded = recordedQuery(request, query === 0 ? 'first_user' : 'user', dialect);
  return recorded === expected ? [] : [{ what: 'query', expected, recorded: shorten(recorded), query }];
};

const SHOWN = 2000;
const shorten = (text: string): string => (text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`);

const promptDifference = (expected: string, request: DecodedRequest): Difference[] => {
  if (expected.trim() === '') return [];
  const system = [
    ...textsOf(request.system),
    ...request.messages.filter((m) => m.role === 'system').flatMap((m) => textsOf(m.blocks)),
  ].join('\n');
  return system.includes(expected.trim()) ? [] : [{ what: 'system_prompt', expected, recorded: shorten(system) }];
};

const modelDifferences = (expected: string, requests: readonly DecodedRequest[]): Difference[] => {
  const others = new Set(requests.flatMap(({ model }) => (model === null || model === expected ? [] : [model])));
  return [...others].map((recorded) => ({ what: 'model', expected, recorded }));
};

const toolDifference = (request: DecodedRequest, dialect: Dialect): Difference[] => {
  const known = new Set(dialect.tools);
  const unknown = request.tools.map((t) => t.name).filter((name) => !known.has(name));
  const expected = `tools known to ${dialect.id}`;
  return unknown.length === 0 ? [] : [{ what: 'tools', expected, recorded: unknown.toSorted().join(', ') }];
};

// A setting and the parameters in which protocols carry it.
const CARRIED: Readonly<Record<string, readonly string[]>> = {
  temperature: ['temperature'],
  top_p: ['top_p', 'topP'],
  top_k: ['top_k', 'topK'],
  max_output_tokens: ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'],
  seed: ['seed'],
};

const samplingDifferences = (settings: Asked['settings'], { params }: DecodedRequest): Difference[] =>
  Object.entries(CARRIED).flatMap(([setting, names]): Difference[] => {
    const expected = settings[setting];
    if (expected === undefined) return [];
    const name = names.find((n) => params[n] !== undefined);
    const recorded = name === undefined ? undefined : params[name];
    return recorded === expected
      ? []
      : [
          {
            what: 'sampling',
            expected: `${setting} ${String(expected)}`,
            recorded: `${name ?? setting} ${String(recorded)}`,
          },
        ];
  });

// What of a request's parameters is about how the model samples and thinks; the rest is plumbing (metadata, user, caching).
const SAMPLING = new Set([
  ...Object.values(CARRIED).flat(),
  'thinking',
  'reasoning',
  'reasoning_effort',
  'output_config',
  'verbosity',
  'tool_choice',
  'parallel_tool_calls',
  'stop',
  'stop_sequences',
  'frequency_penalty',
  'presence_penalty',
  'generationConfig',
]);

/** Sampling parameters, thinking and effort of the main thread's first request, as sent; empty when there is none. */
export const samplingOf = (exchanges: readonly Exchange[]): Record<string, unknown> => {
  const params = exchanges.find(isMain)?.request().params ?? {};
  return Object.fromEntries(Object.entries(params).filter(([name]) => SAMPLING.has(name)));
};

/** The scaffold's user agent on the wire, of its first main request; null when it sent none. */
export const userAgentOf = (exchanges: readonly Exchange[]): string | null =>
  exchanges.find(isMain)?.call.request.headers.find(([name]) => name.toLowerCase() === 'user-agent')?.[1] ?? null;
