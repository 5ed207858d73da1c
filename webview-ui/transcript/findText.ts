/** Finds a text in the shown page, even if it spans several elements. */

/** Maximum number of matches. Further ones are not counted. */
export const MOST_FOUND = 1_000;

/**
 * Elements whose text is not shown. `checkVisibility` could be called for each element instead, but it makes the
 * browser lay out turns that are out of sight, which takes seconds in a long thread.
 */
const LEFT_OUT = '.sr, [aria-hidden="true"], [hidden], button, textarea, details:not([open]) > :not(summary)';
/** Elements that are left out if the panel's width hides them. */
const IN_WIDE_PANELS = ['.soft', '.marker-line'];
const BLOCK =
  'p, li, h4, td, th, pre, blockquote, summary, figcaption, .step-row, .you-text, .notice-text, .notice-title';

/**
 * Returns the places of a text below `root`, in order. Case is ignored. A match does not extend from one block into the
 * next.
 */
export function findText(root: HTMLElement, text: string): readonly Range[] {
  const wanted = folded(text);
  if (wanted === '') return [];
  const leftOut = [LEFT_OUT, ...IN_WIDE_PANELS.filter((name) => isHiddenByStyle(root.querySelector(name)))].join(', ');
  const ranges: Range[] = [];
  let run: { readonly node: Text; readonly start: number }[] = [];
  let written = '';
  const search = () => {
    for (const at of placesIn(written, wanted)) {
      if (ranges.length === MOST_FOUND) break;
      ranges.push(rangeOf(run, at, at + wanted.length));
    }
    run = [];
    written = '';
  };
  const visit = (parent: Element) => {
    for (let node = parent.firstChild; node !== null && ranges.length < MOST_FOUND; node = node.nextSibling) {
      if (node instanceof Text) {
        run.push({ node, start: written.length });
        written += node.data;
      } else if (node instanceof Element && !node.matches(leftOut)) {
        const isBlock = node.matches(BLOCK);
        if (isBlock) search();
        visit(node);
        if (isBlock) search();
      }
    }
  };
  for (const turn of root.firstElementChild?.children ?? []) {
    // Most turns of a long thread do not contain the text, so each turn is first tested as a whole.
    if (folded(turn.textContent ?? '').includes(wanted)) visit(turn);
    search();
  }
  return ranges;
}

function isHiddenByStyle(element: Element | null): boolean {
  return element !== null && getComputedStyle(element).display === 'none';
}

/**
 * Returns the text in lower case, with the same length: letters whose lower case is longer, such as "İ", stay as they
 * are.
 */
function folded(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from(text, (letter) => {
    const small = letter.toLowerCase();
    return small.length === letter.length ? small : letter;
  }).join('');
}

function* placesIn(text: string, wanted: string): Generator<number> {
  const hay = folded(text);
  for (let at = hay.indexOf(wanted); at !== -1; at = hay.indexOf(wanted, at + wanted.length)) yield at;
}

function rangeOf(run: readonly { readonly node: Text; readonly start: number }[], from: number, to: number): Range {
  const range = new Range();
  const first = run.findLast(({ start }) => start <= from);
  const last = run.findLast(({ start }) => start < to);
  if (first !== undefined) range.setStart(first.node, from - first.start);
  if (last !== undefined) range.setEnd(last.node, to - last.start);
  return range;
}
