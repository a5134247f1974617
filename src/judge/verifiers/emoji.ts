import { findEmoji } from '../texts/emoji.ts';
import { truthOf } from '../truth.ts';
import { strings, type TextTest } from './test.ts';

export const emoji: TextTest = {
  name: 'emoji',
  description: 'holds an emoji (true) or none (false); `except` lists those that do not count',
  on: 'text',
  options: ['except'],
  schema: { type: 'boolean' },
  bind(argument, options) {
    if (typeof argument !== 'boolean') return 'takes true or false';
    const except = options.except === undefined ? [] : strings(options.except);
    if (except === null) return '"except" takes a list of emoji';
    return {
      holds: (value) => truthOf((findEmoji(value, except) !== null) === argument),
      find: (value) => findEmoji(value, except),
    };
  },
};
