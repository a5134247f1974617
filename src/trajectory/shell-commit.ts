import type { Argument } from './shell-words.ts';

/** The message of `git commit`; null when an editor writes it, or when it is not fixed text. */
export const commitMessage = (
  args: readonly Argument[],
  input: string | null,
  readFile: (path: string) => string | null,
): string | null => {
  const parts: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const text = args[i]?.text ?? '';
    if (text === '--') break;
    const given = optionValue(args, i, 'm', '--message');
    if (given !== null) {
      if (!given.value.fixed) return null;
      parts.push(given.value.text);
      i += given.used;
      continue;
    }
    const file = optionValue(args, i, 'F', '--file');
    if (file === null) continue;
    const content = file.value.text === '-' ? input : file.value.fixed ? readFile(file.value.text) : null;
    if (content === null) return null;
    parts.push(content);
    i += file.used;
  }
  return parts.length === 0 ? null : parts.map((part) => part.trim()).join('\n\n');
};

/** The value of an option at `i`: `-m X`, `-mX`, `-am X`, `--message X`, `--message=X`. */
const optionValue = (
  args: readonly Argument[],
  i: number,
  letter: string,
  long: string,
): { value: Argument; used: number } | null => {
  const arg = args[i] as Argument;
  const next = args[i + 1];
  if (arg.text === long || new RegExp(`^-[a-zA-Z]*${letter}$`).test(arg.text))
    return next === undefined ? null : { value: next, used: 1 };
  if (arg.text.startsWith(`${long}=`)) return { value: { ...arg, text: arg.text.slice(long.length + 1) }, used: 0 };
  const attached = new RegExp(`^-[a-z]*?${letter}(.+)$`, 's').exec(arg.text);
  if (arg.text.startsWith('--') || attached === null) return null;
  return { value: { ...arg, text: (attached[1] ?? '').replace(/^=/, '') }, used: 0 };
};
