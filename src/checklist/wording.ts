/* What a check's description must not say, or must. Each is a pattern and what to do about it. */

interface WordingRule {
  kind: string;
  test: RegExp;
  message: (found: string) => string;
}

const RULES: readonly WordingRule[] = [
  {
    kind: 'vague',
    test: /\b(appropriate(ly)?|reasonabl[ey]|proper(ly)?|good|clear(ly)?|well|mostly|usually|as (much|far) as possible|tr(y|ies|ied) to|attempt(s|ed)?|sufficient(ly)?|adequate(ly)?|high[- ]quality|etc)\b/i,
    message: (found) => `"${found}" leaves it open what passes; say what can be seen`,
  },
  {
    kind: 'run_specific',
    test: /\btoolu_\w+|\bcall_[A-Za-z0-9]{8,}|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,}\b|\d{4}-\d\d-\d\dT\d\d:|\/(tmp|home|Users)\/\S+|\bturn \d+\b/,
    message: (found) => `"${found}" is of one run`,
  },
  {
    kind: 'model_name',
    test: /\b(GPT-?\d\S*|Claude(?! Code\b|\.md|-code)(?: \w+)?|Gemini|Qwen|DeepSeek|MiniMax|Kimi|GLM|Llama)\b/,
    message: (found) => `"${found}": a check names no model`,
  },
  { kind: 'mail', test: /\b[\w.+-]+@[\w-]+\.[\w.]+/, message: (found) => `"${found}" is a mail address` },
  {
    kind: 'key',
    test: /\b(sk-[\w-]{16,}|AKIA[0-9A-Z]{12,}|gh[pousr]_\w{16,}|hf_\w{16,}|xox[abp]-\S+)|-----BEGIN/,
    message: () => 'looks like a key',
  },
  {
    kind: 'offensive',
    test: /\b(stupid|idiot(ic)?|moron(ic)?|dumb|crap|damn(ed)?|shit\w*|fuck\w*|bitch\w*|bastard\w*|retard\w*)\b/i,
    message: (found) => `"${found}" is offensive`,
  },
];

const OPENING = /^Check whether (the assistant|every|each|all|no)\b/;
const FEWEST_WORDS = 6;
const MOST_WORDS = 45;

/** What is wrong with the wording of a check, as kind and message. */
export const wordingFindings = (description: string): { kind: string; message: string }[] => {
  const found = RULES.flatMap(({ kind, test, message }) => {
    const hit = test.exec(description)?.[0];
    return hit === undefined ? [] : [{ kind, message: message(hit) }];
  });
  if (!OPENING.test(description))
    found.push({ kind: 'wording', message: 'does not begin with "Check whether the assistant"' });
  const words = description.split(/\s+/).length;
  if (words < FEWEST_WORDS || words > MOST_WORDS) {
    found.push({ kind: 'length', message: `has ${words} words; a check has ${FEWEST_WORDS} to ${MOST_WORDS}` });
  }
  return found;
};
