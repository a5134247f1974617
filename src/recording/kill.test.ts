import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { cleanup, folder } from '../../test/fixtures/recording/harness.ts';
import { anthropicEvents, call, fakeUpstream } from '../../test/fixtures/recording/upstream.ts';
import type { Problem } from '../core/problem.ts';
import { openLog, readCalls } from './store.ts';

const CHILD = new URL('../../test/fixtures/recording/proxy-child.ts', import.meta.url).pathname;
const KILLS = process.env.OCTOBENCH_LONG === '1' ? 50 : 3;

const start = async (upstream: string, log: string): Promise<{ child: ChildProcess; url: string; token: string }> => {
  const child = spawn(process.execPath, [CHILD, upstream, log], { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanup.push(async () => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });
  const [line] = (await once(lines, 'line')) as [string];
  return { child, ...(JSON.parse(line) as { url: string; token: string }) };
};

test(`killed ${KILLS} times under load: what a client saw end is in the record, the file is readable, appends go on`, async () => {
  const fake = await fakeUpstream(async (seen, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const e of anthropicEvents(`you sent ${seen.body.length} bytes`)) {
      res.write(e);
      await new Promise((resolve) => setImmediate(resolve));
    }
    res.end();
  });
  cleanup.push(fake.close);
  const log = join(folder, 'calls.jsonl');
  const ended = new Set<number>();
  let next = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const { child, url, token } = await start(fake.url, log);
    let running = true;
    const client = async (): Promise<void> => {
      while (running) {
        const id = next++;
        const body = JSON.stringify({ model: 'm', history: 'h'.repeat(20_000 + (id % 50) * 100), id });
        let text = '';
        const view = await call(url, {
          headers: { 'x-api-key': token },
          body,
          onData: (chunk) => {
            text += chunk.toString();
            // The last event is an end, too: scaffolds act on it.
            if (text.endsWith('{"type":"message_stop"}\n\n')) ended.add(id);
          },
        });
        if (view.clean) ended.add(id);
      }
    };
    const clients = Array.from({ length: 8 }, client);
    await new Promise((resolve) => setTimeout(resolve, 150 + ((kill * 37) % 200)));
    child.kill('SIGKILL');
    running = false;
    await once(child, 'exit');
    await Promise.all(clients);
  }
  const problems: Problem[] = [];
  const complete = new Set<number>();
  let read = 0;
  for await (const record of readCalls(log, { onProblem: (p) => problems.push(p) })) {
    read++;
    const { id } = JSON.parse(Buffer.from(record.request.body.bytes()).toString()) as { id: number };
    if (record.end === 'complete') complete.add(id);
  }
  expect(ended.size).toBeGreaterThan(KILLS);
  expect([...ended].filter((id) => !complete.has(id))).toEqual([]);
  expect(problems.filter((p) => p.kind !== 'bad_line' && p.kind !== 'torn_tail')).toEqual([]);
  expect(problems.length).toBeLessThanOrEqual(KILLS);
  const writer = await openLog(log, { attempt: 'a1', secrets: [] });
  writer.request({
    method: 'POST',
    path: '/',
    protocol: 'other',
    headers: [],
    body: [Buffer.from('{"id":-1}')],
    startedAt: Date.now(),
    partial: false,
  });
  await writer.seal();
  const again: number[] = [];
  for await (const record of readCalls(log)) again.push(record.id);
  expect(again).toHaveLength(read + 1);
  expect(new Set(again).size).toBe(read + 1);
}, 300_000);
