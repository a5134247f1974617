import { sha256 } from '../../core/ids.ts';
import { canonicalJson } from '../../core/json.ts';
import type { PromptText } from './prompt.ts';
import { verdicts1 } from './verdicts-1.ts';

/** The prompt that new verdicts are asked with. */
export const PROMPT: PromptText = verdicts1;

/** Digest of a prompt's words: verdicts that were asked with other words are another judge's. */
export const promptDigest = (prompt: PromptText): string => sha256(canonicalJson(prompt)).slice(0, 16);
