/** Finds a text in what the page shows, also where it goes over several elements. */

/** More are not counted. */
export const MOST_FOUND = 1_000;

const LEFT_OUT = '.sr, [aria-hidden="true"], button, textarea';
const BLOCK =
  'p, li, h4, td, th, pre, blockquote, summary, figcaption, .step-row, .you-text, .notice-text, .notice-title';

/** The places of a text below `root`, in order. Case is ignored. A match does not go from one block into the next. */
export function findText(root: HTMLElement, text: string): readonly Range[] {
  const wanted = text.toLowerCase();
  if (wanted === '') return [];
  const ranges: Range[] = [];
  let run: { readonly node: Text; readonly start: number }[] = [];
  let written = '';
  let block: Element | null = null;
  const search = () => {
    const lower = written.toLowerCase();
    // Lower case of some letters is longer: then only the written case is found.
    const hay = lower.length === written.length ? lower : written;
    for (
      let at = hay.indexOf(wanted);
      at !== -1 && ranges.length < MOST_FOUND;
      at = hay.indexOf(wanted, at + wanted.length)
    ) {
      ranges.push(rangeOf(run, at, at + wanted.length));
    }
    run = [];
    written = '';
  };
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { parentElement } = node;
    if (!(node instanceof Text) || parentElement === null || node.data === '') continue;
    if (parentElement.closest(LEFT_OUT) !== null || !parentElement.checkVisibility()) continue;
    const own = parentElement.closest(BLOCK);
    if (own !== block) search();
    block = own;
    run.push({ node, start: written.length });
    written += node.data;
  }
  search();
  return ranges;
}

function rangeOf(run: readonly { readonly node: Text; readonly start: number }[], from: number, to: number): Range {
  const range = new Range();
  const first = run.findLast(({ start }) => start <= from);
  const last = run.findLast(({ start }) => start < to);
  if (first !== undefined) range.setStart(first.node, from - first.start);
  if (last !== undefined) range.setEnd(last.node, to - last.start);
  return range;
}
