import { action } from './action.ts';
import { call } from './call.ts';
import { change } from './change.ts';
import { command } from './command.ts';
import { emoji } from './emoji.ts';
import { given } from './given.ts';
import { language } from './language.ts';
import { leaks } from './leaks.ts';
import { absolute, insideWorkspace, under } from './paths.ts';
import { query } from './query.ts';
import { say, think } from './say.ts';
import { seenIn } from './seen-in.ts';
import { sizes } from './sizes.ts';
import type { Source } from './source.ts';
import type { TextTest } from './test.ts';
import { todo } from './todo.ts';
import { turn } from './turn.ts';
import { closes, equals, has, opens, regex } from './wording.ts';

/** Every kind of event a rule can speak of. */
export const SOURCES: readonly Source[] = [action, command, todo, say, think, call, turn, query, given, change];

/** Every test on a text or a path. */
export const TESTS: readonly TextTest[] = [
  equals,
  has,
  opens,
  closes,
  regex,
  language,
  emoji,
  ...sizes,
  leaks,
  seenIn,
  absolute,
  under,
  insideWorkspace,
];
