import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Sandbox, SandboxSpec, SessionEnd, Step } from '../../src/environment/schema.ts';

/** How the cases open a sandbox and run steps in it. */
export type Within = <T>(use: (s: Sandbox) => Promise<T>, over?: Partial<SandboxSpec>) => Promise<T>;
export type Play = (s: Sandbox, steps: Step[], signal?: AbortSignal) => Promise<SessionEnd>;

export const FIXTURE: string = join(import.meta.dirname, '../fixtures/environment/cart');
export const NODE: string = process.execPath;
export const INSIDE_NODE = '/opt/node/bin/node';

/** A proxy that answers every request with its path, and destroys the connection in the middle of `/cut`. */
export const openProxy = async (folder: string): Promise<{ socket: string; url: string; close(): Promise<void> }> => {
  const server = () =>
    createServer((req, res) => {
      if (req.url !== '/cut') return void res.end(`proxy saw ${req.url}`);
      res.writeHead(200, { 'content-type': 'text/plain' });
      res.write('half of it');
      setTimeout(() => res.destroy(), 50);
    });
  const onSocket = server();
  const onPort = server();
  const socket = join(folder, 'p.sock');
  await new Promise<void>((resolve) => onSocket.listen(socket, resolve));
  await new Promise<void>((resolve) => onPort.listen(0, '127.0.0.1', resolve));
  return {
    socket,
    url: `http://127.0.0.1:${(onPort.address() as AddressInfo).port}`,
    async close() {
      for (const s of [onSocket, onPort]) {
        s.closeAllConnections();
        await new Promise((resolve) => s.close(resolve));
      }
    },
  };
};

export const sh = (script: string, more: Partial<Step> = {}): Step => ({
  argv: ['/bin/sh', '-c', script],
  env: {},
  stdin: null,
  ...more,
});

/** Runs a snippet with the sandbox's Node. */
export const js = (node: string, code: string, env: Record<string, string> = {}): Step => ({
  argv: [node, '-e', code],
  env,
  stdin: null,
});

/** Pids of this machine whose command line holds `text`. */
export const processesWith = async (text: string): Promise<string[]> => {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((n) => /^\d+$/.test(n))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (line.includes(text)) found.push(pid);
  }
  return found;
};

export const until = async (what: () => Promise<boolean>, ms = 5000): Promise<boolean> => {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    if (await what()) return true;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return what();
};

/** A process that ignores SIGTERM, a daemon that left its session and its parent, and a grandchild; each is found by `mark`. */
export const stubborn = (mark: string): string =>
  `trap '' TERM INT HUP; (setsid sh -c "trap '' TERM; while :; do sleep 0.2; done; : ${mark}" >/dev/null 2>&1 &); sh -c "while :; do sleep 0.2; done; : ${mark}" & `;
