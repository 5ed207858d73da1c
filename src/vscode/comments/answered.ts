import path from 'node:path';
import * as vscode from 'vscode';
import { overlap, patchedLines } from '../../core/comments/commentsText.ts';
import type { EventMsg } from '../../protocol/event.ts';
import { pathOf } from '../workspace/places.ts';
import type { TrackedPlaces } from './trackedPlaces.ts';

/**
 * Which of these places an applied patch has changed: a hunk of it, with the unchanged lines around it, is at their lines.
 * `cwd`: the working directory of its thread.
 */
export async function changedPlaces(
  msg: EventMsg,
  cwd: string,
  ids: readonly string[],
  places: TrackedPlaces,
): Promise<readonly string[]> {
  if (msg.type !== 'item_completed' || msg.item.type !== 'file_change' || msg.item.status !== 'completed') return [];
  const { changes, diff } = msg.item;
  const changed: string[] = [];
  for (const change of changes) {
    const name = change.movedTo ?? change.path;
    const named = [path.resolve(cwd, change.path), path.resolve(cwd, name)];
    for (const id of ids) {
      const place = places.get(id);
      if (place === undefined || !named.includes(pathOf(place.uri))) continue;
      if (change.kind !== 'delete') await vscode.workspace.openTextDocument(place.uri).then(undefined, () => {});
      const now = places.get(id)?.lines ?? place.lines;
      const isChanged = change.kind === 'delete' || patchedLines(diff, name).some((lines) => overlap(lines, now));
      if (isChanged) changed.push(id);
    }
  }
  return changed;
}
