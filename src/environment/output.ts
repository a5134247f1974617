/** Keeps the head and the tail of a stream in bounded memory. */
export interface KeptOutput {
  push(chunk: Uint8Array): void;
  /** Bytes that are in neither head nor tail. */
  dropped(): number;
  /** Head and tail as text (invalid UTF-8 becomes U+FFFD), with a mark on its own line where bytes were dropped. */
  text(): string;
}

/** A character cut by the border between head and tail is dropped whole: continuation bytes at the tail's start. */
const skipContinuation = (bytes: Uint8Array): number => {
  let n = 0;
  while (n < 3 && n < bytes.length && ((bytes[n] ?? 0) & 0xc0) === 0x80) n++;
  return n;
};

/** Where the last whole character of `bytes` ends. */
const wholeEnd = (bytes: Uint8Array): number => {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const b = bytes[bytes.length - back] ?? 0;
    if ((b & 0xc0) === 0x80) continue;
    const size = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : b >= 0xc0 ? 2 : 1;
    return size > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
};

/** `limit` bytes are kept: half from the head, half from the tail. Memory stays below twice the limit and one chunk. */
export const keepOutput = (limit: number): KeptOutput => {
  const headLimit = Math.ceil(limit / 2);
  const tailLimit = Math.floor(limit / 2);
  const head: Uint8Array[] = [];
  let headSize = 0;
  let tail: Uint8Array[] = [];
  let tailSize = 0;
  let total = 0;
  const trim = (): Buffer => {
    const all = Buffer.concat(tail);
    const kept = all.subarray(Math.max(0, all.length - tailLimit));
    tail = [Buffer.from(kept)];
    tailSize = kept.length;
    return kept;
  };
  return {
    push(chunk) {
      total += chunk.length;
      const forHead = chunk.subarray(0, Math.max(0, headLimit - headSize));
      if (forHead.length > 0) {
        head.push(Uint8Array.from(forHead));
        headSize += forHead.length;
      }
      const rest = chunk.subarray(forHead.length);
      if (rest.length === 0) return;
      tail.push(Uint8Array.from(rest.subarray(Math.max(0, rest.length - tailLimit))));
      tailSize += tail.at(-1)?.length ?? 0;
      if (tailSize > 2 * tailLimit || tail.length > 4096) trim();
    },
    dropped: () => Math.max(0, total - headSize - Math.min(tailSize, tailLimit)),
    text() {
      const first = Buffer.concat(head);
      const last = trim();
      const missing = total - first.length - last.length;
      if (missing <= 0) return Buffer.concat([first, last]).toString('utf8');
      const shownHead = first.subarray(0, wholeEnd(first)).toString('utf8');
      const shownTail = last.subarray(skipContinuation(last)).toString('utf8');
      return `${shownHead}\n[octobench: ${missing} bytes left out]\n${shownTail}`;
    },
  };
};
