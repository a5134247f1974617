import { createHash } from 'node:crypto';

/** Hex sha256 of a string (as UTF-8) or of bytes. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

const SAFE = /^[a-z0-9][a-z0-9_.-]*$/;
const HASHED = /-[0-9a-f]{10}$/;
const LONGEST = 63;
const hashOf = (id: string): string => sha256(id).slice(0, 10);

/** Always hashed: a slug of at most 52 characters, `-`, ten hex digits of the sha256 of `id`. */
export const hashedName = (id: string): string => {
  const slug = id
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, LONGEST - 11)
    .replace(/[-.]+$/, '');
  return `${slug === '' ? 'x' : slug}-${hashOf(id)}`;
};

/**
 * A name for files and containers: at most 63 characters, lower case, never two ids with one name.
 * An id that is already safe stays as it is, unless it looks like a hashed one (docs/formats/experiment.md).
 */
export const safeName = (id: string): string =>
  id.length <= LONGEST && SAFE.test(id) && !id.endsWith('.') && !HASHED.test(id) ? id : hashedName(id);
