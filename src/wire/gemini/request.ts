import { isObject, type JsonObject } from '../../core/json.ts';
import { createCallIds } from '../call-id.ts';
import type { Notes } from '../notes.ts';
import { pathOf } from '../path.ts';
import { readRequestWith } from '../request.ts';
import type { Block, DecodedRequest, ToolCall, ToolSchema, WireMessage } from '../schema.ts';
import { answeredName, either, readPart } from './parts.ts';
import { modelInPath } from './path.ts';

const CONVERSATION = ['model', 'contents', 'systemInstruction', 'system_instruction', 'tools'];

/** Reads a request to `generateContent` and its like (https://ai.google.dev/api/generate-content); model and stream are in the path. */
export const readRequest = (body: unknown, path: string): DecodedRequest => {
  // `countTokens` may wrap the whole request.
  const wrapped = isObject(body) && body.contents === undefined ? either(body, 'generateContentRequest') : undefined;
  const read = readRequestWith(wrapped ?? body, CONVERSATION, (fields, notes) => ({
    system: readSystem(either(fields, 'systemInstruction'), notes),
    messages: readContents(fields.contents, notes),
    tools: notes.objects(fields.tools, 'tools').flatMap(({ item, at }) => readTools(item, at, notes)),
  }));
  const stream = pathOf(path).endsWith(':streamGenerateContent');
  return { ...read, model: modelInPath(path) ?? read.model?.replace(/^models\//, '') ?? null, stream };
};

const readSystem = (system: unknown, notes: Notes): Block[] => {
  if (system === undefined) return [];
  if (typeof system === 'string') return [{ type: 'text', text: system }];
  if (isObject(system)) return readParts(system, 'systemInstruction', notes);
  notes.wrong('systemInstruction', 'an object', system);
  return [];
};

const readParts = (content: JsonObject, at: string, notes: Notes): Block[] =>
  notes.objects(content.parts, `${at}.parts`).map(({ item, at: place }) => readPart(item, place, notes));

const ROLES: ReadonlyMap<unknown, WireMessage['role']> = new Map([
  ['user', 'user'],
  ['model', 'assistant'],
  ['function', 'tool'],
  ['system', 'system'],
  [undefined, 'user'],
]);

const readContents = (contents: unknown, notes: Notes): WireMessage[] => {
  // Calls of the last model message that no response without an id was paired with yet.
  let open: ToolCall[] = [];
  const pair = (name: string): string => {
    const at = open.findIndex((call) => call.name === name);
    return at === -1 ? '' : (open.splice(at, 1)[0]?.id ?? '');
  };
  const given = Array.isArray(contents) || contents === undefined ? contents : [contents];
  return notes.objects(given, 'contents').map(({ item, at }) => {
    const role = ROLES.get(item.role);
    if (role === undefined) notes.add('unknown_role', `${at}.role`, `no such role: ${JSON.stringify(item.role)}`);
    const parts = notes.objects(item.parts, `${at}.parts`);
    const blocks = parts.map(({ item: part, at: place }) => {
      const block = readPart(part, place, notes);
      const name = answeredName(part);
      return block.type === 'tool_result' && name !== null ? { ...block, id: pair(name) } : block;
    });
    if (role !== 'assistant') return { role: role ?? 'user', blocks };
    const named = nameCalls(blocks);
    open = named.filter((block) => block.type === 'tool_call');
    return { role, blocks: named };
  });
};

/** Gives calls without an id the one that their content stands for. */
export const nameCalls = (blocks: readonly Block[]): Block[] => {
  const newId = createCallIds();
  return blocks.map((block) =>
    block.type === 'tool_call' && block.id === '' ? { ...block, id: newId(block) } : block,
  );
};

/** Tools of one entry: its function declarations, or what the provider runs itself (`googleSearch`, ...). */
const readTools = (entry: JsonObject, at: string, notes: Notes): ToolSchema[] => {
  const declarations = either(entry, 'functionDeclarations');
  if (declarations !== undefined)
    return notes.objects(declarations, `${at}.functionDeclarations`).map(({ item, at: place }) => ({
      name: notes.text(item.name, `${place}.name`),
      description: notes.optionalText(item.description, `${place}.description`),
      schema: either(item, 'parametersJsonSchema') ?? item.parameters ?? null,
    }));
  return Object.keys(entry).map((name) => ({ name, description: '', schema: null, raw: { [name]: entry[name] } }));
};
