import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Frame } from 'playwright-core';

/** The content of the frame. */
interface Page {
  readonly axe: typeof import('axe-core');
  readonly document: { readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number } };
}

/** Serious and critical findings of axe, and elements that are wider than the page. */
export async function faultsOfFrame(frame: Frame): Promise<string[]> {
  if (!(await frame.evaluate('typeof axe === "object"'))) await frame.evaluate(await axeSource());
  return frame.evaluate(async () => {
    const { axe, document } = globalThis as unknown as Page;
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const found = grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`);
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth ? [...found, `scrolls sideways: ${scrollWidth} in ${clientWidth}`] : found;
  });
}

function axeSource(): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
}
