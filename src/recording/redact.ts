import { maskSplit } from './split-secrets.ts';

/** Shorter values are no secrets: masking them would eat the record. */
const SHORTEST = 4;

/** Headers whose value never reaches the disk, whatever it is. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
  'set-cookie',
]);

/** What stands in the place of a masked header value. */
const REDACTED = '[redacted]';

/** A mask as long as what it hides, so that lengths and chunk boundaries of the record stay those of the wire. */
export const maskOf = (length: number): string =>
  length < REDACTED.length ? '*'.repeat(length) : REDACTED + '*'.repeat(length - REDACTED.length);

/** The secrets of a record in every form they are looked for, as latin1 text of their bytes. */
export interface Secrets {
  forms: readonly string[];
  /** The same as bytes. */
  needles: readonly Buffer[];
  /** Length of the longest form. */
  longest: number;
}

// Base64 of a text that holds the secret: one form for each place it can start at, less the characters its neighbours have a share in.
const base64Forms = (secret: string): string[] =>
  [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const whole = Math.floor((bytes.length * 8) / 6);
    const core = bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), whole);
    return core.length < 6 ? [] : [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });

const formsOf = (secret: string): string[] => {
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = [...Buffer.from(secret)]
    .map((b) => {
      const c = String.fromCharCode(b);
      return /[A-Za-z0-9_.~-]/.test(c) ? c : `%${b.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
  return [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    percent,
    percent.replace(/%../g, (x) => x.toLowerCase()),
    encodeURIComponent(secret.toWellFormed()),
    encodeURI(secret.toWellFormed()),
    ...base64Forms(secret),
  ];
};

/** Prepares values that must not reach the disk; the longest forms come first, so that no part of one is left standing. */
export const prepareSecrets = (values: readonly string[]): Secrets => {
  const forms = new Set(
    values.filter((v) => v.length >= SHORTEST).flatMap((v) => formsOf(v).map((f) => Buffer.from(f).toString('latin1'))),
  );
  const sorted = [...forms].sort((a, b) => b.length - a.length);
  return { forms: sorted, needles: sorted.map((f) => Buffer.from(f, 'latin1')), longest: sorted[0]?.length ?? 0 };
};

/** Masks every form in place; returns the number of spans masked. `bytes` is changed. */
const maskLiterals = (bytes: Buffer, secrets: Secrets): number => {
  let masked = 0;
  for (const needle of secrets.needles) {
    for (let i = bytes.indexOf(needle); i >= 0; i = bytes.indexOf(needle, i + needle.length)) {
      bytes.write(maskOf(needle.length), i, 'latin1');
      masked++;
    }
  }
  return masked;
};

/** True when a form of a secret occurs as it stands in `bytes`. */
export const holdsSecret = (bytes: Uint8Array, secrets: Secrets): boolean => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return secrets.needles.some((needle) => buffer.includes(needle));
};

/**
 * Masks secrets in a body. Lengths do not change. `stream` also looks for secrets that are cut over the deltas of an event stream,
 * `lists` for those cut over the strings of a list as well, and masks each part. The given bytes are left alone; without a secret they are returned as they are.
 */
export const redactBytes = (
  bytes: Buffer,
  secrets: Secrets,
  pieces: 'whole' | 'stream' | 'lists',
): { bytes: Buffer; redactions: number } => {
  let out = bytes;
  let redactions = 0;
  if (holdsSecret(bytes, secrets)) {
    out = Buffer.from(bytes);
    redactions = maskLiterals(out, secrets);
  }
  const spans = pieces === 'whole' ? [] : maskSplit(out, secrets.forms, pieces === 'lists');
  if (spans.length > 0) {
    out = out === bytes ? Buffer.from(bytes) : out;
    for (const { start, end } of spans) out.write(maskOf(end - start), start, 'latin1');
  }
  return { bytes: out, redactions: redactions + spans.length };
};

/** Masks secrets in a short text (a path, a header value, a message). */
export const redactText = (text: string, secrets: Secrets): string => {
  const bytes = Buffer.from(text);
  const out = redactBytes(bytes, secrets, 'whole').bytes;
  return out === bytes ? text : out.toString();
};

/** Headers as they go to disk: names in lower case, key headers hidden whole, secrets in all others masked. */
export const redactHeaders = (headers: readonly [string, string][], secrets: Secrets): [string, string][] => {
  // One look at all of them: as a rule there is nothing to mask.
  const tainted = holdsSecret(Buffer.from(headers.map(([, value]) => value).join('\n')), secrets);
  return headers.map(([name, value]) => {
    const key = name.toLowerCase();
    return [key, SECRET_HEADERS.has(key) ? REDACTED : tainted ? redactText(value, secrets) : value];
  });
};

/**
 * Masks every occurrence of the secrets in a text: plain, percent-encoded, JSON-escaped and base64 forms, and secrets cut over the
 * deltas of an event stream or the strings of a list. Values under four characters are not looked for.
 */
export const redact = (text: string, secrets: string[]): string => {
  const bytes = Buffer.from(text);
  const out = redactBytes(bytes, prepareSecrets(secrets), 'lists').bytes;
  return out === bytes ? text : out.toString();
};
