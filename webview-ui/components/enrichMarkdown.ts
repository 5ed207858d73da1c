/** Adds elements that the HTML of a Markdown text cannot contain by itself: pictures of the workspace, and formulas. */
import { drawFormula, loadMath } from './math.ts';

/** The file extensions of pictures that are loaded. */
const PICTURE = /\.(png|jpe?g|gif|webp|svg|bmp|ico|avif)$/i;

/**
 * Adds pictures and formulas to rendered Markdown. Call after each rendering. `imageRoot`: the address under which the
 * page may load files of the workspace; if undefined, no picture is loaded.
 */
export function enrichMarkdown(frame: HTMLElement, imageRoot: string | undefined): void {
  for (const link of frame.querySelectorAll<HTMLElement>('a[data-image]')) {
    const address = imageRoot === undefined ? null : addressOf(link.dataset.image ?? '', imageRoot);
    if (address !== null) showPicture(link, address);
  }
  const formulas = frame.querySelectorAll<HTMLElement>('code.math[data-formula]');
  if (formulas.length === 0) return;
  const draw = () => {
    for (const formula of formulas) if (formula.isConnected) drawFormula(formula);
  };
  const loading = loadMath();
  if (loading === null) draw();
  else void loading.then(draw);
}

/** Returns the address of a picture; `null` if it is outside the workspace or not a picture. */
function addressOf(path: string, root: string): string | null {
  const plain = path.replace(/^\.\//, '');
  if (!PICTURE.test(plain) || /^([/\\]|[A-Za-z]:|.*(^|[/\\])\.\.([/\\]|$))/.test(plain)) return null;
  return `${root}/${plain.split(/[/\\]/).map(encodeURIComponent).join('/')}`;
}

/**
 * Replaces the text of the link with the picture. The text becomes the picture's alternative text, and is shown again
 * if the picture cannot be loaded.
 */
function showPicture(link: HTMLElement, address: string): void {
  const label = link.textContent ?? '';
  const picture = document.createElement('img');
  picture.alt = label;
  picture.className = 'md-picture';
  picture.addEventListener('error', () => link.replaceChildren(label));
  picture.src = address;
  link.replaceChildren(picture);
}
