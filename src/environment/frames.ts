/** One piece of a framed stream: whose it is (1 = stdout, 2 = stderr, 3 = a record of the relay) and its bytes. */
export interface Frame {
  kind: number;
  payload: Uint8Array;
}

const HEADER = 8;
/** No sender of ours writes a larger frame; a longer length means that the stream is not framed. */
const LONGEST = 16 * 1024 * 1024;

/**
 * Reads frames of an eight-byte header (kind, three zero bytes, big-endian length) and a payload from chunks cut anywhere.
 * It is the format in which an engine multiplexes an attached container's streams (Docker Engine API, "Attach to a container"),
 * and the one the relay speaks on its standard output. Throws when the bytes are no such stream.
 */
export const createFrameReader = (onFrame: (frame: Frame) => void): ((chunk: Uint8Array) => void) => {
  const header = Buffer.alloc(HEADER);
  let have = 0;
  let left = 0;
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (have < HEADER) {
        const take = Math.min(HEADER - have, chunk.length - at);
        header.set(chunk.subarray(at, at + take), have);
        have += take;
        at += take;
        if (have < HEADER) return;
        left = header.readUInt32BE(4);
        if (header[0] === undefined || header[0] > 3 || header.readUIntBE(1, 3) !== 0 || left > LONGEST) {
          throw new Error('not a framed stream');
        }
      }
      const take = Math.min(left, chunk.length - at);
      if (take > 0) onFrame({ kind: header[0] ?? 0, payload: chunk.subarray(at, at + take) });
      at += take;
      left -= take;
      if (left === 0) have = 0;
    }
  };
};
