// The user's settings in a window whose extensions run on a server: settings of machine scope, as all of Tiller's, are
// in a file of their own. In the other file they are in effect only until VS Code reads it again.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const FILES = [
  { name: 'data/User/settings.json', holds: (/** @type {string} */ key) => !key.startsWith('tiller.') },
  { name: 'data/Machine/settings.json', holds: (/** @type {string} */ key) => key.startsWith('tiller.') },
];

/**
 * Writes the settings of a new folder; existing ones stay.
 * @param {string} folder  of the server
 * @param {Record<string, unknown>} settings
 */
export async function writeFirstSettings(folder, settings) {
  for (const { name, holds } of FILES) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, textOf(settings, holds), { flag: 'wx' }).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/**
 * @param {string} folder  of the server
 * @param {Record<string, unknown>} changes
 */
export async function changeSettings(folder, changes) {
  for (const { name, holds } of FILES) {
    const file = path.join(folder, name);
    const settings = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, textOf({ ...settings, ...changes }, holds));
  }
}

/**
 * Resolves with all settings of the user that are written.
 * @param {string} folder  of the server
 * @returns {Promise<Record<string, unknown>>}
 */
export async function settingsOf(folder) {
  const texts = await Promise.all(FILES.map(({ name }) => readFile(path.join(folder, name), 'utf8')));
  return Object.assign({}, ...texts.map((text) => JSON.parse(text)));
}

function textOf(settings, holds) {
  const held = Object.entries(settings).filter(([key]) => holds(key));
  return `${JSON.stringify(Object.fromEntries(held), null, 2)}\n`;
}
