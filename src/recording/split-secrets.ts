/** A stretch of a text to be masked. */
export interface Span {
  start: number;
  end: number;
}

// The fields in which streamed text arrives, in any of the protocols; `index` tells parallel blocks apart.
const FIELD =
  '"(text|thinking|partial_json|signature|content|reasoning_content|reasoning|refusal|arguments|delta|data|input)"\\s*:';
const STRING = '"((?:[^"\\\\]|\\\\.)*)"';
const IN_STREAM = new RegExp(`"index"\\s*:\\s*(\\d+)|${FIELD}\\s*${STRING}`, 'g');
// Elsewhere, the strings of a list can be pieces too: a string after a comma or a bracket that is no key.
const ANYWHERE = new RegExp(`"index"\\s*:\\s*(\\d+)|(?:${FIELD}|[[,])\\s*${STRING}(?!\\s*:)`, 'g');

interface Piece {
  /** Where its first raw character stands. */
  at: number;
  raw: string;
  value: string;
}

const unescapeJson = (raw: string): string => {
  if (!raw.includes('\\')) return raw;
  try {
    // Beyond ASCII the text is latin1 of UTF-8 bytes; escapes above it become bytes too, so that both are searched alike.
    return raw.replace(/\\(?:u[0-9a-fA-F]{4}|.)/g, (e) =>
      Buffer.from(JSON.parse(`"${e}"`) as string).toString('latin1'),
    );
  } catch {
    return raw;
  }
};

const collect = (text: string, pattern: RegExp): Map<string, Piece[]> => {
  const streams = new Map<string, Piece[]>();
  let index = '';
  for (const m of text.matchAll(pattern)) {
    if (m[1] !== undefined) {
      index = m[1];
      continue;
    }
    const raw = m[3] ?? '';
    if (raw === '') continue;
    const key = `${m[2] ?? 'list'} ${index}`;
    const piece = { at: m.index + m[0].length - 1 - raw.length, raw, value: unescapeJson(raw) };
    const list = streams.get(key);
    if (list === undefined) streams.set(key, [piece]);
    else list.push(piece);
  }
  return streams;
};

/** The raw stretch behind characters `from`..`to` of a piece's value. */
const rawSpan = (piece: Piece, from: number, to: number): Span => {
  if (piece.raw === piece.value) return { start: piece.at + from, end: piece.at + to };
  let seen = 0;
  let start = piece.at;
  let end = piece.at;
  for (const m of piece.raw.matchAll(/\\(?:u[0-9a-fA-F]{4}|.)|[^\\]/g)) {
    const width = unescapeJson(m[0]).length;
    if (seen < to && seen + width > from) {
      if (seen <= from) start = piece.at + m.index;
      end = piece.at + m.index + m[0].length;
    }
    seen += width;
  }
  return { start, end };
};

const spansIn = (pieces: readonly Piece[], forms: readonly string[]): Span[] => {
  const joined = pieces.map((p) => p.value).join('');
  const spans: Span[] = [];
  for (const form of forms) {
    for (let hit = joined.indexOf(form); hit >= 0; hit = joined.indexOf(form, hit + form.length)) {
      let offset = 0;
      for (const piece of pieces) {
        const from = Math.max(hit - offset, 0);
        const to = Math.min(hit + form.length - offset, piece.value.length);
        if (from < to) spans.push(rawSpan(piece, from, to));
        offset += piece.value.length;
        if (offset >= hit + form.length) break;
      }
    }
  }
  return spans;
};

/**
 * The parts of secrets that are cut over the deltas of an event stream: each delta is clean by itself, their joined text is not.
 * Works on bytes; `lists` also looks at the strings of JSON lists. `forms` are latin1 texts of the secrets' bytes. A secret inside one delta is found by a plain search before this one.
 */
export const maskSplit = (bytes: Buffer, forms: readonly string[], lists: boolean): Span[] => {
  if (forms.length === 0) return [];
  const spans: Span[] = [];
  for (const pieces of collect(bytes.toString('latin1'), lists ? ANYWHERE : IN_STREAM).values()) {
    if (pieces.length > 1) spans.push(...spansIn(pieces, forms));
  }
  return spans;
};
