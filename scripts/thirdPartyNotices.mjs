// Collects the licences of the packages in the product, because most licences require that their text is included.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './bootstrap.mjs';

const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;

/**
 * Returns the text of THIRD-PARTY-NOTICES.txt: it names every package with code in a bundle, according to esbuild's
 * metafiles, and every package that is copied as a whole, by its folder. Throws an error for a package without a
 * licence.
 */
export function thirdPartyNotices(metafiles, copied = []) {
  const bundled = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs).map(packageFolder)),
  );
  const folders = new Set([...bundled.filter((folder) => folder !== undefined), ...copied]);
  const notices = [...folders].map(noticeOf).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const parts = notices.map(({ name, text }) => `${'='.repeat(80)}\n${name}\n\n${text}\n`);
  return ['Tiller contains work of others. With thanks, and under these licences:\n', ...parts].join('\n');
}

/** Returns `node_modules/…/name` for a file of a package; `undefined` for our own files. */
function packageFolder(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
  const files = readdirSync(path.join(root, folder)).filter((file) => LICENCE_FILE.test(file));
  const texts = files.toSorted().map((file) => readFileSync(path.join(root, folder, file), 'utf8').trim());
  if (texts.length === 0 && typeof license !== 'string') throw new Error(`${folder} has no licence.`);
  const licence = typeof license === 'string' ? [`Licence: ${license}`] : [];
  return { name: `${name} ${version}`, text: [...licence, ...texts].join('\n\n') };
}
