const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);

const count = (haystack: Buffer, needle: Buffer): number => {
  let found = 0;
  for (let at = haystack.indexOf(needle); at !== -1; at = haystack.indexOf(needle, at + needle.length)) found++;
  return found;
};

/**
 * Bytes to text, cut anywhere. A byte order mark is kept: whoever parses the text knows whether it means anything.
 * `replaced` counts the U+FFFD that stand for invalid bytes; those that were sent as such are not counted.
 */
export class Utf8Decoder {
  replaced = 0;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #tail: Uint8Array = new Uint8Array(0);

  /** Text of the characters that are whole by now. */
  write(chunk: Uint8Array): string {
    return this.#count(this.#decoder.decode(chunk, { stream: true }), chunk);
  }

  /** What is left at the end: U+FFFD if the last character was cut. */
  end(): string {
    return this.#count(this.#decoder.decode(), new Uint8Array(0));
  }

  // The bytes of U+FFFD begin with a lead byte, so they are never a part of another character, valid or not:
  // each occurrence is one that was sent. The two last bytes are carried over to find those cut by a chunk's end.
  #count(text: string, chunk: Uint8Array): string {
    const bytes = Buffer.concat([this.#tail, chunk]);
    if (text.includes(REPLACEMENT)) this.replaced += text.split(REPLACEMENT).length - 1;
    if (bytes.length > 2) this.replaced -= count(bytes, REPLACEMENT_BYTES);
    this.#tail = bytes.subarray(Math.max(0, bytes.length - 2));
    return text;
  }
}
