// A stand-in for Claude Code 2.0.69 that starts in a blink: the same flags, the same protocol, five of its tools. For tests of what
// surrounds a scaffold (resume, kills, limits); what the real program does is tested with the real program.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const args = process.argv.slice(2);
if (args.includes('--version')) {
  console.log('2.0.69 (Claude Code)');
  process.exit(0);
}
const after = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
const model = after('--model');
const session = after('--session-id') ?? after('--resume');
const prompt = args[args.indexOf('--') + 1];
const text = { type: 'string' };
const tool = (name, properties) => ({
  name,
  description: name,
  input_schema: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
});
const tools = [
  tool('Read', { file_path: text }),
  tool('Write', { file_path: text, content: text }),
  tool('Edit', { file_path: text, old_string: text, new_string: text }),
  tool('Bash', { command: text }),
  tool('Task', { description: text, prompt: text, subagent_type: text }),
];
const run = {
  Read: ({ file_path }) => readFileSync(file_path, 'utf8'),
  Write: ({ file_path, content }) => {
    writeFileSync(file_path, content);
    return `File created successfully at: ${file_path}`;
  },
  Edit: ({ file_path, old_string, new_string }) => {
    const before = readFileSync(file_path, 'utf8');
    if (!before.includes(old_string)) throw new Error('String to replace not found in file.');
    writeFileSync(file_path, before.replace(old_string, new_string));
    return `The file ${file_path} has been updated.`;
  },
  Bash: ({ command }) => execFileSync('bash', ['-c', command], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
};

const memory = join(homedir(), `${session}.json`);
const messages = after('--resume') !== undefined && existsSync(memory) ? JSON.parse(readFileSync(memory, 'utf8')) : [];
const policy = existsSync('CLAUDE.md') ? readFileSync('CLAUDE.md', 'utf8') : '';
const reminder =
  messages.length === 0 && policy !== ''
    ? [
        {
          type: 'text',
          text: `<system-reminder>\nAs you answer the user's questions, you can use the following context:\n# claudeMd\n\nContents of ${process.cwd()}/CLAUDE.md (project instructions, checked into the codebase):\n\n${policy}\n</system-reminder>\n`,
        },
      ]
    : [];
messages.push({ role: 'user', content: [...reminder, { type: 'text', text: prompt }] });
const system = [{ type: 'text', text: `You are Claude Code.\n${after('--append-system-prompt') ?? ''}` }];

for (;;) {
  const answer = await fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages?beta=true`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': process.env.ANTHROPIC_API_KEY,
      'anthropic-version': '2023-06-01',
      'user-agent': 'claude-cli/2.0.69 (external, sdk-cli)',
    },
    body: JSON.stringify({
      model,
      max_tokens: 32000,
      system,
      tools,
      messages,
      metadata: { user_id: `user_0_session_${session}` },
    }),
  });
  if (!answer.ok) {
    console.log(JSON.stringify({ type: 'result', is_error: true, result: await answer.text() }));
    process.exit(1);
  }
  const { content } = await answer.json();
  messages.push({ role: 'assistant', content });
  const calls = content.filter((b) => b.type === 'tool_use');
  if (calls.length === 0) break;
  const results = calls.map(({ id, name, input }) => {
    try {
      return { type: 'tool_result', tool_use_id: id, content: run[name](input) };
    } catch (e) {
      return { type: 'tool_result', tool_use_id: id, is_error: true, content: String(e.message) };
    }
  });
  messages.push({ role: 'user', content: results });
}
mkdirSync(homedir(), { recursive: true });
writeFileSync(memory, JSON.stringify(messages));
console.log(JSON.stringify({ type: 'result', is_error: false, session_id: session }));
