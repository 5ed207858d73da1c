// A made-up language: each text is 40 % longer and has accents, so that what is cut, or was never translated, is seen.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SOURCES = path.join(import.meta.dirname, '../../../webview-ui');
const ACCENTS = { a: 'á', e: 'ë', i: 'ï', o: 'ö', u: 'ü', y: 'ý', A: 'Å', E: 'Ë', I: 'Ï', O: 'Ö', U: 'Ü' };
const LONGER = 1.4;

/** The text in the made-up language; placeholders such as `{0}` stay. */
export function pseudo(text) {
  return text.replace(/\{\d\}|[A-Za-z]+/g, (word) => (word.startsWith('{') ? word : longer(word)));
}

/** Vowels get accents, and are repeated until the word is long enough: long words show more than many short ones. */
function longer(word) {
  const accented = [...word].map((letter) => ACCENTS[letter] ?? letter);
  let missing = Math.ceil(word.length * LONGER) - word.length;
  return accented
    .flatMap((letter) => {
      if (missing <= 0 || !/[^A-Za-z]/.test(letter)) return letter;
      missing--;
      return [letter, letter.toLowerCase()];
    })
    .join('')
    .padEnd(Math.ceil(word.length * LONGER), 'é');
}

/** Every text of the panel by its English original. A literal that is no text is never looked up. */
export function pseudoTexts() {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const texts = files.flatMap((file) => {
    const source = readFileSync(path.join(SOURCES, file), 'utf8');
    return [...source.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/g)].map(([, one, other]) =>
      (one ?? other ?? '').replace(/\\(['"\\])/g, '$1'),
    );
  });
  return Object.fromEntries(texts.map((text) => [text, pseudo(text)]));
}

/**
 * Texts of controls and headings that are cut or reach out of the page. Names, paths, models and commands may be
 * shortened: they are not of the language, and are there in full in a tooltip.
 * @returns {Promise<string[]>}
 */
export function cutTexts(page) {
  return page.evaluate(() => {
    const NAMES = 'code, .sr, .head-text, .fr-path, .step-label, .plan-now, .plan-card-title, .processes-first';
    const controls = [
      ...document.querySelectorAll('button, summary, h2, h3, h4, label, th, [role=menuitem], [role=radio]'),
    ];
    return controls.flatMap((control) => {
      const box = control.getBoundingClientRect();
      if (
        box.width === 0 ||
        box.height === 0 ||
        !control.checkVisibility({ visibilityProperty: true }) ||
        control.closest('.md') !== null
      )
        return [];
      const where = `${control.getAttribute('data-testid') ?? control.tagName}: ${control.textContent?.slice(0, 60)}`;
      if (box.right > window.innerWidth + 0.5 || box.left < -0.5) return [`reaches out of the page: ${where}`];
      const cut = [control, ...control.querySelectorAll('*')].find(
        (part) =>
          getComputedStyle(part).overflowX !== 'visible' &&
          part.scrollWidth > part.clientWidth + 1 &&
          part.closest(NAMES) === null,
      );
      return cut === undefined ? [] : [`cut: ${where} (${cut.className})`];
    });
  });
}
