import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Bases } from './bases.ts';
import { decodeContent } from './encoding.ts';
import type { BodyLine } from './lines.ts';
import { holdsSecret, redactBytes, type Secrets } from './redact.ts';

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const payload = (bytes: Buffer): { s: string } | { b64: string } =>
  isUtf8(bytes) ? { s: bytes.toString('utf8') } : { b64: bytes.toString('base64') };

/** A body ready for the log. */
export interface Stored {
  line: BodyLine;
  redactions: number;
}

/** Options of a body: `encodings` of its headers, `stream` for event streams, `sha` when its hash was taken as it passed. */
export interface BodyFacts {
  encodings: readonly string[];
  stream: boolean;
  sha?: string;
}

/** Redacts a body. Of a compressed one the content is looked at; it is stored unpacked only when something has to be masked. */
const redactBody = (
  bytes: Buffer,
  secrets: Secrets,
  facts: BodyFacts,
): { bytes: Buffer; redactions: number; undone?: string } => {
  if (facts.encodings.length === 0) return redactBytes(bytes, secrets, facts.stream);
  const content = Buffer.from(decodeContent(bytes, facts.encodings));
  const masked = redactBytes(content, secrets, facts.stream);
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

/**
 * Stores a request: redacted, then as what it shares with the best of the recent ones. When the base held no secret, only the new
 * bytes and the longest secret's length around them can hold one, so the rest is not searched again.
 */
export const storeRequest = (call: number, bytes: Buffer, secrets: Secrets, facts: BodyFacts, bases: Bases): Stored => {
  if (facts.encodings.length > 0) return storeWhole(bytes, secrets, facts);
  const quick = bases.best(bytes);
  if (quick?.clean === true) {
    const { prefix, suffix } = quick.shared;
    const around = bytes.subarray(
      Math.max(0, prefix - secrets.longest),
      Math.min(bytes.length, bytes.length - suffix + secrets.longest),
    );
    if (!holdsSecret(around, secrets)) {
      bases.add(call, bytes, true);
      const middle = payload(bytes.subarray(prefix, bytes.length - suffix));
      const sha = facts.sha ?? hashOf(bytes);
      return { line: { n: bytes.length, sha, of: quick.call, pre: prefix, suf: suffix, ...middle }, redactions: 0 };
    }
  }
  const { bytes: kept, redactions } = redactBytes(bytes, secrets, false);
  const clean = redactions === 0;
  const found = clean ? quick : bases.best(kept);
  bases.add(call, kept, clean);
  const sha = clean && facts.sha !== undefined ? facts.sha : hashOf(kept);
  if (found === null) return { line: { n: kept.length, sha, ...payload(kept) }, redactions };
  const { prefix, suffix } = found.shared;
  const middle = payload(kept.subarray(prefix, kept.length - suffix));
  return { line: { n: kept.length, sha, of: found.call, pre: prefix, suf: suffix, ...middle }, redactions };
};
