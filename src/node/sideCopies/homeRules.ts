import path from 'node:path';
import { IgnoreRules } from '../../core/util/ignoreRules.ts';
import { textsAbove } from '../baseline/ignoreRules.ts';

type Texts = ReturnType<typeof textsAbove>;

/** Puts the texts of ignore files over each other, outermost first. `root`: the open folder. */
export function rulesOf(root: string, texts: Texts): IgnoreRules {
  const outermost = new IgnoreRules(undefined, root, '');
  return texts.reduce((parent, { folder, text }) => new IgnoreRules(parent, folder, text), outermost);
}

/** The rules above an open folder; none where they leave out the folder itself, so that the copy is not empty. */
export function textsAboveHome(root: string): Texts {
  const texts = textsAbove(root);
  const rules = rulesOf(root, texts);
  const outermost = texts[0]?.folder ?? root;
  for (let at = root; at !== outermost && at !== path.dirname(at); at = path.dirname(at)) {
    if (rules.ignores(at, 'directory')) return [];
  }
  return texts;
}
