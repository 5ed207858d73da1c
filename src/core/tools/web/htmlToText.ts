/** The text of an HTML page for a model: title, headings, lists, tables, code and links; no scripts, styles and menus. */
import { Parser } from 'htmlparser2';

const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'nav', 'select', 'button']);
const BLOCKS = new Set(
  'title p div section article main header footer aside ul ol dl dt dd table tr blockquote figure figcaption address details summary hr'.split(
    ' ',
  ),
);
const HEADING = /^h[1-6]$/;

/** Links are written as `text (address)`, absolute. Entities are decoded. `base`: the address of the page. */
export function htmlToText(html: string, base: string): string {
  const parts: string[] = [];
  let skipped = 0;
  let preformatted = 0;
  const links: string[] = [];
  const push = (text: string) => {
    if (skipped === 0 && text !== '') parts.push(text);
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      if (SKIPPED.has(name)) skipped++;
      else if (name === 'pre') {
        push('\n\n```\n');
        preformatted++;
      } else if (HEADING.test(name)) push(`\n\n${'#'.repeat(Number(name[1]))} `);
      else if (name === 'li') push('\n- ');
      else if (name === 'br') push('\n');
      else if (name === 'td' || name === 'th') push(' | ');
      else if (name === 'img') push(attributes['alt'] ? `[image: ${attributes['alt']}]` : '');
      else if (name === 'a') links.push(addressOf(attributes['href'], base));
      else if (name === 'code' && preformatted === 0) push('`');
      else if (BLOCKS.has(name)) push(name === 'tr' || name === 'dd' || name === 'dt' ? '\n' : '\n\n');
    },
    ontext(text) {
      if (preformatted > 0) return push(text);
      const flowing = text.replace(/\s+/g, ' ');
      push(/(?:^|[\n ])$/.test(parts.at(-1) ?? '') ? flowing.trimStart() : flowing);
    },
    onclosetag(name) {
      if (SKIPPED.has(name)) skipped = Math.max(0, skipped - 1);
      else if (name === 'pre') {
        preformatted = Math.max(0, preformatted - 1);
        push('\n```\n\n');
      } else if (name === 'a') {
        const address = links.pop() ?? '';
        push(address === '' ? '' : ` (${address})`);
      } else if (name === 'code' && preformatted === 0) push('`');
      else if (HEADING.test(name) || BLOCKS.has(name)) push('\n');
    },
  });
  parser.write(html);
  parser.end();
  return parts
    .join('')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Empty for links that lead nowhere else: parts of the same page, scripts. */
function addressOf(href: string | undefined, base: string): string {
  if (href === undefined || href.startsWith('#') || !URL.canParse(href, base)) return '';
  const url = new URL(href, base);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : '';
}
