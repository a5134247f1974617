import { join } from 'node:path';
import PQueue from 'p-queue';
import { sha256 } from '../core/ids.ts';
import { canonicalJson, isObject, parseJson } from '../core/json.ts';
import { readText, writeJson } from '../host/files.ts';
import { createJudgeClient } from '../judge/client.ts';
import type { AskJudge, JudgeReply } from '../judge/client-schema.ts';
import { openProxy } from '../recording/server.ts';
import { providerUpstream } from '../recording/upstreams/provider.ts';
import { costOf } from '../wire/cost.ts';
import type { ModelJudge } from './judge-specs.ts';
import { keyOf } from './models.ts';
import type { Experiment, ProviderSpec } from './schema.ts';
import { exists } from './store.ts';

/** What a judge has used. */
export interface JudgeUse {
  judge: string;
  requests: number;
  /** Of them, those answered from earlier replies. */
  cached: number;
  failed: number;
  tokens: { input: number; output: number };
  /** Null when the model has no price. */
  cost: number | null;
}

/** A judge that can be asked; every call goes through the recording proxy. */
export interface JudgeLine {
  judge: ModelJudge;
  /** Asks on behalf of one sample; `onReply` is told the digest under which each reply is kept. */
  ask(sample: number, onReply: (digest: string) => void): AskJudge;
  use: JudgeUse;
}

export interface JudgeLines {
  lines: JudgeLine[];
  close(): Promise<void>;
}

const folder = (dir: string, judge: string): string => join(dir, 'judges', judge);

/** A log that nobody wrote yet: earlier ones are sealed and stay. */
const freshLog = async (dir: string, judge: string): Promise<string> => {
  for (let n = 0; ; n++) {
    const path = join(folder(dir, judge), n === 0 ? 'calls.jsonl' : `calls-${n}.jsonl`);
    if (!(await exists(path)) && !(await exists(`${path}.zst`))) return path;
  }
};

const readReplyFile = async (path: string): Promise<JudgeReply | null> => {
  const value = parseJson((await readText(path)) ?? '');
  return isObject(value) && isObject(value.reply) ? (value.reply as unknown as JudgeReply) : null;
};

const newUse = (judge: string, priced: boolean): JudgeUse => ({
  ...{ judge, requests: 0, cached: 0, failed: 0 },
  tokens: { input: 0, output: 0 },
  cost: priced ? 0 : null,
});

const lineOf = (dir: string, judge: ModelJudge, ask: AskJudge, queue: PQueue, experiment: Experiment): JudgeLine => {
  const { spec, provider, name } = judge;
  const price = experiment.prices[name];
  const use = newUse(spec.id, price !== undefined);
  const count = (reply: JudgeReply): void => {
    use.tokens.input += reply.usage.input ?? 0;
    use.tokens.output += reply.usage.output ?? 0;
    // The usage of a judge's reply has cached tokens within its input, whatever the protocol.
    if (use.cost !== null) use.cost += costOf(reply.usage, price, 'openai-chat') ?? 0;
  };
  return {
    judge,
    use,
    ask: (sample, onReply) => async (request) => {
      const { prompt, maxOutputTokens, show } = request;
      const asked = { v: 1, protocol: provider.protocol, model: name, settings: spec.settings, sample };
      const digest = sha256(canonicalJson({ ...asked, prompt, maxOutputTokens, show: show !== null }));
      const path = join(folder(dir, spec.id), 'replies', `${digest}.json`);
      use.requests++;
      const before = await readReplyFile(path);
      if (before !== null) {
        use.cached++;
        onReply(digest);
        return before;
      }
      const reply = await queue.add(() => ask(request));
      if (reply.finish === 'failed') {
        use.failed++;
        return reply;
      }
      count(reply);
      await writeJson(path, { version: 1, sample, reply });
      onReply(digest);
      return reply;
    },
  };
};

const queueOf = ({ concurrency, rpm }: ProviderSpec): PQueue =>
  new PQueue({
    concurrency: concurrency ?? 4,
    ...(rpm === null ? {} : { interval: 60_000, intervalCap: Math.max(1, Math.floor(rpm)) }),
  });

/**
 * Opens the way to an experiment's judges: one proxy, a token and a log each, one queue a provider. Replies are kept verbatim
 * under a digest of all that could change them; what was answered once is never paid for again, failures are asked again.
 * @throws BenchError('usage') when a key is not set
 */
export const openJudges = async (
  dir: string,
  experiment: Experiment,
  judges: readonly ModelJudge[],
  options: { env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<JudgeLines> => {
  const keys = judges.map((j) => keyOf(j.provider, options.env));
  const proxy = await openProxy({ host: '127.0.0.1', port: 0, prices: experiment.prices });
  const closers: (() => Promise<unknown> | undefined)[] = [];
  const queues = new Map<string, PQueue>();
  const lines: JudgeLine[] = [];
  for (const [i, judge] of judges.entries()) {
    const { spec, provider, name } = judge;
    const key = keys[i] ?? null;
    const { id, protocol, baseUrl } = provider;
    const upstream = providerUpstream({ id, protocol, baseUrl, key });
    const recorded = await proxy.open({
      attempt: `judge-${spec.id}`,
      log: await freshLog(dir, spec.id),
      socket: null,
      models: { [name]: { tier: 'main', upstream } },
      aliases: {},
      stubs: [],
      limits: { calls: null, tokens: null, cost: experiment.maxCost },
      secrets: key === null ? [] : [key],
    });
    closers.push(
      () => recorded.close(),
      () => upstream.close?.(),
    );
    const signal = AbortSignal.any([options.signal, recorded.ended]);
    const backOff = spec.settings.back_off_ms;
    const client = createJudgeClient({
      ...{ protocol, baseUrl: recorded.url, key: recorded.token, model: name, settings: spec.settings, signal },
      ...(typeof backOff === 'number' ? { backOffMs: backOff } : {}),
    });
    const queue = queues.get(id) ?? queueOf(provider);
    queues.set(id, queue);
    lines.push(lineOf(dir, judge, client, queue, experiment));
  }
  const close = async (): Promise<void> => {
    for (const step of closers) await step();
    await proxy.close();
  };
  return { lines, close };
};
