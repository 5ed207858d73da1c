/** Draws formulas with KaTeX, which is loaded when the first formula is shown (docs/reference/libraries.md). */

declare global {
  /** Set by math.js. Returns MathML, or `null` for a formula that is not understood. */
  var tillerMath: ((formula: string, isBlock: boolean) => string | null) | undefined;
}

let loading: Promise<void> | undefined;

/**
 * Loads the script that draws formulas; returns `null` if it is loaded. The promise also resolves if loading fails:
 * then formulas stay as the model wrote them.
 */
export function loadMath(): Promise<void> | null {
  if (globalThis.tillerMath !== undefined) return null;
  loading ??= new Promise((resolve) => {
    const main = document.querySelector<HTMLScriptElement>('script[src*="main.js"]');
    const script = document.createElement('script');
    script.nonce = main?.nonce ?? '';
    script.src = (main?.src ?? 'main.js').replace('main.js', 'math.js');
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => resolve());
    document.head.append(script);
  });
  return loading;
}

const drawn = new Map<string, string | null>();

/** Replaces the source text with the drawn formula, and keeps the source as the element's title. */
export function drawFormula(element: HTMLElement): void {
  const { formula } = element.dataset;
  if (globalThis.tillerMath === undefined || formula === undefined) return;
  const isBlock = element.dataset.display !== undefined;
  const key = `${String(isBlock)} ${formula}`;
  if (!drawn.has(key)) drawn.set(key, globalThis.tillerMath(formula, isBlock));
  const markup = drawn.get(key) ?? null;
  if (markup === null) return;
  const math = new DOMParser().parseFromString(markup, 'text/html').querySelector('math');
  if (math === null) return;
  const span = document.createElement('span');
  span.className = isBlock ? 'formula is-block' : 'formula';
  span.title = formula;
  span.append(math);
  element.replaceWith(span);
}
