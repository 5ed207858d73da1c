// `npm run pictures [icon] [walkthrough] [tour] [editor]`: makes the pictures that are shipped or shown in the README and in
// docs/editor.md, all of them by default. The icon is drawn, the walkthrough shows scenes of the panel, the tour
// (test/e2e/tour.e2e.ts) and the editor are the product in a real VS Code. Needs ImageMagick (`convert`), which makes the files
// small.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setStage } from '../test/webview/preview/stage.mjs';
import { root } from './bootstrap.mjs';

const MAKERS = { icon: makeIcon, walkthrough: makeWalkthrough, tour: makeTour, editor: makeEditor };
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(MAKERS);
for (const name of wanted) await MAKERS[name]();

/** Draws the icon: the boat with its tiller of media/icon.svg, in front of the colour of the gallery banner. */
async function makeIcon() {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256" viewBox="0 0 24 24" fill="none"
    stroke-linecap="round" stroke-linejoin="round">
    <rect width="24" height="24" rx="5" fill="#12324a"/>
    <g transform="translate(2.4 2.2) scale(0.8)">
      <path d="M7.25 17.5C4.4 13 5.2 7 12 2.5c6.8 4.5 7.6 10.5 4.75 15z" stroke="#f2f6f9" stroke-width="1.9"/>
      <path d="M9.1 10.25 13.9 22" stroke="#ffb454" stroke-width="2.6"/>
    </g>
  </svg>`;
  const stage = await setStage();
  try {
    const page = await stage.browser.newPage({ viewport: { width: 256, height: 256 } });
    await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${svg}`);
    await page.screenshot({ path: path.join(root, 'media/icon.png'), omitBackground: true });
  } finally {
    await stage.close();
  }
}

/** Makes one picture of the walkthrough for each step and theme, at 1.5 times its size, so that it is sharp. */
async function makeWalkthrough() {
  const STEPS = { model: 'model-menu', ask: 'mention-found', decide: 'approve-plain', undo: 'review' };
  const SIZE = { width: 420, height: 440 };
  const folder = path.join(root, 'media/walkthrough');
  await mkdir(folder, { recursive: true });
  const stage = await setStage();
  try {
    for (const [step, scene] of Object.entries(STEPS)) {
      for (const theme of ['dark', 'light']) {
        const page = await stage.show(stage.scenes[scene], { theme, ...SIZE });
        const session = await page.context().newCDPSession(page);
        await session.send('Emulation.setDeviceMetricsOverride', { ...SIZE, deviceScaleFactor: 1.5, mobile: false });
        await page.mouse.move(0, 0);
        const file = path.join(folder, `${step}-${theme}.png`);
        await page.screenshot({ path: file });
        await session.detach();
        run('convert', [file, '-dither', 'None', '-colors', '96', `PNG8:${file}`]);
      }
    }
  } finally {
    await stage.close();
  }
}

/** Makes the picture and the animation of the README. */
async function makeTour() {
  run(process.execPath, ['scripts/testE2e.mjs', 'tour'], { TILLER_PICTURES: '1' });
  const frames = path.join(root, 'artifacts/e2e/tour');
  const FRAMES = ['1-ask', '2-command', '3-patch', '4-done', '5-undo'].map((name) => path.join(frames, `${name}.png`));
  const missing = FRAMES.filter((file) => !existsSync(file));
  if (missing.length > 0) throw new Error(`The tour has not made ${missing.join(', ')}.`);
  await copyFile(FRAMES[2], path.join(root, 'docs/screenshots/patch-light.png'));
  const target = path.join(root, 'docs/screenshots/tour.gif');
  const reduce = ['-resize', '1000x', '-dither', 'None', '-colors', '96', '-layers', 'OptimizeTransparency'];
  run('convert', ['-delay', '260', '-loop', '0', ...FRAMES, ...reduce, target]);
}

/** Makes the pictures of docs/editor.md, which are screenshots of the scenarios. */
async function makeEditor() {
  const SCENARIOS = ['codeNavigation', 'editAtCursor', 'entryPoints', 'notebooks', 'proposalChoices'];
  const PICTURES = {
    'broken-caller': 'codeNavigation/3-broken-caller',
    rename: 'codeNavigation/2-rename',
    'quick-fixes': 'entry-points/1-quick-fixes',
    'commit-message': 'entry-points/7-in-panel',
    notebook: 'notebooks/1-changed',
    comment: 'review/before-comment',
  };
  run(process.execPath, ['scripts/testE2e.mjs', ...SCENARIOS]);
  for (const [name, shot] of Object.entries(PICTURES)) copyPicture(shot, name, ['-resize', '1000x']);
  copyPicture('edit/1-changed', 'edit-at-cursor', ['-crop', '640x106+355+68', '+repage']);
}

/** Copies a screenshot of a scenario to docs/screenshots. `smaller`: the options of `convert` that reduce its size. */
function copyPicture(shot, name, smaller) {
  const source = path.join(root, `artifacts/e2e/${shot}.png`);
  const reduce = [...smaller, '-dither', 'None', '-colors', '128'];
  run('convert', [source, ...reduce, `PNG8:${path.join(root, `docs/screenshots/${name}.png`)}`]);
}

function run(program, args, env = {}) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  if (error || status !== 0) throw new Error(`${program} ${args[0]} failed${error ? `: ${error.message}` : ''}.`);
}
