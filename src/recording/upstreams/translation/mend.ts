import { isObject, type JsonObject } from '../../../core/json.ts';
import type { Far } from './conversation.ts';
import type { Settings } from './settings.ts';

const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/**
 * Mends the body that the AI SDK made for a provider: what it adds unasked is taken out (`tool_choice`), what it leaves out or
 * rewrites is put back (`top_p` beside `temperature`, whole tool schemas, parallel calls). Changes `body` in place.
 */
export const mendBody = (body: JsonObject, far: Far, settings: Settings): void => {
  const { options, tools, parallel } = settings;
  const schemas = new Map(tools.map(({ name, inputSchema }) => [name as unknown, inputSchema]));
  const chosen = options.toolChoice !== undefined;
  switch (far) {
    case 'anthropic':
      for (const tool of objects(body.tools)) {
        tool.input_schema = schemas.get(tool.name) ?? tool.input_schema;
        delete tool.eager_input_streaming;
      }
      if (options.topP !== undefined && !isObject(body.thinking)) body.top_p = options.topP;
      if (!chosen) delete body.tool_choice;
      if (parallel === false && tools.length > 0)
        body.tool_choice = {
          ...(isObject(body.tool_choice) ? body.tool_choice : { type: 'auto' }),
          disable_parallel_tool_use: true,
        };
      return;
    case 'openai-chat':
      for (const { function: fn } of objects(body.tools))
        if (isObject(fn)) fn.parameters = schemas.get(fn.name) ?? fn.parameters;
      if (!chosen) delete body.tool_choice;
      if (parallel !== null && tools.length > 0) body.parallel_tool_calls = parallel;
      return;
    case 'gemini':
      for (const { functionDeclarations } of objects(body.tools))
        for (const declaration of objects(functionDeclarations)) {
          delete declaration.parameters;
          declaration.parametersJsonSchema = schemas.get(declaration.name);
        }
      if (!chosen) delete body.toolConfig;
  }
};
