import { isObject, type JsonObject } from '../../../src/core/json.ts';
import { type Asked, first, objects, type Refusal, type Refuse } from './refusal.ts';

const invalid = (message: string): Refusal => ({ status: 400, type: 'invalid_request_error', message });

const FIELDS = new Set(
  'model messages max_tokens system tools tool_choice stream temperature top_p top_k stop_sequences thinking metadata service_tier container context_management output_config mcp_servers'.split(
    ' ',
  ),
);

const blocksOf = (message: JsonObject): JsonObject[] =>
  typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : objects(message.content);

/** Refuses what the Messages API refuses. */
export const refuseAnthropic: Refuse = (asked) =>
  first(
    () => checkHead(asked),
    () => checkFields(asked.body),
    () => checkTools(asked.body),
    () => checkRoles(asked.body),
    () => checkPairs(objects(asked.body.messages)),
    () => checkThinking(asked),
  );

const checkHead = ({ headers, body, key, models }: Asked): Refusal | null => {
  const given = headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
  if (given === undefined)
    return { status: 401, type: 'authentication_error', message: 'x-api-key header is required' };
  if (given !== key) return { status: 401, type: 'authentication_error', message: 'invalid x-api-key' };
  if (headers['anthropic-version'] === undefined) return invalid('anthropic-version: header is required');
  if (!models.includes(String(body.model)))
    return { status: 404, type: 'not_found_error', message: `model: ${body.model}` };
  return null;
};

const checkFields = (body: JsonObject): Refusal | null => {
  if (typeof body.max_tokens !== 'number') return invalid('max_tokens: Field required');
  const extra = Object.keys(body).find((field) => !FIELDS.has(field));
  if (extra !== undefined) return invalid(`${extra}: Extra inputs are not permitted`);
  const thinking = isObject(body.thinking) && body.thinking.type === 'enabled' ? body.thinking : null;
  if (thinking === null) return null;
  if (Number(thinking.budget_tokens) >= body.max_tokens)
    return invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
  if (body.temperature !== undefined && body.temperature !== 1)
    return invalid('`temperature` may only be set to 1 when thinking is enabled.');
  return null;
};

const checkTools = (body: JsonObject): Refusal | null => {
  const names = new Set<unknown>();
  for (const [i, tool] of objects(body.tools).entries()) {
    if (tool.type !== undefined && tool.type !== 'custom') continue;
    const schema = tool.input_schema;
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(tool.name)))
      return invalid(`tools.${i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    if (names.has(tool.name)) return invalid('tools: Tool names must be unique.');
    names.add(tool.name);
    if (!isObject(schema) || schema.type === undefined)
      return invalid(`tools.${i}.custom.input_schema.type: Field required`);
    if (schema.anyOf !== undefined || schema.oneOf !== undefined || schema.allOf !== undefined)
      return invalid(
        `tools.${i}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
      );
  }
  return null;
};

const checkRoles = (body: JsonObject): Refusal | null => {
  const messages = objects(body.messages);
  if (messages.length === 0) return invalid('messages: at least one message is required');
  for (const [i, message] of messages.entries()) {
    if (message.role !== 'user' && message.role !== 'assistant')
      return invalid(`messages: Unexpected role "${message.role}". Allowed roles are "user" or "assistant".`);
    const blocks = blocksOf(message);
    if (blocks.length === 0 && i < messages.length - 1)
      return invalid(`messages.${i}: all messages must have non-empty content`);
    if (blocks.some((block) => block.type === 'text' && block.text === ''))
      return invalid('messages: text content blocks must be non-empty');
  }
  return messages[0]?.role === 'user' ? null : invalid('messages: first message must use the "user" role');
};

/** Neighbours of one role are one message to the API. */
const merged = (messages: readonly JsonObject[]): { role: unknown; blocks: JsonObject[] }[] => {
  const out: { role: unknown; blocks: JsonObject[] }[] = [];
  for (const message of messages) {
    const last = out.at(-1);
    if (last !== undefined && last.role === message.role) last.blocks.push(...blocksOf(message));
    else out.push({ role: message.role, blocks: [...blocksOf(message)] });
  }
  return out;
};

const checkPairs = (messages: readonly JsonObject[]): Refusal | null => {
  const turns = merged(messages);
  for (const [i, { blocks }] of turns.entries()) {
    const calls = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => String(id));
    const after = turns[i + 1]?.blocks ?? [];
    const lead = after.slice(0, after.findIndex(({ type }) => type !== 'tool_result') >>> 0);
    const unanswered = calls.filter((id) => !lead.some((block) => block.tool_use_id === id));
    if (unanswered.length > 0)
      return invalid(
        `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${unanswered.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    const before = (turns[i - 1]?.blocks ?? []).filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    const stray = blocks.findIndex((block) => block.type === 'tool_result' && !before.includes(block.tool_use_id));
    if (stray !== -1)
      return invalid(
        `messages.${i}.content.${stray}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${blocks[stray]?.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
  }
  return null;
};

const checkThinking = ({ body, seals }: Asked): Refusal | null => {
  const turns = merged(objects(body.messages));
  for (const [i, { blocks }] of turns.entries())
    for (const [j, block] of blocks.entries()) {
      const place = `messages.${i}.content.${j}`;
      if (block.type !== 'thinking') continue;
      if (typeof block.signature !== 'string') return invalid(`${place}.thinking.signature: Field required`);
      if (seals.get(block.signature) !== block.thinking)
        return invalid(`${place}: Invalid \`signature\` in \`thinking\` block`);
    }
  if (!isObject(body.thinking) || body.thinking.type !== 'enabled') return null;
  const last = turns.findLastIndex(({ role }) => role === 'assistant');
  const start = turns[last]?.blocks[0]?.type;
  const answered = turns[last + 1]?.blocks.some(({ type }) => type === 'tool_result') ?? false;
  if (!answered || start === 'thinking' || start === 'redacted_thinking') return null;
  return invalid(
    `messages.${last}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${start}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
};
