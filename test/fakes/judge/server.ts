import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject, parseJson } from '../../../src/core/json.ts';
import { protocols } from '../../../src/wire/all.ts';
import type { Block, Protocol } from '../../../src/wire/schema.ts';

/** A question as the request asks it. */
export interface AskedQuestion {
  check_id: string;
  category: string;
  question: string;
  found?: string[];
  note?: string;
}

/** What a scripted judge knows: the request, and nothing else. */
export interface AskedRequest {
  system: string;
  /** All text of the user's turns. */
  text: string;
  /** Between the real marks. */
  record: string;
  mark: string;
  questions: AskedQuestion[];
  /** Results of `show`. */
  shown: string[];
}

/** What it does: says a text, calls `show`, or fails. */
export type JudgeAct =
  | string
  | { show: Record<string, unknown> }
  | { status: number; message: string; headers?: Record<string, string> }
  | { text: string; stop: 'length' }
  /** Bytes as they are. */
  | { raw: string; contentType: string };

export interface ScriptedJudge {
  url: string;
  /** Bodies of the requests, as bytes came. */
  bodies: string[];
  asked: AskedRequest[];
  decide: (request: AskedRequest, nth: number) => JudgeAct;
  close(): Promise<void>;
}

const texts = (blocks: readonly Block[]): string =>
  blocks
    .map((b) => (b.type === 'text' ? b.text : ''))
    .filter((t) => t !== '')
    .join('\n');

const readAsked = (protocol: Protocol, body: unknown, path: string): AskedRequest => {
  const { system, messages } = protocols[protocol].readRequest(body, path);
  const blocks = messages.flatMap((m) => m.blocks);
  const roles = messages.filter((m) => (m.role as string) === 'system').flatMap((m) => m.blocks);
  const text = texts(messages.filter((m) => m.role === 'user').flatMap((m) => m.blocks));
  const mark = /=== record (\w+) begins ===/.exec(text)?.[1] ?? '';
  const from = text.indexOf(`=== record ${mark} begins ===`);
  const to = text.lastIndexOf(`=== record ${mark} ends ===`);
  const questions = text
    .slice(to)
    .split('\n')
    .map(parseJson)
    .filter((x): x is Record<string, unknown> => isObject(x) && typeof x.check_id === 'string');
  const shown = blocks.flatMap((b) => (b.type === 'tool_result' ? [texts(b.blocks)] : []));
  return {
    system: texts([...system, ...roles]),
    ...{ text, record: text.slice(from, to), mark, shown },
    questions: questions as unknown as AskedQuestion[],
  };
};

/** A judge behind real HTTP, of any protocol. It decides from the request alone, by the function it is given. */
export const startJudge = async (
  protocol: Protocol,
  decide: (request: AskedRequest, nth: number) => JudgeAct,
): Promise<ScriptedJudge> => {
  const judge: ScriptedJudge = { url: '', bodies: [], asked: [], decide, close: async () => undefined };
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const asked = readAsked(protocol, parseJson(text), request.url ?? '/');
    judge.bodies.push(text);
    judge.asked.push(asked);
    const act = judge.decide(asked, judge.asked.length - 1);
    if (typeof act === 'object' && 'raw' in act) {
      response.writeHead(200, { 'content-type': act.contentType });
      response.end(act.raw);
      return;
    }
    const failed = typeof act === 'object' && 'status' in act;
    const plan = {
      ...{ id: `r${judge.asked.length}`, model: 'judge' },
      blocks:
        typeof act === 'object' && 'show' in act
          ? [{ type: 'tool_call' as const, id: `t${judge.asked.length}`, name: 'show', input: act.show }]
          : [{ type: 'text' as const, text: typeof act === 'string' ? act : 'text' in act ? act.text : '' }],
      stop:
        typeof act === 'object' && 'show' in act
          ? ('tool' as const)
          : typeof act === 'object' && 'stop' in act
            ? act.stop
            : ('end' as const),
      usage: { input: Math.ceil(text.length / 4), output: 50 },
    };
    const reply = failed
      ? protocols[protocol].writeError({ status: act.status, type: 'api_error', message: act.message })
      : protocols[protocol].writeReply(plan, false);
    const more = failed ? Object.entries(act.headers ?? {}).flat() : [];
    response.writeHead(reply.status, [...reply.headers.flat(), ...more]);
    for (const chunk of reply.chunks) response.write(chunk);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  judge.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  judge.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return judge;
};

export interface ScriptedAnswer {
  check_id: string;
  result: string;
  reasoning?: string;
  evidence?: { turn: number; thread: string; quote: string }[];
  grounds?: string;
}

/** The right answer to a control question, read from the request; null for any other question. */
export const controlAnswer = ({ mark }: AskedRequest, { check_id, question }: AskedQuestion): ScriptedAnswer | null => {
  const shown = /carries the mark (\w+)\./.exec(question)?.[1];
  return shown === undefined ? null : { check_id, result: shown === mark ? 'success' : 'fail', evidence: [] };
};

/** A judge that answers control questions rightly and the others by a function of the question. */
export const careful =
  (answer: (question: AskedQuestion, request: AskedRequest) => Omit<ScriptedAnswer, 'check_id'> | null) =>
  (request: AskedRequest): string =>
    JSON.stringify({
      checks: request.questions.flatMap((q) => {
        const control = controlAnswer(request, q);
        if (control !== null) return [control];
        const own = answer(q, request);
        return own === null ? [] : [{ check_id: q.check_id, reasoning: '', evidence: [], grounds: 'absence', ...own }];
      }),
    });
