import { crc32 } from 'node:zlib';
import { isObject, parseJson } from '../core/json.ts';
import type { Protocol } from '../wire/schema.ts';
import type { CallEnd } from './schema.ts';

/** A body in the log: whole, or as what it shares with the request of call `of`. Text is `s`, anything else `b64`. */
export interface BodyLine {
  /** Length in bytes. */
  n: number;
  /** sha256 of the stored body, whole. */
  sha: string;
  of?: number;
  pre?: number;
  suf?: number;
  s?: string;
  b64?: string;
  /** The content-encoding that was undone before storing, since a secret had to be masked inside. */
  undone?: string;
}

export interface OpenLine {
  t: 'open';
  v: 1;
  attempt: string;
  wall: string;
}

export interface RequestLine {
  t: 'req';
  c: number;
  at: number;
  m: string;
  p: string;
  proto: Protocol | 'other';
  h: [string, string][] | number;
  b: BodyLine;
  part?: true;
}

export interface ResponseLine {
  t: 'res';
  c: number;
  at: number;
  st: number | null;
  h: [string, string][];
  up: string | null;
  b: BodyLine;
  cuts: [at: number, length: number][];
  end: CallEnd;
  /** What stood behind the end. */
  why?: string;
  /** The model's name at the upstream, where the proxy changed it. */
  as?: string;
  redactions: number;
}

export type LogLine = OpenLine | RequestLine | ResponseLine;

const KEY = Buffer.from(',"k":"');
const TAIL = KEY.length + 8 + 2;
const ROOM = ' '.repeat(TAIL);

const checksum = (text: string | Uint8Array): string => crc32(text).toString(16).padStart(8, '0');

/** One line of the log with its newline; `k` is the CRC-32 of everything before it. */
export const encodeLine = (line: LogLine): Buffer => {
  const json = JSON.stringify(line);
  if (line.t === 'open') return Buffer.from(`${json}\n`);
  // Room for the check sum is made in the text, so that the line is turned into bytes once.
  const bytes = Buffer.from(`${json}${ROOM}`);
  const end = bytes.length - ROOM.length - 1;
  bytes.write(`,"k":"${checksum(bytes.subarray(0, end))}"}\n`, end, 'latin1');
  return bytes;
};

/** Reads one line (without its newline): the line, or what is wrong with it. */
export const decodeLine = (bytes: Buffer): { line: LogLine } | { wrong: string } => {
  const parsed = parseJson(bytes.toString('utf8'));
  if (!isObject(parsed)) return { wrong: bytes.includes(0) ? 'NUL bytes' : 'no JSON object' };
  if (parsed.t === 'open') {
    return typeof parsed.wall === 'string' && typeof parsed.attempt === 'string'
      ? { line: parsed as unknown as OpenLine }
      : { wrong: 'an open line without attempt or wall' };
  }
  if (parsed.t !== 'req' && parsed.t !== 'res') return { wrong: `unknown line type ${JSON.stringify(parsed.t)}` };
  const at = bytes.length - TAIL;
  if (at < 0 || bytes.compare(KEY, 0, KEY.length, at, at + KEY.length) !== 0) return { wrong: 'no check sum' };
  if (checksum(bytes.subarray(0, at)) !== parsed.k) return { wrong: 'the check sum does not match' };
  return { line: parsed as unknown as LogLine };
};
