/** One member of a tar archive. `name` and `link` are byte paths as they stand in the archive. */
export interface TarEntry {
  name: string;
  kind: 'file' | 'folder' | 'symlink' | 'hardlink' | 'other';
  mode: number;
  size: number;
  link: string;
  /** A file's content; what is not read is skipped. */
  body: AsyncIterable<Uint8Array>;
}

const BLOCK = 512;
/** The longest extended header that is read into memory. */
const HEADER_LIMIT = 1024 * 1024;

/** Bytes of a stream, taken in any amounts. */
const createTaker = (source: AsyncIterable<Uint8Array>) => {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array();
  const some = async (most: number): Promise<Uint8Array | null> => {
    while (rest.length === 0) {
      const next = await chunks.next();
      if (next.done === true) return null;
      rest = next.value;
    }
    const part = rest.subarray(0, most);
    rest = rest.subarray(part.length);
    return part;
  };
  const exactly = async (size: number): Promise<Buffer | null> => {
    const parts: Uint8Array[] = [];
    let have = 0;
    while (have < size) {
      const part = await some(size - have);
      if (part === null) return null;
      parts.push(part);
      have += part.length;
    }
    return Buffer.concat(parts);
  };
  return { some, exactly };
};

const text = (block: Buffer, at: number, length: number): string => {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString('latin1');
};

/** Octal text, or (first bit set) a big-endian binary number. */
const number = (block: Buffer, at: number, length: number): number => {
  const first = block[at] ?? 0;
  if ((first & 0x80) === 0) return Number.parseInt(text(block, at, length).trim() || '0', 8);
  return block.subarray(at + 1, at + length).reduce((n, b) => n * 256 + b, first & 0x7f);
};

/** `<length> <key>=<value>\n` records of a pax header. */
const paxRecords = (data: Buffer): Map<string, string> => {
  const records = new Map<string, string>();
  const all = data.toString('latin1');
  for (let at = 0; at < all.length; ) {
    const space = all.indexOf(' ', at);
    const length = Number(all.slice(at, space));
    if (space < 0 || !Number.isInteger(length) || length <= 0) break;
    const record = all.slice(space + 1, at + length - 1);
    const equals = record.indexOf('=');
    if (equals > 0) records.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return records;
};

const KINDS: Record<string, TarEntry['kind']> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '5': 'folder',
};

const checked = (block: Buffer): Buffer => {
  let sum = 8 * 32;
  for (const [i, b] of block.entries()) if (i < 148 || i >= 156) sum += b;
  if (sum !== number(block, 148, 8)) throw new Error('not a tar archive: a header does not add up');
  return block;
};

/** Reads a tar archive (ustar with pax and GNU long names, POSIX.1-2001). Throws on what is none, or is cut short. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const take = createTaker(source);
  let pax = new Map<string, string>();
  for (;;) {
    const block = await take.exactly(BLOCK);
    if (block === null) throw new Error('the archive is cut short');
    if (block.every((b) => b === 0)) return;
    checked(block);
    const type = String.fromCharCode(block[156] ?? 0);
    const size = Number(pax.get('size') ?? number(block, 124, 12));
    const padded = Math.ceil(size / BLOCK) * BLOCK;
    if ('xgLK'.includes(type)) {
      if (size > HEADER_LIMIT) throw new Error('not a tar archive: an extended header is too long');
      const data = (await take.exactly(padded))?.subarray(0, size);
      if (data === undefined) throw new Error('the archive is cut short');
      if (type === 'x') for (const [key, value] of paxRecords(data)) pax.set(key, value);
      else if (type === 'L') pax.set('path', text(data, 0, size));
      else if (type === 'K') pax.set('linkpath', text(data, 0, size));
      continue;
    }
    const prefix = block.subarray(257, 262).toString('latin1') === 'ustar' ? text(block, 345, 155) : '';
    const short = text(block, 0, 100);
    let left = size;
    let unread = padded;
    const body = async function* (): AsyncGenerator<Uint8Array> {
      while (left > 0) {
        const part = await take.some(left);
        if (part === null) throw new Error('the archive is cut short');
        left -= part.length;
        unread -= part.length;
        yield part;
      }
    };
    yield {
      name: pax.get('path') ?? (prefix === '' ? short : `${prefix}/${short}`),
      kind: KINDS[type] ?? 'other',
      mode: number(block, 100, 8) & 0o777,
      size,
      link: pax.get('linkpath') ?? text(block, 157, 100),
      body: body(),
    };
    while (unread > 0) {
      const part = await take.some(unread);
      if (part === null) throw new Error('the archive is cut short');
      unread -= part.length;
    }
    pax = new Map();
  }
}

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;

/** What fits into the fields for a name and a link. */
const SHORT = 100;

const headerBlock = (name: string, type: string, size: number, mode: number, link = ''): Buffer => {
  const block = Buffer.alloc(BLOCK);
  block.write(name.slice(0, SHORT), 0, 'latin1');
  block.write(link.slice(0, SHORT), 157, 'latin1');
  block.write(octal(mode, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(0, 12), 100, 'latin1');
  block.write(`        ${type}`, 148, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((n, b) => n + b, 0);
  block.write(`${octal(sum, 7)} `, 148, 'latin1');
  return block;
};

const padding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/** A file or a link to write. Names are ordinary paths. */
export type TarFile = { name: string; content: string | Uint8Array; mode?: number } | { name: string; link: string };

const longField = (key: string, value: string): Buffer => {
  const record = ` ${key}=${value}\n`;
  let length = record.length + 1;
  while (`${length}${record}`.length !== length) length = `${length}${record}`.length;
  const pax = Buffer.from(`${length}${record}`, 'latin1');
  return Buffer.concat([headerBlock('pax', 'x', pax.length, 0o644), pax, padding(pax.length)]);
};

/** A tar archive of files and links, all owned by root and dated 1970: equal files give equal bytes. */
export const writeTar = (files: readonly TarFile[]): Buffer => {
  const parts: Buffer[] = [];
  for (const file of files) {
    const name = Buffer.from(file.name).toString('latin1');
    const link = 'link' in file ? Buffer.from(file.link).toString('latin1') : '';
    const data = 'link' in file ? Buffer.alloc(0) : Buffer.from(file.content as string);
    if (name.length > SHORT) parts.push(longField('path', name));
    if (link.length > SHORT) parts.push(longField('linkpath', link));
    const mode = 'link' in file ? 0o777 : (file.mode ?? 0o644);
    parts.push(headerBlock(name, 'link' in file ? '2' : '0', data.length, mode, link), data, padding(data.length));
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
};
