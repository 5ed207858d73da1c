/** Colours code with highlight.js: fifteen languages, four colours, and runs instead of HTML. */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { appendRun, type Run } from './runs.ts';

const LANGUAGES = {
  bash,
  cpp,
  csharp,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};

/** Maximum number of characters of code that is coloured: longer code is not read in the panel. */
const HIGHLIGHT_LIMIT = 60_000;

/** The colour classes of a webview (docs/reference/libraries.md §2.7), by the first word of highlight.js's scope. */
const INKS: Readonly<Record<string, string>> = {
  keyword: 'tk-k',
  literal: 'tk-k',
  built_in: 'tk-k',
  tag: 'tk-k',
  'selector-tag': 'tk-k',
  string: 'tk-s',
  regexp: 'tk-s',
  addition: 'tk-add',
  deletion: 'tk-del',
  number: 'tk-n',
  symbol: 'tk-n',
  comment: 'tk-c',
  quote: 'tk-c',
  meta: 'tk-c',
};

/** The emitter that highlight.js calls; the default one would write HTML. */
class RunEmitter {
  readonly runs: Run[] = [];
  readonly #scopes: string[] = [];

  addText(text: string): void {
    const scope = this.#scopes.findLast((name) => INKS[inkName(name)] !== undefined);
    appendRun(this.runs, text, { ink: scope === undefined ? '' : (INKS[inkName(scope)] ?? '') });
  }
  startScope(name: string): void {
    this.#scopes.push(name);
  }
  endScope(): void {
    this.#scopes.pop();
  }
  openNode(name: string): void {
    this.startScope(name);
  }
  closeNode(): void {
    this.endScope();
  }
  __addSublanguage(emitter: RunEmitter): void {
    for (const { text, ink } of emitter.runs) appendRun(this.runs, text, { ink });
  }
  closeAllNodes(): void {}
  finalize(): void {}
  toHTML(): string {
    return '';
  }
}

function inkName(scope: string): string {
  return scope.split('.', 1)[0] ?? scope;
}

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
hljs.registerAliases(['sh', 'shell', 'zsh', 'console'], { languageName: 'bash' });
hljs.registerAliases(['c', 'h', 'hpp'], { languageName: 'cpp' });
hljs.registerAliases(['html', 'vue', 'svelte', 'svg'], { languageName: 'xml' });
hljs.registerAliases(['jsonc', 'json5'], { languageName: 'json' });
hljs.registerAliases(['patch'], { languageName: 'diff' });
hljs.configure({ __emitter: RunEmitter });

/**
 * Returns the runs of a code. `language` is a name, an alias or a file extension; for an unknown one the code is a
 * single plain run.
 */
export function highlight(code: string, language: string): readonly Run[] {
  if (code.length > HIGHLIGHT_LIMIT || !hljs.getLanguage(language)) return [{ text: code, ink: '' }];
  const { _emitter: emitter } = hljs.highlight(code, { language, ignoreIllegals: true });
  return emitter instanceof RunEmitter ? emitter.runs : [{ text: code, ink: '' }];
}

/** Returns the name of a language: `TypeScript` for `ts`; `undefined` for an unknown language. */
export function languageName(language: string): string | undefined {
  return language.toLowerCase() === 'mermaid' ? 'Mermaid' : hljs.getLanguage(language)?.name;
}

/** Returns the file's extension, by which `highlight` finds its language. */
export function languageOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).toLowerCase();
}
