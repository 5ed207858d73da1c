import * as z from 'zod';
import type { AgentRole } from '../tools/agents/agents.ts';
import { MAX_DESCRIPTION } from '../tools/agents/rolesText.ts';
import { DEFAULT_ROLE } from '../tools/agents/spawnAgent.ts';
import { toolsOfAgent } from '../tools/foreignNames.ts';
import type { ProposingFile } from '../trust/fileProposals.ts';
import { lineOfField, readFrontMatter } from '../util/frontMatter.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

/** A file that may describe an agent. */
export interface AgentFile extends ProposingFile {
  /** Without folder. */
  readonly fileName: string;
}

export type ParsedAgent =
  | {
      readonly type: 'agent';
      /** `model` is the name in the file. */
      readonly role: AgentRole;
      /** One sentence for each part of the file that has no effect. */
      readonly notes: readonly string[];
    }
  | { readonly type: 'problem'; readonly message: string };

/** Names of fields at the beginning of a line; others that products know end a field, too. */
const FIELDS = [
  'name',
  'description',
  'tools',
  'disallowedTools',
  'model',
  'color',
  'permissionMode',
  'skills',
  'hooks',
  'memory',
  'target',
  'argument-hint',
  'mcp-servers',
  'handoffs',
];

const listSchema = z.union([
  z.array(z.string(), 'must be a list of names'),
  // The second form of Claude Code.
  z.string().transform((text) => text.split(',')),
]);
const fieldsSchema = lazyObject(() => ({
  name: z.string('must be a text').nullish(),
  description: z.string('is missing: it tells the model when to use the agent').trim().min(1, 'is empty'),
  tools: listSchema.nullish(),
  disallowedTools: listSchema.nullish(),
  model: z.string('must be a text').nullish(),
  color: z.string('must be a text').nullish(),
}));

const NAME = /^[A-Za-z][\w-]{0,63}$/;

/**
 * Reads the description of an agent in the format of Claude Code: front matter, and the instructions as Markdown.
 * `otherTools`: names of the tools that extensions offer.
 */
export function parseAgentFile(
  { text, fileName, unread }: Pick<AgentFile, 'text' | 'fileName' | 'unread'>,
  otherTools: readonly string[] = [],
): ParsedAgent {
  if (text === undefined) return problem(unread ?? 'it cannot be read');
  const read = readFrontMatter(text, FIELDS);
  if (read.type === 'problem') return problem(`line ${read.line}: ${read.message}`);
  const parsed = fieldsSchema.safeParse(read.fields);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = String(issue?.path[0] ?? '');
    return problem(`line ${lineOfField(text, field)}: ${field} ${issue?.message ?? 'is not valid'}`);
  }
  const { description, tools, disallowedTools, model, color } = parsed.data;
  const name = (parsed.data.name ?? fileName.replace(/(?:\.agent)?\.md$/, '')).trim().replaceAll(/\s+/g, '-');
  if (!NAME.test(name)) {
    return problem(
      `line ${lineOfField(text, 'name')}: the name must begin with a letter and have only letters, digits, - and _`,
    );
  }
  if (name === DEFAULT_ROLE) {
    return problem(`line ${lineOfField(text, 'name')}: the name ${name} is that of an agent without a file`);
  }
  if (read.body === '') return problem('it has no instructions below the front matter');
  const lists = { tools: tools ? names(tools) : undefined, without: names(disallowedTools ?? []) };
  const { notes, ...allowed } = toolsOfAgent(lists, otherTools);
  const cut = description.length > MAX_DESCRIPTION;
  return {
    type: 'agent',
    role: {
      name,
      description,
      instructions: read.body,
      ...allowed,
      readOnly: false,
      model: model?.trim() || null,
      ...(color ? { color: color.trim().toLowerCase() } : {}),
    },
    notes: [
      ...notes,
      ...(cut ? [`Of its description the model reads only the first ${MAX_DESCRIPTION} characters.`] : []),
    ],
  };
}

function names(list: readonly string[]): readonly string[] {
  return list.map((name) => name.trim()).filter((name) => name !== '');
}

function problem(message: string): ParsedAgent {
  return { type: 'problem', message };
}
