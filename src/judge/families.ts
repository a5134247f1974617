/** How the models of one maker are called, wherever they are served. */
const FAMILIES: readonly [string, RegExp][] = [
  ['claude', /\bclaude/i],
  ['gpt', /\b(?:gpt|chatgpt|o[134])(?=[-.\d]|\b)/i],
  ['gemini', /\b(?:gemini|gemma)/i],
  ['qwen', /\b(?:qwen|qwq)/i],
  ['deepseek', /\bdeepseek/i],
  ['llama', /\bllama/i],
  ['mistral', /\b(?:mistral|mixtral|codestral|devstral|magistral)/i],
  ['minimax', /\b(?:minimax|abab)/i],
  ['glm', /\b(?:glm|chatglm)/i],
  ['kimi', /\b(?:kimi|moonshot)/i],
  ['grok', /\bgrok/i],
  ['doubao', /\b(?:doubao|seed)/i],
];

/** The family of a model, by its name (`provider/name`, or the name alone); a name that none knows is its own family. */
export const familyOf = (model: string): string => {
  const name = model.slice(model.lastIndexOf('/') + 1);
  return FAMILIES.find(([, pattern]) => pattern.test(name))?.[0] ?? name.toLowerCase();
};
