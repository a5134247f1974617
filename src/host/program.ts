import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The real path of a program on PATH, or null when there is none. */
export const findProgram = async (name: string, env: NodeJS.ProcessEnv): Promise<string | null> => {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, name);
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return realpath(path);
  }
  return null;
};
