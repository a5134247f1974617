import type { HereDoc, ParsedScript, Redirection, Word, WordPart } from 'unbash';

/** A word as the shell would pass it on; `fixed` = no expansion that only a run could tell. */
export interface Argument {
  text: string;
  fixed: boolean;
  /** Holds an unquoted glob. */
  glob: boolean;
}

/** Variables whose values are known: set earlier in the same script to fixed text. */
export type Variables = Map<string, string>;

interface Resolved {
  text: string;
  fixed: boolean;
}

const NAME = /^\$\{?([A-Za-z_]\w*)\}?$/;

const resolveAll = (parts: readonly WordPart[], vars: Variables): Resolved => {
  const done = parts.map((part) => resolvePart(part, vars));
  return { text: done.map((d) => d.text).join(''), fixed: done.every((d) => d.fixed) };
};

const resolvePart = (part: WordPart, vars: Variables): Resolved => {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return { text: part.value, fixed: true };
    case 'DoubleQuoted':
    case 'LocaleString':
      return resolveAll(part.parts, vars);
    case 'SimpleExpansion':
    case 'ParameterExpansion': {
      const name = NAME.exec(part.text)?.[1];
      const value = name === undefined ? undefined : vars.get(name);
      return value === undefined ? { text: part.text, fixed: false } : { text: value, fixed: true };
    }
    case 'CommandExpansion':
      return printedText(part.script, vars) ?? { text: part.text, fixed: false };
    case 'Glob':
      return { text: part.text, fixed: true };
    default:
      return { text: part.text, fixed: false };
  }
};

/** What `$(cat <<EOF ...)`, `$(echo ...)` and `$(printf '...')` print; null for any other substitution. */
export const printedText = (
  script: ParsedScript | undefined,
  vars: Variables,
): { text: string; fixed: boolean } | null => {
  const only = script?.commands.length === 1 ? script.commands[0]?.command : undefined;
  if (only?.type !== 'Command') return null;
  const name = only.name?.value;
  const words = only.args.filter((a): a is Word => a.type === 'Word').map((word) => argumentOf(word, vars));
  const body = only.redirects.find((r) => r.type === 'HereDoc');
  if (name === 'cat' && words.length === 0 && body?.type === 'HereDoc') return trimEnd(hereText(body, vars));
  const plain = name === 'echo' || (name === 'printf' && words.length === 1 && !words[0]?.text.includes('%'));
  if (!plain || words.some((w) => w.text.startsWith('-'))) return null;
  return trimEnd({ text: words.map((w) => w.text).join(' '), fixed: words.every((w) => w.fixed) });
};

const trimEnd = (resolved: Resolved): Resolved => ({ ...resolved, text: resolved.text.replace(/\n+$/, '') });

/** The text of a here-document. */
const hereText = (doc: HereDoc, vars: Variables): { text: string; fixed: boolean } =>
  doc.body.parts === undefined ? { text: doc.body.text, fixed: true } : resolveAll(doc.body.parts, vars);

const isGlob = (word: Word): boolean => (word.parts ?? []).some((p) => p.type === 'Glob' || p.type === 'ExtendedGlob');

/** A word with its quotes removed and its known variables filled in. */
export const argumentOf = (word: Word, vars: Variables): Argument => {
  if (word.parts === undefined) return { text: word.value, fixed: true, glob: false };
  return { ...resolveAll(word.parts, vars), glob: isGlob(word) };
};

/** Where a command's input comes from and its output goes, by its redirections. */
export interface Streams {
  stdin: 'file' | 'heredoc' | null;
  stdout: 'file' | 'discarded' | null;
  /** Text of a here-document or here-string, where it is fixed. */
  input: string | null;
  reads: string[];
  writes: string[];
}

const NOWHERE = /^\/dev\/(null|stdout|stderr|tty|fd\/\d+)$/;

export const streamsOf = (redirects: readonly Redirection[], vars: Variables): Streams => {
  const streams: Streams = { stdin: null, stdout: null, input: null, reads: [], writes: [] };
  for (const redirect of redirects) {
    if (redirect.type === 'HereDoc') {
      const { text, fixed } = hereText(redirect, vars);
      streams.stdin = 'heredoc';
      streams.input = fixed ? text : null;
      continue;
    }
    const target = redirect.target === undefined ? null : argumentOf(redirect.target, vars);
    if (redirect.type === 'HereString') {
      streams.stdin = 'heredoc';
      streams.input = target?.fixed ? target.text : null;
    } else if (target !== null) redirectTo(streams, redirect, target);
  }
  return streams;
};

const redirectTo = (streams: Streams, redirect: Extract<Redirection, { type: 'Redirect' }>, target: Argument): void => {
  const { operator, descriptor } = redirect;
  if (operator === '<' || operator === '<>') {
    streams.stdin = 'file';
    if (target.fixed) streams.reads.push(target.text);
    return;
  }
  if (operator === '<&' || (operator === '>&' && /^(\d+|-)$/.test(target.text))) return;
  const isOutput = descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 1);
  const nowhere = NOWHERE.test(target.text);
  if (isOutput) streams.stdout = nowhere ? 'discarded' : 'file';
  if (!nowhere && target.fixed) streams.writes.push(target.text);
};
