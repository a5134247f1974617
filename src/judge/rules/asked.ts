import type { JsonObject } from '../../core/json.ts';

/**
 * The anchor "a query asked for it": the first that speaks of `wanted` and does not forbid it (a negation within a few
 * words before `forbidden`). RE2 syntax, case ignored.
 */
export const askedFor = (wanted: string, forbidden: string = wanted): JsonObject => ({
  first: {
    query: { regex: wanted, flags: 'i' },
    text: {
      not: {
        regex: `(?:don'?t|do not|never|without|avoid|no need to|不要|不许|不得|禁止|无需|不用|别)[^.。!！;；\\n]{0,24}(?:${forbidden})`,
        flags: 'i',
      },
    },
    in: 'main',
  },
});
