/**
 * Finds formulas: `\\(…\\)`, `\\[…\\]`, `$$…$$`, and `$…$`. For the last form, the enclosed text has no space at its
 * ends and the dollar signs do not touch a word: `$HOME/$USER` is no formula. The rendered HTML contains the formula as
 * it was written; the page draws it (`enrichMarkdown`).
 */
import type MarkdownIt from 'markdown-it';

type Parser = InstanceType<typeof MarkdownIt>;

/** Maximum number of characters of a formula. */
const MAX_LENGTH = 4_000;

const INLINE =
  /^(?:\\\((.+?)\\\)|\\\[(.+?)\\\]|\$\$(.+?)\$\$|\$(?!\s)((?:[^$\\\n`]|\\.)+?)(?<!\s)\$(?![\p{L}\p{N}_]))/su;
const IN_WORD = /[\p{L}\p{N}_]$/u;

export function mathSource(markdown: Parser): void {
  markdown.inline.ruler.before('escape', 'math', (state, silent) => {
    const char = state.src[state.pos];
    if (char !== '$' && char !== '\\') return false;
    const [written, round, square, dollars, dollar] =
      INLINE.exec(state.src.slice(state.pos, state.pos + MAX_LENGTH)) ?? [];
    const formula = round ?? square ?? dollars ?? dollar;
    if (written === undefined || formula === undefined || formula.trim() === '') return false;
    if (dollar !== undefined && IN_WORD.test(state.src.slice(Math.max(0, state.pos - 2), state.pos))) return false;
    if (!silent) {
      const token = state.push('math', 'code', 0);
      token.content = written;
      token.meta = { formula: formula.trim(), isBlock: (square ?? dollars) !== undefined };
    }
    state.pos += written.length;
    return true;
  });

  markdown.block.ruler.before(
    'fence',
    'math_block',
    (state, startLine, endLine, silent) => {
      const lineAt = (line: number) =>
        state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trimEnd();
      if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
      const first = lineAt(startLine);
      const close = first.startsWith('$$') ? '$$' : first.startsWith('\\[') ? '\\]' : null;
      if (close === null) return false;
      const lines = [first.slice(2)];
      let line = startLine;
      for (let last = lines[0]; last?.endsWith(close) !== true; last = lines.at(-1)) {
        line++;
        if (line >= endLine || (state.sCount[line] ?? 0) < state.blkIndent) return false;
        const next = lineAt(line);
        if (next === '') return false;
        lines.push(next);
      }
      const formula = lines.join('\n').slice(0, -2).trim();
      if (formula === '' || formula.length > MAX_LENGTH || formula.includes(close)) return false;
      if (silent) return true;
      const token = state.push('math', 'code', 0);
      token.content = `${first.slice(0, 2)}\n${formula}\n${close}`;
      token.meta = { formula, isBlock: true };
      token.map = [startLine, line + 1];
      state.line = line + 1;
      return true;
    },
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
  );

  const { escapeHtml } = markdown.utils;
  markdown.renderer.rules.math = (tokens, index) => {
    const { content = '', meta, level = 0 } = tokens[index] ?? {};
    const isBlock: boolean = meta?.isBlock === true;
    const data = `data-formula="${escapeHtml(typeof meta?.formula === 'string' ? meta.formula : '')}"${isBlock ? ' data-display' : ''}`;
    const html = `<code class="math" ${data}>${escapeHtml(content)}</code>`;
    return isBlock && level === 0 && tokens[index]?.block ? `<p class="math-block">${html}</p>` : html;
  };
}
