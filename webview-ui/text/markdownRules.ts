/** Rules that markdown-it does not have: task lists, and the direction of a text by its first letters. */
import type MarkdownIt from 'markdown-it';
import { t } from '../l10n.ts';

type Parser = InstanceType<typeof MarkdownIt>;

const DIRECTED: ReadonlySet<string> = new Set([
  'paragraph_open',
  'blockquote_open',
  'bullet_list_open',
  'ordered_list_open',
  'list_item_open',
]);

/**
 * Sets the direction of each paragraph and list by its first letters. Headings and cells have renderers of their own.
 */
export function textDirections(markdown: Parser): void {
  markdown.core.ruler.push('text_directions', ({ tokens }) => {
    for (const token of tokens) if (DIRECTED.has(token.type)) token.attrSet('dir', 'auto');
  });
}

/** Renders `- [x] done` as a check box that shows the state and cannot be changed. */
export function taskLists(markdown: Parser): void {
  markdown.core.ruler.push('task_lists', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const item = tokens[index - 2];
      const [first] = token.children ?? [];
      if (item?.type !== 'list_item_open' || first?.type !== 'text') continue;
      const [mark, state] = /^\[([ xX])\](?:\s+|$)/.exec(first.content) ?? [];
      if (mark === undefined) continue;
      item.attrSet('class', state === ' ' ? 'task' : 'task is-done');
      first.content = first.content.slice(mark.length);
    }
  });
  markdown.renderer.rules.list_item_open = (tokens, index, options, _environment, self) => {
    const token = tokens[index];
    const html = self.renderToken(tokens, index, options);
    const className = String(token?.attrGet('class') ?? '');
    if (!className.startsWith('task')) return html;
    const isDone = className.endsWith('is-done');
    const label = markdown.utils.escapeHtml(isDone ? t('Done') : t('Not done'));
    return `${html.trimEnd()}<span class="codicon codicon-${isDone ? 'check' : 'circle-large'} task-box" role="img" aria-label="${label}"></span>`;
  };
}
