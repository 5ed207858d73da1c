/**
 * Reads a git configuration as git does (git-config(1), "Syntax"; config.c of git): several headers may stand on one line,
 * a comment ends with its line whatever stands at its end, and a value does not where a backslash escapes the line break.
 * What git refuses is passed over to the end of its line: git would run nothing under such a file.
 */

export interface ConfigurationEntry {
  /** `section.name` or `section.sub-section.name`, in small letters. */
  readonly key: string;
  readonly value: string;
}

/** Every alternative starts with another character and takes all it can, so that no text makes this slow. */
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
