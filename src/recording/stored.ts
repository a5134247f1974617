import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Bases, Best } from './bases.ts';
import { onBase } from './delta.ts';
import { decodeContent } from './encoding.ts';
import type { BodyLine } from './lines.ts';
import { holdsSecret, redactBytes, type Secrets } from './redact.ts';
import { Rope } from './rope.ts';

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const payload = (bytes: Buffer): { s: string } | { b64: string } =>
  isUtf8(bytes) ? { s: bytes.toString('utf8') } : { b64: bytes.toString('base64') };

/** A body ready for the log. */
export interface Stored {
  line: BodyLine;
  redactions: number;
}

/** Options of a body: `encodings` of its headers, `pieces` says how a secret may be cut in it, `sha` when its hash was taken as it passed. */
export interface BodyFacts {
  encodings: readonly string[];
  pieces: 'whole' | 'stream' | 'lists';
  sha?: string;
}

/** Redacts a body. Of a compressed one the content is looked at; it is stored unpacked only when something has to be masked. */
const redactBody = (
  bytes: Buffer,
  secrets: Secrets,
  facts: BodyFacts,
): { bytes: Buffer; redactions: number; undone?: string } => {
  if (facts.encodings.length === 0) return redactBytes(bytes, secrets, facts.pieces);
  const content = Buffer.from(decodeContent(bytes, facts.encodings));
  const masked = redactBytes(content, secrets, facts.pieces);
  if (masked.redactions === 0) return { bytes, redactions: 0 };
  return { ...masked, undone: facts.encodings.join(', ') };
};

/** Stores a body whole: replies, and requests that share nothing. */
export const storeWhole = (bytes: Buffer, secrets: Secrets, facts: BodyFacts): Stored => {
  const { bytes: kept, redactions, undone } = redactBody(bytes, secrets, facts);
  const sha = kept === bytes && facts.sha !== undefined ? facts.sha : hashOf(kept);
  return {
    line: { n: kept.length, sha, ...payload(kept), ...(undone === undefined ? {} : { undone }) },
    redactions,
  };
};

const onTop = (sha: string, length: number, base: Best, middle: Buffer): BodyLine => {
  const { prefix, suffix } = base.shared;
  return { n: length, sha, of: base.call, pre: prefix, suf: suffix, ...payload(middle) };
};

/**
 * Stores a request: redacted, then as what it shares with the best of the recent ones. When the base held no secret, only the new
 * bytes and the longest secret's length around them can hold one, so the rest is not searched again.
 */
export const storeRequest = (call: number, body: Rope, secrets: Secrets, facts: BodyFacts, bases: Bases): Stored => {
  if (facts.encodings.length > 0) return storeWhole(body.bytes(), secrets, facts);
  const quick = bases.best(body);
  if (quick?.clean === true) {
    const { prefix, suffix } = quick.shared;
    const [start, end] = [prefix, body.length - suffix];
    const around = body.bytes(Math.max(0, start - secrets.longest), Math.min(body.length, end + secrets.longest));
    if (!holdsSecret(around, secrets)) {
      const middle = body.bytes(start, end);
      bases.add(call, onBase(quick.rope, quick.shared, middle), true);
      return { line: onTop(facts.sha ?? hashOf(body.bytes()), body.length, quick, middle), redactions: 0 };
    }
  }
  const bytes = body.bytes();
  const { bytes: kept, redactions } = redactBytes(bytes, secrets, 'whole');
  const clean = redactions === 0;
  const rope = new Rope([kept]);
  const found = clean ? quick : bases.best(rope);
  bases.add(call, rope, clean);
  const sha = clean && facts.sha !== undefined ? facts.sha : hashOf(kept);
  if (found === null) return { line: { n: kept.length, sha, ...payload(kept) }, redactions };
  const { prefix, suffix } = found.shared;
  return { line: onTop(sha, kept.length, found, kept.subarray(prefix, kept.length - suffix)), redactions };
};
