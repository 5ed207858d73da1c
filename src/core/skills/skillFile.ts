/** Reads skills (agentskills.io) and prompt files (of VS Code, Claude Code and Codex). */
import * as z from 'zod';
import { visibleName } from '../../protocol/text/escapeInvisible.ts';
import { shortened } from '../../protocol/text/truncate.ts';
import type { ProposingFile } from '../trust/fileProposals.ts';
import { lineOfField, readFrontMatter } from '../util/frontMatter.ts';
import { hasCommands } from './expandText.ts';
import { notesOnList } from './listedTools.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

/** `skill`: a SKILL.md, which the model may read by itself. `prompt`: a text that only the user runs. */
export type SkillKind = 'skill' | 'prompt';

/** A file that may hold a skill or a prompt. */
export interface SkillFile extends ProposingFile {
  readonly kind: SkillKind;
  /** The name for a file without one: that of the folder of a skill, that of the file of a prompt. */
  readonly given: string;
  /** Folders between the folder of all prompts and the file, joined by `:`. With it two of one name differ. Empty for none. */
  readonly group: string;
}

/** A text that the user runs as `/name`; for a skill also its entry in the list of the model. */
export interface Skill {
  readonly kind: SkillKind;
  readonly name: string;
  /** One line, at most 1024 characters, without invisible ones. */
  readonly description: string;
  /** The text shown behind the name; empty for none. */
  readonly argumentHint: string;
  /** The absolute path of its file. */
  readonly source: string;
  readonly text: string;
  /** The tools that it lists, by the names in the file; `null`: it lists none, so calls need no further approval. */
  readonly allowedTools: readonly string[] | null;
  /** The model gets it in its list. */
  readonly forModel: boolean;
  /** `/name` runs it. */
  readonly forUser: boolean;
}

export type ParsedSkill =
  | {
      readonly type: 'skill';
      readonly skill: Skill;
      /** One sentence for each part of the file that is unusual or has no effect. */
      readonly notes: readonly string[];
    }
  | { readonly type: 'problem'; readonly message: string };

/** In characters, as the specification has it; a longer one is cut. */
const MAX_DESCRIPTION = 1024;
const MAX_HINT = 100;

/** Names of fields at the beginning of a line; others that products know end a field, too. */
const FIELDS = [
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
  'argument-hint',
  'disable-model-invocation',
  'user-invocable',
  'tools',
  'model',
  'agent',
  'mode',
  'context',
  'hooks',
  'effort',
  'version',
];

const textSchema = z.string('must be a text').nullish();
const listSchema = z
  .union(
    [
      z.array(z.string()),
      // With spaces or commas between the names, which may have patterns: `Bash(git add:*), Read`. A pattern without an end takes
      // the rest: read again from each bracket, a hostile list would take long, and without its pattern an entry would list more.
      z.string().transform((text) => text.match(/[^\s,()]+(?:\([^)]*(?:\)|$))?/g) ?? []),
    ],
    'must be a list of names',
  )
  .nullish();
const switchSchema = z
  .union([z.boolean('must be true or false'), z.enum(['true', 'false']).transform((text) => text === 'true')])
  .nullish();
const fieldsSchema = lazyObject(() => ({
  name: textSchema,
  description: textSchema,
  // YAML reads `[file]` as a list.
  'argument-hint': z
    .union([z.string('must be a text'), z.array(z.string()).transform((names) => `[${names.join(', ')}]`)])
    .nullish(),
  'allowed-tools': listSchema,
  tools: listSchema,
  'disable-model-invocation': switchSchema,
  'user-invocable': switchSchema,
}));
type Fields = z.infer<typeof fieldsSchema>;

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,63}$/u;

/** `otherTools`: names of the tools that extensions offer. */
export function parseSkillFile(file: SkillFile, otherTools: readonly string[] = []): ParsedSkill {
  const { text, kind, given, unread, source } = file;
  if (text === undefined) return problem(unread ?? 'it cannot be read');
  // A prompt may consist of its text alone.
  const isPlain = kind === 'prompt' && !text.startsWith('---');
  const read = isPlain ? { type: 'read' as const, fields: {}, body: text.trim() } : readFrontMatter(text, FIELDS);
  if (read.type === 'problem') return problem(`line ${read.line}: ${read.message}`);
  const parsed = fieldsSchema.safeParse(read.fields);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = String(issue?.path[0] ?? '');
    return problem(`line ${lineOfField(text, field)}: ${field} ${issue?.message ?? 'is not valid'}`);
  }
  const { data } = parsed;
  const name = (data.name ?? given).trim().replaceAll(/\s+/g, '-');
  if (!NAME.test(name)) {
    const rule = 'the name must begin with a letter or digit and have only letters, digits, -, _ and .';
    return problem(`line ${lineOfField(text, 'name')}: ${rule}, at most 64`);
  }
  const { body } = read;
  if (body === '') return problem('it has no text below the front matter');
  const description = data.description?.trim() || (kind === 'prompt' ? (body.split('\n', 1)[0] ?? '') : '');
  if (description === '') {
    const line = lineOfField(text, 'description');
    return problem(`line ${line}: description is missing: it tells the model when to use the skill`);
  }
  const allowedTools = listedTools(kind, data);
  return {
    type: 'skill',
    skill: {
      kind,
      name,
      description: inShort(description, MAX_DESCRIPTION),
      argumentHint: inShort(data['argument-hint'] ?? '', MAX_HINT),
      source,
      text: body,
      allowedTools,
      forModel: kind === 'skill' && data['disable-model-invocation'] !== true,
      forUser: data['user-invocable'] !== false,
    },
    notes: [
      ...(kind === 'skill' && name !== given ? [`Its folder has another name: ${inShort(given, 64)}.`] : []),
      ...(description.length > MAX_DESCRIPTION
        ? [`Of its description only the first ${MAX_DESCRIPTION} characters are used.`]
        : []),
      ...notesOnList(allowedTools ?? [], otherTools),
      ...(hasCommands(body)
        ? ['Tiller does not run the commands in it (!`…`). The model reads that, and may run them like any other.']
        : []),
    ],
  };
}

/** VS Code's prompt files name their tools in `tools`. */
function listedTools(kind: SkillKind, { 'allowed-tools': allowed, tools }: Fields): readonly string[] | null {
  const listed = allowed ?? (kind === 'prompt' ? tools : null) ?? null;
  return listed?.map((name) => name.trim()).filter((name) => name !== '') ?? null;
}

/** A text of a file in one line without invisible characters, which could hide instructions from the user. */
function inShort(text: string, limit: number): string {
  return shortened(visibleName(text.trim().replaceAll(/\s+/g, ' ')), limit);
}

function problem(message: string): ParsedSkill {
  return { type: 'problem', message };
}
