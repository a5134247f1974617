/**
 * What a rule, a condition or a test comes to: success, fail, not applicable, unscored.
 * N is "there was nothing to tell it by", U is "it cannot be known from what is at hand".
 */
export type Truth = 'S' | 'F' | 'N' | 'U';

/** Any F is F; else any U is U; else one S is S; nothing but N is N. */
export const allOf = (parts: Iterable<Truth>): Truth => {
  let whole: Truth = 'N';
  for (const part of parts) {
    if (part === 'F') return 'F';
    if (part === 'U' || (part === 'S' && whole === 'N')) whole = part;
  }
  return whole;
};

/** Any S is S; else any U is U; else one F is F; nothing but N is N. */
export const anyOf = (parts: Iterable<Truth>): Truth => {
  let whole: Truth = 'N';
  for (const part of parts) {
    if (part === 'S') return 'S';
    if (part === 'U' || (part === 'F' && whole === 'N')) whole = part;
  }
  return whole;
};

const OPPOSITE: Readonly<Record<Truth, Truth>> = { S: 'F', F: 'S', N: 'N', U: 'U' };

/** S and F change places; N and U stay. */
export const opposite = (truth: Truth): Truth => OPPOSITE[truth];

/** S or F of a plain yes or no. */
export const truthOf = (yes: boolean): Truth => (yes ? 'S' : 'F');
