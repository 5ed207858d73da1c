/**
 * Renders Markdown of a model as blocks: safe, without inline styles, and cheap to extend (docs/reference/libraries.md
 * §8.2, §8.3).
 *
 * While a text streams, finished blocks are parsed once. Only the last block is parsed again in each frame, and an open
 * code fence not at all.
 */
import MarkdownIt from 'markdown-it';
import { t } from '../l10n.ts';
import { readInfo } from './codeInfo.ts';
import { fileLinkHtml, filePlaceOf } from './fileLink.ts';
import { mathSource } from './mathSource.ts';
import { taskLists, textDirections } from './markdownRules.ts';

export type Block =
  | { readonly type: 'html'; readonly html: string }
  | { readonly type: 'code'; readonly info: string; readonly code: string; readonly complete: boolean };

const markdown = new MarkdownIt({ html: false }).use(taskLists).use(textDirections).use(mathSource);
type Token = ReturnType<typeof markdown.parse>[number];
/** The state of the parser besides the tokens: the link references of a text. */
type Environment = Parameters<typeof markdown.parse>[1];

/**
 * Allows links to the web, mail addresses, and files in the workspace. `command:` and `javascript:` stay plain text.
 */
markdown.validateLink = (url) => {
  const target = url.trim();
  return /^(https?:|mailto:)/i.test(target) || !/^[a-z][a-z\d+.-]+:/i.test(target) || /^[^:]+\.\w+:\d+$/.test(target);
};

/** A turn is headed by `h2` and a reply by `h3`, so all headings of a model are `h4`. They differ in size. */
markdown.renderer.rules.heading_open = (tokens, index) =>
  `<h4 dir="auto" class="md-${tokens[index]?.tag === 'h1' || tokens[index]?.tag === 'h2' ? tokens[index].tag : 'h3'}">`;
markdown.renderer.rules.heading_close = () => '</h4>';
markdown.renderer.rules.table_open = () => '<div class="table" tabindex="0" role="group"><table>';
markdown.renderer.rules.table_close = () => '</table></div>';

for (const rule of ['th_open', 'td_open']) {
  markdown.renderer.rules[rule] = (tokens, index) => {
    const align = /text-align:(\w+)/.exec(String(tokens[index]?.attrGet('style') ?? ''))?.[1];
    return `<${tokens[index]?.tag} dir="auto"${align === undefined ? '' : ` class="align-${align}"`}>`;
  };
}

/** Renders a fence inside a list or a quotation; fences at the top level are blocks of their own. */
markdown.renderer.rules.fence = (tokens, index) => {
  const { content = '', info = '' } = tokens[index] ?? {};
  const { title } = readInfo(info.trim());
  const copy = escape(t('Copy Code'));
  return (
    `<figure class="code code-nested" data-testid="code-nested"><figcaption class="code-head"><span class="code-name">${escape(title)}</span>` +
    `<button type="button" class="ibtn" data-testid="code-nested-copy" data-act="copy" title="${copy}" aria-label="${copy}">` +
    `<span class="codicon codicon-copy" aria-hidden="true"></span></button></figcaption>` +
    `<pre tabindex="0" role="group" aria-label="${escape(t('Code, {0}', title))}"><code>${escape(content)}</code></pre></figure>`
  );
};
markdown.renderer.rules.code_block = markdown.renderer.rules.fence;

markdown.renderer.rules.code_inline = (tokens, index) => {
  const text = tokens[index]?.content ?? '';
  const place = isInLink(tokens, index) ? null : filePlaceOf(text);
  return place === null ? `<code>${escape(text)}</code>` : fileLinkHtml(place, escape);
};

markdown.renderer.rules.link_open = (tokens, index) => {
  const target = String(tokens[index]?.attrGet('href') ?? '');
  if (/^(https?:|mailto:)/i.test(target)) return `<a class="link" href="${escape(target)}" title="${escape(target)}">`;
  const [path = '', line] = target.split(/#L?|:(?=\d+$)/);
  const data = `data-path="${escape(decoded(path))}"${line ? ` data-line="${escape(line)}"` : ''}`;
  return `<a class="file" href="#" title="${escape(decoded(target))}" ${data}>`;
};

/**
 * Renders a picture of the workspace as an element that `enrichMarkdown` loads. A picture of another place is not
 * loaded: the request would show its server that the text was read.
 */
markdown.renderer.rules.image = (tokens, index) => {
  const source = String(tokens[index]?.attrGet('src') ?? '');
  const label = escape(t('image: {0}', tokens[index]?.content.trim() || source));
  const target = escape(source);
  if (/^(https?:|mailto:)/i.test(source)) {
    return isInLink(tokens, index) ? label : `<a class="link" href="${target}" title="${target}">${label}</a>`;
  }
  const path = escape(decoded(source));
  return isInLink(tokens, index)
    ? label
    : `<a class="file md-image" href="#" title="${path}" data-path="${path}" data-image="${path}">${label}</a>`;
};

const BARE_ADDRESS = /\bhttps?:\/\/[^\s<>"'()[\]]+[^\s<>"'()[\].,;:!?]/g;

markdown.renderer.rules.text = (tokens, index) => {
  const text = tokens[index]?.content ?? '';
  if (!text.includes('://') || isInLink(tokens, index)) return escape(text);
  let html = '';
  let from = 0;
  for (const { 0: url, index: at } of text.matchAll(BARE_ADDRESS)) {
    html += `${escape(text.slice(from, at))}<a class="link" href="${escape(url)}">${escape(url)}</a>`;
    from = at + url.length;
  }
  return html + escape(text.slice(from));
};

function escape(text: string): string {
  return markdown.utils.escapeHtml(text);
}

function decoded(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}

function isInLink(tokens: readonly Token[], index: number): boolean {
  for (let at = index - 1; at >= 0; at--) {
    const type = tokens[at]?.type;
    if (type === 'link_open' || type === 'link_close') return type === 'link_open';
  }
  return false;
}

/** Returns the starts of the top-level blocks, as indices into the tokens. */
function blockStarts(tokens: readonly Token[]): number[] {
  return tokens.flatMap((token, index) => (token.level === 0 && token.nesting >= 0 && token.map ? [index] : []));
}

function blockOf(tokens: Token[], environment: Environment): Block {
  const [first] = tokens;
  if (first?.type === 'fence') return { type: 'code', info: first.info.trim(), code: first.content, complete: true };
  if (first?.type === 'code_block') return { type: 'code', info: '', code: first.content, complete: true };
  return { type: 'html', html: markdown.renderer.render(tokens, markdown.options, environment) };
}

/** Renders a complete text. */
export function renderMarkdown(text: string): readonly Block[] {
  const environment: Environment = {};
  const tokens = markdown.parse(text, environment);
  const starts = blockStarts(tokens);
  return starts.map((start, index) => blockOf(tokens.slice(start, starts[index + 1]), environment));
}

/**
 * Renders a growing text. Pass the whole text each time; only the new part is parsed. A block is finished when another
 * one begins on a complete line: an incomplete line may still become something else.
 */
export class MarkdownStream {
  readonly #finished: Block[] = [];
  /** The unfinished part: the last block, and an incomplete line. */
  #rest = '';
  #length = 0;
  #settledLength = 0;
  #usesReferences = false;
  #openFence: { readonly info: string; readonly close: RegExp } | null = null;

  update(text: string): readonly Block[] {
    // If the text is shorter than before, it has no new block.
    this.#rest += text.slice(this.#length);
    this.#length = Math.max(this.#length, text.length);
    if (this.#openFence !== null && !this.#openFence.close.test(this.#rest))
      return this.#withOpenCode(this.#openFence.info);
    this.#settle();
    this.#openFence = openFenceOf(this.#rest);
    if (this.#openFence !== null) return this.#withOpenCode(this.#openFence.info);
    return [...this.#finished, ...this.#parse(this.#rest).map(({ block }) => block)];
  }

  /** Returns the same blocks as `renderMarkdown(text)`. Most of them are already rendered. */
  finish(text: string): readonly Block[] {
    if (this.#length === 0) return renderMarkdown(text);
    const blocks = this.update(text);
    // A formula of several lines may have looked like other blocks while it was open.
    if (this.#usesReferences || /^ {0,3}(?:\$\$|\\\[)/m.test(text)) return renderMarkdown(text);
    return this.#openFence === null ? blocks : [...this.#finished, ...renderMarkdown(this.#rest)];
  }

  #settle(): void {
    const end = this.#rest.lastIndexOf('\n') + 1;
    if (end === this.#settledLength) return;
    const blocks = this.#parse(this.#rest.slice(0, end));
    const last = blocks.at(-1);
    if (last !== undefined && blocks.length > 1) {
      for (const { block } of blocks.slice(0, -1)) this.#finished.push(block);
      this.#rest = this.#rest.split('\n').slice(last.line).join('\n');
    }
    this.#settledLength = this.#rest.lastIndexOf('\n') + 1;
  }

  #parse(text: string): readonly { readonly line: number; readonly block: Block }[] {
    const environment: Environment = {};
    const tokens = markdown.parse(text, environment);
    if (environment.references !== undefined) this.#usesReferences = true;
    const starts = blockStarts(tokens);
    return starts.map((start, index) => ({
      line: tokens[start]?.map?.[0] ?? 0,
      block: blockOf(tokens.slice(start, starts[index + 1]), environment),
    }));
  }

  #withOpenCode(info: string): readonly Block[] {
    const code = this.#rest.slice(this.#rest.indexOf('\n') + 1);
    return [...this.#finished, { type: 'code', info, code, complete: false }];
  }
}

function openFenceOf(text: string): { info: string; close: RegExp } | null {
  const opening = /^ {0,3}(`{3,}|~{3,})([^\n]*)\n/.exec(text);
  if (!opening) return null;
  const [, marker = '', info = ''] = opening;
  if (marker.startsWith('`') && info.includes('`')) return null;
  const close = new RegExp(`\\n {0,3}${marker[0]}{${marker.length},}[^\\S\\n]*(\\n|$)`);
  return close.test(text) ? null : { info: info.trim(), close };
}
