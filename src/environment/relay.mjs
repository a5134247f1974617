// The first process of a sandbox. Plain JavaScript without dependencies, so that it runs on the Node 20 of an image too.
// It reads one line of JSON (the job) from its standard input, joins a TCP port of the sandbox to the proxy, runs the steps one after
// the other, and writes frames (see frames.ts) to its standard output: what the steps print, and records that no step can forge,
// since a step's output is a pipe to this process and never its standard output. When standard input ends, octobench is gone: everything is killed.
//
// job: { port: number | null, upstream: {path} | {host, port} | null, user: {uid, gid} | null, cwd, steps: [{argv, env, stdin, capture?}] }
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';

const STDOUT = 1;
const STDERR = 2;
const RECORD = 3;
const HEADER = 8;
/** How long the proxy may take to answer the first request. */
const REACH_MS = 5000;
/** How long output that is still on its way is waited for after a step has exited (a daemon may hold the pipe for ever). */
const DRAIN_MS = 200;
/** What a session id is looked for in. */
const CAPTURE_BYTES = 4 * 1024 * 1024;

/** Writes one frame; false when the reader is slow. */
const frame = (kind, payload) => {
  const head = Buffer.alloc(HEADER);
  head[0] = kind;
  head.writeUInt32BE(payload.length, 4);
  process.stdout.write(head);
  return process.stdout.write(payload);
};
const record = (value) => frame(RECORD, Buffer.from(`${JSON.stringify({ at: Date.now(), ...value })}\n`));

const groups = new Set();
const killAll = () => {
  for (const pid of groups) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The group has no process any more.
    }
  }
};
const finish = () => {
  killAll();
  process.stdout.end(() => process.exit(0));
};
const fail = (why, message) => {
  record({ t: 'fail', why, message });
  finish();
};

// --- the wire -----------------------------------------------------------------------------------------------------------------

/**
 * Follows HTTP/1.1 replies on one connection, only to know whether one is under way when the connection ends: a unix socket has no
 * reset, so a proxy that destroys it in the middle of a reply looks like one that ended it.
 */
const followReplies = () => {
  let state = 'head';
  let text = '';
  let left = 0;
  let seen = false;
  const afterHead = (head) => {
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(status) || status === 101) state = 'unknown';
    else if (status < 200) seen = false;
    else if (status === 204 || status === 304) state = 'head';
    else if (/\r\ntransfer-encoding:[^\r\n]*chunked/i.test(head)) state = 'size';
    else {
      const length = /\r\ncontent-length:\s*(\d+)/i.exec(head)?.[1];
      left = Number(length ?? 0);
      state = length === undefined ? 'unknown' : left > 0 ? 'body' : 'head';
    }
  };
  /** Takes a line or a head that ends in `mark`; returns how many bytes of `chunk` were used, or -1 when more are needed. */
  const until = (mark, chunk, at) => {
    const before = text.length;
    text += chunk.subarray(at).toString('latin1');
    const end = text.indexOf(mark, Math.max(0, before - mark.length));
    if (end < 0) {
      if (text.length > 262_144) state = 'unknown';
      return -1;
    }
    text = text.slice(0, end + mark.length);
    return text.length - before;
  };
  const line = (whole) => {
    if (state === 'head') afterHead(whole);
    else if (state === 'size') {
      left = Number.parseInt(whole, 16);
      if (Number.isNaN(left)) state = 'unknown';
      else state = left === 0 ? 'trailer' : 'chunk';
      left += 2;
    } else if (whole === '\r\n') state = 'head';
  };
  return {
    feed(chunk) {
      seen = true;
      let at = 0;
      while (at < chunk.length && state !== 'unknown') {
        if (state === 'body' || state === 'chunk') {
          const take = Math.min(left, chunk.length - at);
          left -= take;
          at += take;
          if (left === 0) state = state === 'chunk' ? 'size' : 'head';
          continue;
        }
        const used = until(state === 'head' ? '\r\n\r\n' : '\r\n', chunk, at);
        if (used < 0) return;
        at += used;
        const whole = text;
        text = '';
        line(whole);
      }
    },
    underWay: () => !seen || (state !== 'unknown' && (state !== 'head' || text !== '')),
  };
};

/** Carries one connection's bytes both ways, with its half-closes, its ends and its resets. */
const carry = (client, upstream) => {
  const replies = followReplies();
  let asked = false;
  const pour = (from, to, look) => {
    from.on('data', (chunk) => {
      look(chunk);
      if (!to.write(chunk)) from.pause();
    });
    to.on('drain', () => from.resume());
  };
  const cut = () => {
    upstream.destroy();
    if (!client.destroyed) client.write('', () => client.resetAndDestroy());
  };
  pour(client, upstream, () => {
    asked = true;
  });
  pour(upstream, client, replies.feed);
  client.on('end', () => upstream.end());
  upstream.on('end', () => {
    if (asked && replies.underWay()) return cut();
    client.end();
    // An empty write fails when the other side is gone for good and succeeds when it only closed its half.
    if (!upstream.writableEnded) upstream.write(Buffer.alloc(0));
  });
  upstream.on('error', () => (asked && replies.underWay() ? cut() : client.destroySoon()));
  client.on('error', () => upstream.destroy());
  client.on('close', () => upstream.destroy());
};

const openUpstream = (upstream) => connect({ ...upstream, allowHalfOpen: true, noDelay: true });

const listen = (port, upstream) =>
  new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) =>
      carry(client, openUpstream(upstream)),
    );
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });

/** One try to get any HTTP answer from the proxy: null, or why there is none. It is worth another try only where nobody listens yet. */
const ask = (upstream, ms) =>
  new Promise((resolve) => {
    const socket = connect(upstream);
    const done = (why, again = false) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ why, again });
    };
    const timer = setTimeout(() => done('no answer'), ms);
    socket.on('connect', () => socket.write('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n'));
    socket.once('data', (d) => done(d.subarray(0, 5).toString('latin1') === 'HTTP/' ? null : 'no HTTP answer'));
    socket.on('error', (e) => done(e.message, socket.connecting || e.syscall === 'connect'));
    socket.on('close', () => done('closed without an answer'));
  });

const reach = async (upstream) => {
  const until = Date.now() + REACH_MS;
  for (;;) {
    const { why, again } = await ask(upstream, until - Date.now());
    if (!again || Date.now() + 100 > until) return why;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

// --- the steps ----------------------------------------------------------------------------------------------------------------

const fill = (text, session) => text.replaceAll('{{session}}', session ?? '');

const start = (step, job, session) => {
  const [file, ...args] = step.argv.map((a) => fill(a, session));
  const env = { ...process.env };
  for (const [name, value] of Object.entries(step.env)) env[name] = fill(value, session);
  return spawn(file, args, {
    cwd: job.cwd,
    env,
    detached: true,
    stdio: [step.stdin === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    ...(job.user ?? {}),
  });
};

const streamOut = (stream, kind, look) => {
  stream.on('data', (chunk) => {
    look(chunk);
    if (!frame(kind, chunk)) {
      stream.pause();
      process.stdout.once('drain', () => stream.resume());
    }
  });
  stream.on('error', () => {});
};

/** Runs one step; resolves to how it ended and the session id it printed. Output is framed as it comes. */
const run = (step, number, job, session) =>
  new Promise((resolve) => {
    const head = [];
    let size = 0;
    let endedAt;
    record({ t: 'start', step: number });
    const child = start(step, job, session);
    const end = (code, signal) => {
      const printed = Buffer.concat(head).toString('utf8');
      const found = step.capture === undefined ? null : (new RegExp(step.capture).exec(printed)?.[1] ?? null);
      resolve({ code, signal, at: endedAt ?? Date.now(), session: found });
    };
    child.on('error', (e) => {
      if (child.pid !== undefined) return;
      frame(STDERR, Buffer.from(`octobench: cannot start ${step.argv[0]}: ${e.message}\n`));
      end(e.code === 'EACCES' ? 126 : 127, null);
    });
    if (child.pid === undefined) return;
    groups.add(child.pid);
    streamOut(child.stdout, STDOUT, (chunk) => {
      if (step.capture !== undefined && size < CAPTURE_BYTES) head.push(chunk);
      size += chunk.length;
    });
    streamOut(child.stderr, STDERR, () => {});
    child.stdin?.on('error', () => {});
    child.stdin?.end(step.stdin);
    let waiting;
    child.on('exit', (code, signal) => {
      endedAt = Date.now();
      // More output restarts the wait, but not for ever.
      const later = () => {
        clearTimeout(waiting);
        waiting = setTimeout(
          () => end(code, signal),
          Math.max(0, Math.min(DRAIN_MS, endedAt + 5 * DRAIN_MS - Date.now())),
        );
      };
      child.stdout.on('data', later);
      child.stderr.on('data', later);
      later();
    });
    child.on('close', (code, signal) => {
      clearTimeout(waiting);
      end(code, signal);
    });
  });

/** Whether the steps' user can write the workspace and HOME. */
const writable = (job) =>
  new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', 'test -w . && test -w "$HOME"'], {
      cwd: job.cwd,
      stdio: 'ignore',
      ...(job.user ?? {}),
    });
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
  });

const main = async (job) => {
  if (!(await writable(job)))
    return fail('workspace_not_writable', `${job.cwd} or HOME cannot be written by the sandbox's user`);
  if (job.upstream !== null) {
    const why = await reach(job.upstream);
    if (why !== null) return fail('proxy_unreachable', `the proxy does not answer from inside the sandbox: ${why}`);
    if (job.port !== null) await listen(job.port, job.upstream);
  }
  let session = null;
  for (const [number, step] of job.steps.entries()) {
    const ended = await run(step, number, job, session);
    session = ended.session ?? session;
    record({ t: 'end', step: number, code: ended.code, signal: ended.signal, at: ended.at });
    if (ended.code !== 0) break;
    const next = job.steps[number + 1];
    const needs = next !== undefined && JSON.stringify([next.argv, next.env]).includes('{{session}}');
    if (needs && session === null) {
      record({ t: 'note', message: `step ${number} printed no session id, so step ${number + 1} was not run` });
      break;
    }
  }
  record({ t: 'done' });
  finish();
};

let line = Buffer.alloc(0);
let started = false;
process.stdin.on('data', (chunk) => {
  if (started) return;
  line = Buffer.concat([line, chunk]);
  const end = line.indexOf(10);
  if (end < 0) return;
  started = true;
  main(JSON.parse(line.subarray(0, end).toString('utf8'))).catch((e) => fail('relay', String(e?.message ?? e)));
});
process.stdin.on('end', () => {
  killAll();
  process.exit(1);
});
process.stdout.on('error', () => {
  killAll();
  process.exit(1);
});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
