// Finds visual faults of a page automatically.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { changeTheme, THEMES } from './stage.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const WIDTHS = [260, 400, 900];
/** The only rules whose result depends on the theme. */
const COLOUR_RULES = { runOnly: ['color-contrast', 'link-in-text-block'] };

/**
 * A scene in every theme and every width, in one page: all rules of axe in the first theme, those about colours in the
 * others, and whether it is wider than the page.
 */
export async function faultsOfScene(stage, scene) {
  const [first, ...others] = Object.keys(THEMES);
  const page = await stage.show(scene, { theme: first });
  await endHeldKeys(page);
  const found = await violations(page, first);
  for (const theme of others) {
    await changeTheme(page, theme);
    found.push(...(await violations(page, theme, COLOUR_RULES)));
  }
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 920 });
    if (await scrollsSideways(page)) found.push(`${width}: scrolls sideways`);
  }
  found.push(...page.complaints);
  return found;
}

/** Ends the half second in which a card dims its keys (`holdKeys`): axe would find them too pale if it came in time. */
async function endHeldKeys(page) {
  await page.evaluate(() => document.querySelector('[data-holds-keys]')?.dispatchEvent(new Event('pointerdown')));
}

/** @param {string} place  where it was found @param {object} [options]  of axe */
export async function violations(page, place, options = {}) {
  // Not as a script element: the page's security policy applies to the test too.
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe);
  const found = await page.evaluate(
    (options) => globalThis.axe.run(document, { resultTypes: ['violations'], ...options }),
    options,
  );
  return found.violations.map(
    ({ id, impact, nodes }) => `${place}: axe ${impact} ${id} (${nodes.length}): ${nodes[0].html.slice(0, 160)}`,
  );
}

export function scrollsSideways(page) {
  return page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
}
