import type { Protocol, WireMessage } from '../../wire/schema.ts';
import type { Script, ScriptTurn } from '../script.ts';

/** A list of turns that one thread plays: the main one, or one entry of `subagents`. */
export interface Part {
  /** `m`, or `s` and the entry's number: what tool-call ids carry. */
  id: string;
  turns: { query: number; turn: number; content: ScriptTurn }[];
}

export const mainPart = (script: Script): Part => ({
  id: 'm',
  turns: script.queries.flatMap((list, query) => list.map((content, turn) => ({ query, turn, content }))),
});

export const subagentPart = (script: Script, key: string): Part => ({
  id: `s${Object.keys(script.subagents).indexOf(key)}`,
  turns: (script.subagents[key] ?? []).map((content, turn) => ({ query: 0, turn, content })),
});

/** Where a tool call of a script came from: part, query, turn, and its place among the turn's calls; `first` = a prerequisite. */
export interface CallOrigin {
  part: string;
  query: number;
  turn: number;
  action: number;
  call: number;
  first: boolean;
}

const ID = /script_(m|s\d+)_(\d+)_(\d+)_(\d+)_(\d+)(_p)?$/;

/** A tool-call id from which the script's position can be read again. */
export const callId = (protocol: Protocol, o: CallOrigin): string =>
  `${protocol === 'anthropic' ? 'toolu' : 'call'}_script_${o.part}_${o.query}_${o.turn}_${o.action}_${o.call}${o.first ? '_p' : ''}`;

export const originOf = (id: string): CallOrigin | null => {
  const m = ID.exec(id);
  if (m === null) return null;
  const [query = 0, turn = 0, action = 0, call = 0] = m.slice(2, 6).map(Number);
  return { part: m[1] as string, query, turn, action, call, first: m[6] !== undefined };
};

/** The assistant's messages of a request; what it said in one turn may stand in several messages in a row. */
const assistantTurns = (messages: readonly WireMessage[]): WireMessage[][] => {
  const turns: WireMessage[][] = [];
  let open: WireMessage[] | null = null;
  for (const message of messages) {
    if (message.role !== 'assistant') {
      open = null;
      continue;
    }
    if (open === null) {
      open = [];
      turns.push(open);
    }
    open.push(message);
  }
  return turns;
};

const says = (turn: readonly WireMessage[], text: string): boolean =>
  turn.some((m) => m.blocks.some((b) => b.type === 'text' && b.text.trim() === text.trim()));

const latest = (part: Part, turn: readonly WireMessage[]): { at: number; first: boolean } | null => {
  let found: { at: number; first: boolean } | null = null;
  for (const block of turn.flatMap((m) => m.blocks)) {
    const origin = block.type === 'tool_call' ? originOf(block.id) : null;
    if (origin?.part !== part.id) continue;
    const at = part.turns.findIndex((t) => t.query === origin.query && t.turn === origin.turn);
    if (at >= 0 && (found === null || at >= found.at)) found = { at, first: origin.first };
  }
  return found;
};

/**
 * The turn that a request asks for, as an index into the part's turns, told from the request alone: one past the highest turn whose
 * tool-call ids it holds, and one more for each assistant turn after that (turns that only talk have no ids). A prerequisite is
 * answered by the turn it was for. Without any id, `gone.turns` were taken away by a compaction and the rest is counted, the
 * `gone.summary` apart, which some scaffolds leave in the history as the assistant's.
 */
export const positionOf = (
  part: Part,
  messages: readonly WireMessage[],
  gone: { turns: number; summary: string | null },
): number => {
  const turns = assistantTurns(messages).filter((turn) => gone.summary === null || !says(turn, gone.summary));
  let highest = -1;
  let at = -1;
  let first = false;
  turns.forEach((turn, i) => {
    const found = latest(part, turn);
    if (found === null || found.at < highest) return;
    highest = found.at;
    first = found.first;
    at = i;
  });
  if (highest < 0) return gone.turns + turns.length;
  const after = turns.length - 1 - at;
  return highest + (first ? 0 : 1) + after;
};
