import { parseDocument } from 'yaml';
import { messageOf } from './fileErrors.ts';

export type FrontMatter =
  | { readonly type: 'read'; readonly fields: Readonly<Record<string, unknown>>; readonly body: string }
  | { readonly type: 'problem'; readonly line: number; readonly message: string };

const HEAD = /^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m;

/**
 * The fields in front of a Markdown text, and the text. They are YAML; where they are not, as the descriptions of many agent
 * files of Claude Code, a line that begins with one of the known names begins its field.
 */
export function readFrontMatter(text: string, known: readonly string[]): FrontMatter {
  const [whole, head = ''] = (text.startsWith('---') && HEAD.exec(text)) || [];
  if (whole === undefined) {
    return { type: 'problem', line: 1, message: 'it has no front matter between two lines ---' };
  }
  const body = text.slice(whole.length).trim();
  const yaml = readYaml(head);
  if (yaml.type === 'fields') return { type: 'read', fields: yaml.fields, body };
  const loose = readLoosely(head, known);
  return loose === undefined ? { ...yaml, type: 'problem' } : { type: 'read', fields: loose, body };
}

/** The line of a field, else of the first ---; counted from 1. */
export function lineOfField(text: string, field: string): number {
  const at = text.split(/\r?\n/).findIndex((line) => line.startsWith(`${field}:`));
  return at + 1 || 1;
}

type Read =
  | { readonly type: 'fields'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly type: 'wrong'; readonly line: number; readonly message: string };

function readYaml(head: string): Read {
  // A hostile file would take long: nested keys (`? ? ? …`) that become texts hours, the comparison of 8,000 keys 12 s.
  const document = parseDocument(head, { logLevel: 'error', stringKeys: true, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const [message = ''] = error.message.split(/ at line \d+/);
    // The line of the first ---.
    return { type: 'wrong', line: (error.linePos?.[0].line ?? 1) + 1, message };
  }
  try {
    // Aliases could make a small file very large.
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { type: 'fields', fields: value as Record<string, unknown> };
    }
  } catch (error) {
    return { type: 'wrong', line: 2, message: messageOf(error) };
  }
  return { type: 'wrong', line: 2, message: 'its front matter has no fields' };
}

/** `undefined` where the first line begins none of the known fields. */
function readLoosely(head: string, known: readonly string[]): Readonly<Record<string, string>> | undefined {
  const fields: Record<string, string> = {};
  let current: string | undefined;
  for (const line of head.trim().split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line) ?? [];
    if (known.includes(name)) {
      current = name;
      fields[name] = value;
    } else if (current === undefined) {
      return undefined;
    } else {
      fields[current] += `\n${line}`;
    }
  }
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.trim()]));
}
