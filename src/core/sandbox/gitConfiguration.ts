/**
 * Reads a git configuration as git does (git-config(1), "Syntax"; config.c of git): several headers may be on one line,
 * a comment always ends with its line, and a value continues where a backslash escapes the line break. Text that git
 * refuses is skipped to the end of its line: git would run no program with such a file.
 */

export interface ConfigurationEntry {
  /** `section.name` or `section.sub-section.name`, in lower case. */
  readonly key: string;
  readonly value: string;
}

/** Each alternative starts with another character and is greedy, so that no text causes slow backtracking. */
const TOKEN = new RegExp(
  [
    /[\s\uFEFF]+|[#;][^\n]*/,
    /\[(?<section>[\w.-]*)(?:\s+"(?<subSection>(?:[^"\\\n]|\\[^\n])*)")?\s*\]/,
    /(?<name>[A-Za-z](?:[\w-]|\\\r?\n)*)[ \t]*(?:=(?<value>(?:[^"\\\n#;]+|\\(?:\r\n|[^])|"(?:[^"\\\n]+|\\(?:\r\n|[^]))*")*)|(?=\r?\n|$))/,
    /(?<refused>[^\n])[^\n]*/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

export function entriesOf(configuration: string): ConfigurationEntry[] {
  const entries: ConfigurationEntry[] = [];
  let section = '';
  for (const { groups = {} } of configuration.matchAll(TOKEN)) {
    const { name, value = 'true', subSection } = groups;
    if (groups.section !== undefined) {
      section = [groups.section, ...(subSection === undefined ? [] : [unescaped(subSection)])].join('.');
    }
    if (name === undefined) continue;
    entries.push({ key: `${section}.${name.replaceAll(/\\\r?\n/g, '')}`.toLowerCase(), value: valueOf(value) });
  }
  return entries;
}

function unescaped(subSection: string): string {
  return subSection.replaceAll(/\\(.)/g, '$1');
}

function valueOf(raw: string): string {
  return raw
    .trim()
    .replaceAll(/\\(\r?\n|[^])|"/g, (_, escaped: string | undefined) =>
      escaped === undefined || escaped.endsWith('\n') ? '' : (ESCAPES[escaped] ?? escaped),
    );
}
