// `node scripts/previewPanel.mjs [scene…] [--theme T] [--width W] [--no-axe] [--drive] [--story TEXT]`
// Renders every state of the panel in four themes and three widths to artifacts/panel/, runs axe on each, then operates
// the panel by keyboard alone. Exits with 1 if there are findings.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { scrollsSideways, violations, WIDTHS } from '../test/webview/preview/faults.mjs';
import { FOCUS_STORIES } from '../test/webview/preview/focusStories.mjs';
import { driveByKeyboard } from '../test/webview/preview/keyboard.mjs';
import { MENTION_STORIES } from '../test/webview/preview/mentionStories.mjs';
import { MENU_STORIES } from '../test/webview/preview/menuStories.mjs';
import { emptyFolder, setStage, THEMES } from '../test/webview/preview/stage.mjs';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    theme: { type: 'string' },
    width: { type: 'string' },
    'no-axe': { type: 'boolean' },
    drive: { type: 'boolean' },
    story: { type: 'string' },
  },
});
const artifacts = path.join(import.meta.dirname, '../artifacts/panel');
const themes = values.theme ? [values.theme] : Object.keys(THEMES);
const widths = values.width ? [Number(values.width)] : WIDTHS;

const stage = await setStage();
const findings = [];
try {
  const isAll = positionals.length === 0 && values.story === undefined;
  if (isAll) await emptyFolder(artifacts);
  const names = isAll ? Object.keys(stage.scenes) : positionals;
  for (const name of names) {
    for (const theme of themes) for (const width of widths) findings.push(...(await look(name, theme, width)));
    console.log(`${name}: ${themes.length * widths.length} looked at`);
  }
  if (values.story !== undefined) {
    for (const stories of [undefined, FOCUS_STORIES, MENTION_STORIES, MENU_STORIES])
      findings.push(...(await driveByKeyboard(stage, stories, values.story)));
  }
  if (isAll || values.drive) {
    for (const stories of [undefined, FOCUS_STORIES, MENTION_STORIES, MENU_STORIES])
      findings.push(...(await driveByKeyboard(stage, stories)));
  }
} finally {
  await stage.close();
}
for (const finding of findings) console.log(`FOUND ${finding}`);
console.log(`${findings.length} findings; pictures in ${path.relative(process.cwd(), artifacts)}`);
process.exitCode = findings.length === 0 ? 0 : 1;

/** Shows a scene, takes a screenshot, and returns the findings. */
async function look(name, theme, width) {
  const page = await stage.show(stage.scenes[name], { theme, width });
  const place = `${name}-${theme}-${width}`;
  await page.screenshot({ path: path.join(artifacts, `${place}.png`) });
  const found = page.complaints.map((complaint) => `${place}: ${complaint}`);
  if (await scrollsSideways(page)) found.push(`${place}: scrolls sideways`);
  if (!values['no-axe']) found.push(...(await violations(page, place)));
  return found;
}
