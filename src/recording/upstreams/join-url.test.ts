import { expect, test } from 'vitest';
import { joinUrl } from './join-url.ts';

test.each([
  ['https://api.anthropic.com', '/v1/messages?beta=true', 'https://api.anthropic.com/v1/messages?beta=true'],
  ['https://api.openai.com/v1', '/v1/responses', 'https://api.openai.com/v1/responses'],
  ['https://api.openai.com/v1/', '/v1/chat/completions', 'https://api.openai.com/v1/chat/completions'],
  ['https://host/anthropic', '/v1/messages', 'https://host/anthropic/v1/messages'],
  ['https://host/openai/v1', '/v1/chat/completions', 'https://host/openai/v1/chat/completions'],
  ['https://host/v1', '/chat/completions', 'https://host/v1/chat/completions'],
  ['https://host', '/api/llm/a/v1/messages', 'https://host/v1/messages'],
  [
    'https://gen.googleapis.com',
    '/v1beta/models/g:streamGenerateContent?alt=sse',
    'https://gen.googleapis.com/v1beta/models/g:streamGenerateContent?alt=sse',
  ],
  [
    'https://gen.googleapis.com/v1beta',
    '/v1beta/models/g:generateContent',
    'https://gen.googleapis.com/v1beta/models/g:generateContent',
  ],
])('%s + %s', (base, path, url) => {
  expect(joinUrl(base, path).href).toBe(url);
});
