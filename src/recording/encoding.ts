import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';

/** A body that unpacks to more than this is not unpacked: it is hostile, or no model call. */
const LARGEST = 256 * 1024 * 1024;

const inflate = (bytes: Uint8Array, options: object): Buffer => {
  try {
    return inflateSync(bytes, options);
  } catch {
    return inflateRawSync(bytes, options);
  }
};

/** Undoes a content-encoding; what cannot be undone stays as it is, a cut body gives what can be had of it. */
const undo = (bytes: Uint8Array, encoding: string): Uint8Array => {
  const limit = { maxOutputLength: LARGEST };
  const zlib = { ...limit, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    if (encoding === 'gzip' || encoding === 'x-gzip') return gunzipSync(bytes, zlib);
    if (encoding === 'deflate') return inflate(bytes, zlib);
    if (encoding === 'br') {
      return brotliDecompressSync(bytes, { ...limit, finishFlush: constants.BROTLI_OPERATION_FLUSH });
    }
    if (encoding === 'zstd') return zstdDecompressSync(bytes, { ...limit, finishFlush: constants.ZSTD_e_flush });
  } catch {
    return bytes;
  }
  return bytes;
};

/** The encodings of a message, outermost last; none for `identity` and for a message without a body of that kind. */
export const encodingsOf = (headers: readonly [string, string][]): string[] =>
  headers
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.split(','))
    .map((e) => e.trim().toLowerCase())
    .filter((e) => e !== '' && e !== 'identity');

/** The content behind a body's encodings (gzip, deflate, br, zstd). Never throws. */
export const decodeContent = (bytes: Uint8Array, encodings: readonly string[]): Uint8Array =>
  encodings.reduceRight<Uint8Array>((content, encoding) => undo(content, encoding), bytes);
