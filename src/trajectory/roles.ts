import type { ToolSchema } from '../wire/schema.ts';
import { looseText, spokenText } from './content.ts';
import { type Conversation, isFloating, leavesOf } from './conversation.ts';
import { byTime, lastAssistant, type Node, pathTo, type Turn } from './forest.ts';
import { askedTexts, linkSpawns, resultTexts, type Spawn } from './spawn.ts';

/** A conversation and what it is to the others. */
export interface Role {
  conversation: Conversation;
  role: 'main' | 'subagent' | 'auxiliary';
  kind?: string;
  spawn: Spawn | null;
  /** The conversation whose history it replaces. */
  continues: Conversation | null;
  because: 'compaction' | 'rewrite' | 'start';
  /** Which run of the session (main); others belong to the run of their parent or of their time. */
  run: number;
  /** The run starts with the same request as another one: the session was run again. */
  again: boolean;
}

const LIMITS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'];
const KINDS: readonly [string, RegExp][] = [
  ['title', /\btitle\b/i],
  ['topic', /\btopic\b/i],
  ['summary', /summar|compact/i],
  ['paths', /file ?paths?/i],
  ['history', /git history/i],
];
const CONTINUED = /summar|compact|continu|previous (conversation|session|instance)|what did we do so far/i;
const RESTART_FACTOR = 10;
const SHORTEST_QUOTE = 8;

const first = (c: Conversation): Turn => c.turns[0] as Turn;
const last = (c: Conversation): Turn => c.turns[c.turns.length - 1] as Turn;
const asked = (c: Conversation): string => spokenText(pathTo(c.start).flatMap((n) => n.content?.blocks ?? []));
const saidBy = (turn: Turn): string =>
  looseText((turn.reply.content?.blocks ?? []).map((b) => (b.type === 'text' ? b.text : '')).join(''));

/**
 * What holds the calls together: an attempt (one run, whatever its scaffold does), an id that a log gives (several runs may have been
 * appended), or nothing at all.
 */
export type SessionKind = 'attempt' | 'named' | 'nameless';

/** Finds the roles of all conversations of one session from their content. */
export const rolesOf = (
  conversations: readonly Conversation[],
  root: Node,
  toolsets: readonly (readonly ToolSchema[])[],
  kind: SessionKind,
): Role[] => new Roles(conversations, root, toolsets, kind).find();

class Roles {
  #roles = new Map<Conversation, Role>();
  #all: Conversation[];
  readonly #root: Node;
  readonly #toolsets: readonly (readonly ToolSchema[])[];
  readonly #kind: SessionKind;

  constructor(
    conversations: readonly Conversation[],
    root: Node,
    toolsets: readonly (readonly ToolSchema[])[],
    kind: SessionKind,
  ) {
    this.#all = [...conversations];
    this.#root = root;
    this.#toolsets = toolsets;
    this.#kind = kind;
  }

  find(): Role[] {
    const spawns = linkSpawns(this.#all, resultTexts(this.#root));
    for (const [c, spawn] of spawns) this.#set(c, { role: 'subagent', spawn });
    this.#findAuxiliary();
    this.#findContinued();
    this.#foldRetries();
    this.#findMain();
    return this.#all.flatMap((c) => this.#roles.get(c) ?? []);
  }

  #set(conversation: Conversation, role: Partial<Role> & Pick<Role, 'role'>): void {
    this.#roles.set(conversation, {
      conversation,
      spawn: null,
      continues: null,
      because: 'start',
      run: 0,
      again: false,
      ...role,
    });
  }

  #open(): Conversation[] {
    return this.#all.filter((c) => !this.#roles.has(c));
  }

  #toolCount(c: Conversation): number {
    return Math.max(...c.turns.map((turn) => this.#toolsets[turn.setting.toolset]?.length ?? 0));
  }

  #findAuxiliary(): void {
    const tooled = this.#all.some((c) => this.#toolCount(c) > 0 && auxiliaryKind(c) === null);
    const open = this.#open();
    const longest = Math.max(0, ...open.map((c) => c.turns.length));
    for (const c of open) {
      const kind = auxiliaryKind(c);
      const named = sideKind(c);
      if (kind !== null) this.#set(c, { role: 'auxiliary', kind });
      else if (this.#toolCount(c) > 0) continue;
      else if (tooled) this.#set(c, { role: 'auxiliary', kind: named ?? 'side' });
      else if (named !== null && c.turns.length === 1 && longest > 1) this.#set(c, { role: 'auxiliary', kind: named });
    }
  }

  /** Conversations that begin with what another one left: its summary, or its own turns. */
  #findContinued(): void {
    const generated = new Map<string, Conversation>();
    for (const c of this.#all)
      for (const turn of c.turns)
        if (turn.reply.content !== null && !isFloating(turn)) generated.set(turn.reply.content.key, c);
    for (const c of this.#open()) {
      const carried = pathTo(first(c).node).flatMap((n) =>
        n.content?.role === 'assistant' && n.turn === null ? [generated.get(n.content.key)] : [],
      );
      const owner = carried.find((x) => x !== undefined && x !== c);
      const before = owner ?? this.#summarized(c) ?? this.#hinted(c);
      if (before === undefined || this.#chain(before).includes(c)) continue;
      const because = owner !== undefined && !CONTINUED.test(asked(c)) ? 'rewrite' : 'compaction';
      const role = this.#roles.get(before)?.role ?? 'main';
      this.#set(c, { role: role === 'auxiliary' ? 'main' : role, continues: before, because });
    }
  }

  #chain(c: Conversation): Conversation[] {
    const chain: Conversation[] = [];
    for (let at: Conversation | null | undefined = c; at; at = this.#roles.get(at)?.continues) chain.push(at);
    return chain;
  }

  /** The earlier conversation that ends with a reply which this one quotes. */
  #summarized(c: Conversation): Conversation | undefined {
    const text = looseText(askedTexts(c).join(''));
    return this.#earlier(c).find((other) =>
      leavesOf(other).some((turn) => {
        const said = saidBy(turn);
        return said.length >= SHORTEST_QUOTE && text.includes(said) && byTime(turn, first(c)) < 0;
      }),
    );
  }

  /** The conversation just before, with the same system prompt and tools, of which this one says that it goes on. */
  #hinted(c: Conversation): Conversation | undefined {
    if (!CONTINUED.test(asked(c))) return undefined;
    return this.#earlier(c).find(
      (other) =>
        byTime(last(other), first(c)) < 0 &&
        first(other).setting.toolset === first(c).setting.toolset &&
        this.#roles.get(other)?.role !== 'auxiliary',
    );
  }

  /** Others that began before, the latest first, without those that another one continues already. */
  #earlier(c: Conversation): Conversation[] {
    const continued = new Set([...this.#roles.values()].map((role) => role.continues));
    return this.#all
      .filter((other) => other !== c && byTime(first(other), first(c)) < 0 && !continued.has(other))
      .sort((a, b) => byTime(last(b), last(a)));
  }

  /** A single reply to a request that another conversation begins with too was discarded, unless it is a run of its own. */
  #foldRetries(): void {
    for (const c of [...this.#all].reverse()) {
      if (this.#roles.has(c) || c.turns.length > 1 || first(c).next !== null || first(c).node !== c.start) continue;
      const home = this.#all.find(
        (other) =>
          other !== c &&
          other.start === c.start &&
          this.#roles.get(other)?.role !== 'auxiliary' &&
          (this.#roles.has(other) || !this.#isRestart(c, other)),
      );
      if (home === undefined) continue;
      home.turns.push(...c.turns);
      home.turns.sort(byTime);
      this.#all.splice(this.#all.indexOf(c), 1);
    }
  }

  /** Is the pause between two first requests far longer than any other of the session? Then it was run again. */
  #isRestart(a: Conversation, b: Conversation): boolean {
    const [from, to] = [first(a).at, first(b).at].sort((x, y) => x - y) as [number, number];
    const times = this.#all.flatMap((c) => c.turns.map((turn) => turn.at)).sort((x, y) => x - y);
    const pauses = times.slice(1).map((at, i) => ({ at, pause: at - (times[i] as number) }));
    const between = Math.max(0, ...pauses.filter((p) => p.at > from && p.at <= to).map((p) => p.pause));
    const other = pauses.filter((p) => p.at <= from || p.at > to).map((p) => p.pause);
    return other.length > 0 && between > RESTART_FACTOR * Math.max(1, ...other);
  }

  /** What is left are main threads, one a run; what runs inside another one with fewer tools is a subagent of unknown origin. */
  #findMain(): void {
    let run = 0;
    let main: Conversation | null = null;
    const starts = new Map<Node, Role[]>();
    for (const c of this.#open()) {
      const within = main !== null && byTime(first(c), last(main)) < 0 && this.#kind !== 'nameless';
      if (
        within &&
        main !== null &&
        main.start !== c.start &&
        this.#toolCount(c) <= this.#toolCount(main) &&
        !sharesStart(main, c)
      ) {
        this.#set(c, { role: 'subagent' });
        continue;
      }
      const anew = main !== null && main.start !== c.start && this.#kind === 'attempt';
      if (anew) {
        // A scaffold that lost its session and began again, in the same run.
        this.#set(c, { role: 'main', continues: main });
        main = c;
        continue;
      }
      if (main !== null) run++;
      main = c;
      this.#set(c, { role: 'main', run });
      const known = starts.get(c.start) ?? [];
      known.push(this.#roles.get(c) as Role);
      starts.set(c.start, known);
    }
    for (const group of starts.values())
      if (group.length > 1 && group.every((role) => lastAssistant(first(role.conversation).node) === null))
        for (const role of group) role.again = true;
    this.#ensureMain();
    this.#spreadRuns();
  }

  /** A session of auxiliary calls alone, or of subagents whose parent was not recorded, still has a main thread. */
  #ensureMain(): void {
    const roles = [...this.#roles.values()];
    if (roles.some((role) => role.role === 'main' && role.continues === null)) return;
    const orphans = roles.filter((role) => role.spawn === null && role.continues === null && role.kind === 'side');
    const chosen = orphans.sort((a, b) => b.conversation.turns.length - a.conversation.turns.length)[0];
    if (chosen === undefined) return;
    chosen.role = 'main';
    delete chosen.kind;
  }

  #spreadRuns(): void {
    const mains = this.#all.flatMap((c) => {
      const role = this.#roles.get(c);
      return role?.role === 'main' && role.continues === null ? [role] : [];
    });
    const runOf = (role: Role): number => {
      const parent = role.continues ?? role.spawn?.conversation;
      const above = parent === undefined ? undefined : this.#roles.get(parent);
      if (above !== undefined) return runOf(above);
      if (mains.includes(role)) return role.run;
      return (
        (mains.filter((m) => byTime(first(m.conversation), first(role.conversation)) < 0).at(-1) ?? mains[0])?.run ?? 0
      );
    };
    for (const role of this.#roles.values()) role.run = runOf(role);
  }
}

const sharesStart = (a: Conversation, b: Conversation): boolean => pathTo(a.start)[0] === pathTo(b.start)[0];

const auxiliaryKind = (c: Conversation): string | null => {
  if (c.turns.every((turn) => LIMITS.some((name) => turn.setting.params[name] === 1))) return 'quota';
  return asked(c) === 'Warmup' ? 'warmup' : null;
};

const sideKind = (c: Conversation): string | null => {
  const system = first(c)
    .setting.system.map((b) => (b.type === 'text' ? b.text : ''))
    .join('\n');
  const text = `${system.slice(0, 2000)}\n${asked(c).slice(0, 2000)}`;
  return KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
};
