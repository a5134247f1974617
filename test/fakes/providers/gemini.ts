import { isObject, type JsonObject } from '../../../src/core/json.ts';
import { modelInPath } from '../../../src/wire/gemini/path.ts';
import { type Asked, first, objects, type Refusal, type Refuse } from './refusal.ts';

const invalid = (message: string): Refusal => ({ status: 400, type: 'INVALID_ARGUMENT', message });

/** Keywords of JSON Schema that `parameters` (an OpenAPI subset) does not know. */
const FOREIGN = ['additionalProperties', '$schema', '$ref', '$defs', 'const', 'exclusiveMinimum', 'exclusiveMaximum'];

/** Refuses what `generateContent` refuses. */
export const refuseGemini: Refuse = (asked) =>
  first(
    () => checkHead(asked),
    () => checkTools(asked.body),
    () => checkContents(objects(asked.body.contents)),
    () => checkOrder(objects(asked.body.contents)),
    () => checkSeals(asked),
  );

const checkHead = ({ headers, path, key, models }: Asked): Refusal | null => {
  const given = headers['x-goog-api-key'] ?? /[?&]key=([^&]*)/.exec(path)?.[1];
  if (given === undefined)
    return {
      status: 403,
      type: 'PERMISSION_DENIED',
      message: "Method doesn't allow unregistered callers (callers without established identity).",
    };
  if (given !== key) return invalid('API key not valid. Please pass a valid API key.');
  const model = modelInPath(path);
  if (model !== null && models.includes(model)) return null;
  return {
    status: 404,
    type: 'NOT_FOUND',
    message: `models/${model} is not found for API version v1beta, or is not supported for generateContent.`,
  };
};

const foreignKey = (schema: unknown): string | null => {
  if (Array.isArray(schema)) return schema.map(foreignKey).find((key) => key !== null) ?? null;
  if (!isObject(schema)) return null;
  for (const [key, value] of Object.entries(schema)) {
    if (FOREIGN.includes(key)) return key;
    // Under `properties` the keys are names, not keywords.
    const inner = key === 'properties' && isObject(value) ? Object.values(value).map(foreignKey) : [foreignKey(value)];
    const found = inner.find((name) => name !== null);
    if (found !== undefined) return found;
  }
  return null;
};

const checkTools = (body: JsonObject): Refusal | null => {
  for (const [i, tool] of objects(body.tools).entries())
    for (const [j, declaration] of objects(tool.functionDeclarations).entries()) {
      const place = `tools[${i}].function_declarations[${j}]`;
      if (!/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/.test(String(declaration.name)))
        return invalid(`* GenerateContentRequest.${place}.name: Invalid function name.`);
      const key = foreignKey(declaration.parameters);
      if (key !== null)
        return invalid(
          `Invalid JSON payload received. Unknown name "${key}" at '${place}.parameters': Cannot find field.`,
        );
    }
  return null;
};

const checkContents = (contents: readonly JsonObject[]): Refusal | null => {
  if (contents.length === 0) return invalid('* GenerateContentRequest.contents: contents is not specified');
  for (const [i, { role, parts }] of contents.entries()) {
    if (role !== undefined && role !== 'user' && role !== 'model' && role !== 'function')
      return invalid('Please use a valid role: user, model.');
    if (objects(parts).length === 0)
      return invalid(`* GenerateContentRequest.contents[${i}].parts: contents.parts must not be empty.`);
  }
  return null;
};

const partsWith = (content: JsonObject | undefined, field: string): JsonObject[] =>
  objects(content?.parts).filter((part) => isObject(part[field]));

const checkOrder = (contents: readonly JsonObject[]): Refusal | null => {
  for (const [i, content] of contents.entries()) {
    const calls = partsWith(content, 'functionCall').length;
    const answers = partsWith(content, 'functionResponse').length;
    const before = contents[i - 1];
    if (calls > 0 && (before === undefined || before.role === 'model'))
      return invalid(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    if (calls > 0 && partsWith(contents[i + 1], 'functionResponse').length !== calls)
      return invalid(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      );
    if (answers > 0 && partsWith(before, 'functionCall').length === 0)
      return invalid('Please ensure that function response turn comes immediately after a function call turn.');
  }
  return null;
};

const checkSeals = ({ body, seals }: Asked): Refusal | null => {
  if (seals.size === 0) return null;
  const contents = objects(body.contents);
  // Calls since the last text of the user: the current turn.
  const turn = contents.findLastIndex(
    (content) => content.role !== 'model' && partsWith(content, 'functionResponse').length === 0,
  );
  for (const [i, content] of contents.entries()) {
    const [call] = partsWith(content, 'functionCall');
    if (call === undefined || i < turn) continue;
    const seal = call.thoughtSignature;
    if (seal === undefined)
      return invalid(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call \`${(call.functionCall as JsonObject).name}\`, position ${i}.`,
      );
    if (!seals.has(String(seal))) return invalid('Thought signature is not valid.');
  }
  return null;
};
