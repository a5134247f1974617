import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The text of a file, or null when there is none. */
export const readText = async (path: string): Promise<string | null> => {
  try {
    return await readFile(path, 'utf8');
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw e;
  }
};

/** Writes a whole file or nothing: beside it, synced, then renamed over it; folders are made. */
export const writeAtomic = async (path: string, data: string | Uint8Array): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    const file = await open(beside, 'wx');
    try {
      await file.writeFile(data);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
    const folder = await open(dirname(path), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (e) {
    await rm(beside, { force: true });
    throw e;
  }
};

/** `writeAtomic` of indented JSON with a newline at its end. */
export const writeJson = (path: string, value: unknown): Promise<void> =>
  writeAtomic(path, `${JSON.stringify(value, null, 1)}\n`);
