import { expect, test } from 'vitest';
import { protocolOf, protocols } from './all.ts';
import type { Endpoint, Protocol } from './schema.ts';

test('every protocol is listed under its own id', () => {
  for (const [id, protocol] of Object.entries(protocols)) expect(protocol.id).toBe(id);
});

test.each<
  [method: string, path: string, headers: [string, string][], protocol: Protocol | null, endpoint: Endpoint | null]
>([
  ['POST', '/v1/messages', [], 'anthropic', 'generate'],
  ['POST', '/v1/messages?beta=true', [], 'anthropic', 'generate'],
  ['POST', '/v1/messages/', [], 'anthropic', 'generate'],
  ['POST', '/anthropic/v1/messages', [], 'anthropic', 'generate'],
  ['POST', '/v1/messages/count_tokens?beta=true', [], 'anthropic', 'count_tokens'],
  ['POST', '/v1/messages/batches', [], 'anthropic', 'other'],
  ['GET', '/v1/messages', [], 'anthropic', 'other'],
  ['POST', '/v1/chat/completions', [], 'openai-chat', 'generate'],
  ['POST', '/chat/completions', [], 'openai-chat', 'generate'],
  ['POST', '/v1beta/openai/chat/completions', [], 'openai-chat', 'generate'],
  ['POST', '/v1/responses', [], 'openai-responses', 'generate'],
  ['POST', '/v1/responses/input_tokens', [], 'openai-responses', 'count_tokens'],
  ['GET', '/v1/responses/resp_1', [], 'openai-responses', 'other'],
  ['POST', '/v1beta/models/gemini-x:generateContent', [], 'gemini', 'generate'],
  ['POST', '/v1beta/models/gemini-x:streamGenerateContent?alt=sse&key=k', [], 'gemini', 'generate'],
  ['POST', '/v1/projects/p/locations/l/publishers/google/models/gemini-x:generateContent', [], 'gemini', 'generate'],
  ['POST', '/v1beta/models/gemini-x:countTokens', [], 'gemini', 'count_tokens'],
  ['POST', '/v1beta/models/gemini-x:embedContent', [], 'gemini', 'other'],
  ['GET', '/v1/models', [], 'openai-chat', 'models'],
  ['GET', '/v1/models?limit=9', [['Anthropic-Version', '2023-06-01']], 'anthropic', 'models'],
  ['GET', '/v1beta/models', [], 'gemini', 'models'],
  ['GET', '/v1/models', [['x-goog-api-key', 'k']], 'gemini', 'models'],
  ['GET', '/v1/models/gpt-x', [], 'openai-chat', 'other'],
  ['GET', '/models', [], 'openai-chat', 'models'],
  ['HEAD', '/', [], null, null],
  ['POST', '/v1/messages-of-mine', [], null, null],
  ['POST', '/api/event_logging/batch', [], null, null],
])('%s %s %j is %s %s', (method, path, headers, protocol, endpoint) => {
  expect(protocolOf(method, path, headers)).toBe(protocol);
  if (protocol !== null) expect(protocols[protocol].endpoint(method, path)).toBe(endpoint);
});

test.each([
  ['/v1beta/models/gemini-x:generateContent', 'gemini-x'],
  ['/v1beta/models/gemini%2Dx:streamGenerateContent?alt=sse', 'gemini-x'],
  ['/v1beta/models/%zz:generateContent', '%zz'],
  ['/v1beta/tunedModels/mine:generateContent', 'tunedModels/mine'],
  ['/v1beta/models', null],
])('the model of %s is %s', (path, model) => {
  expect(protocols.gemini.modelInPath(path)).toBe(model);
  expect(protocols.anthropic.modelInPath(path)).toBeNull();
});
