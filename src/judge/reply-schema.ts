/** The one schema of every structured reply, as strict providers want it: every member required, none added. */
export const REPLY_SCHEMA = {
  type: 'object',
  properties: {
    checks: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          check_id: { type: 'string' },
          reasoning: { type: 'string' },
          evidence: {
            type: 'array',
            items: {
              type: 'object',
              properties: { turn: { type: 'integer' }, thread: { type: 'string' }, quote: { type: 'string' } },
              required: ['turn', 'thread', 'quote'],
              additionalProperties: false,
            },
          },
          grounds: { type: 'string', enum: ['act', 'absence'] },
          result: { type: 'string', enum: ['success', 'fail', 'not_applicable'] },
        },
        required: ['check_id', 'reasoning', 'evidence', 'grounds', 'result'],
        additionalProperties: false,
      },
    },
  },
  required: ['checks'],
  additionalProperties: false,
} as const;
