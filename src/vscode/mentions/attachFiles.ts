/** Files and folders that the user attaches by a menu, a dialog or a drop. */
import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { Attachment } from '../../protocol/draft.ts';
import { IMAGE_LIMITS, type ImageType } from '../../protocol/imageLimits.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import { pathOf } from '../workspace/places.ts';

/** An image file; the panel makes it small enough for a model. */
export interface ImageFile {
  readonly name: string;
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

export interface AttachableFiles {
  readonly attachments: readonly Attachment[];
  readonly images: readonly ImageFile[];
  /** Sentences about files that cannot be attached. */
  readonly refused: readonly string[];
}

/** The most files of one act. */
const MAX_FILES = 50;

const TYPES_BY_ENDING: Readonly<Record<string, ImageType>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

/** `refusal`: why a file may not be read by any of its names: the content of an image is read here. Never rejects. */
export async function attachableFiles(
  uris: readonly vscode.Uri[],
  refusal: (path: string) => Promise<string | undefined>,
): Promise<AttachableFiles> {
  const attachments: Attachment[] = [];
  const images: ImageFile[] = [];
  const refused: string[] = [];
  for (const uri of uris.slice(0, MAX_FILES)) {
    try {
      const path = pathOf(uri);
      const hidden = await refusal(path);
      if (hidden !== undefined) {
        refused.push(hidden);
        continue;
      }
      const name = vscode.workspace.asRelativePath(uri);
      const { type, size } = await vscode.workspace.fs.stat(uri);
      const mediaType = TYPES_BY_ENDING[posix.extname(uri.path).toLowerCase()];
      if (type & vscode.FileType.Directory) {
        attachments.push({ part: { type: 'mention', kind: 'folder', name: `${name}/`, path }, inText: false });
      } else if (mediaType === undefined) {
        attachments.push({ part: { type: 'mention', kind: 'file', name, path }, inText: false });
      } else if (size > IMAGE_LIMITS.bytes) {
        refused.push(vscode.l10n.t('{0} is larger than 20 MiB.', name));
      } else {
        const data = Buffer.from(await vscode.workspace.fs.readFile(uri)).toString('base64');
        images.push({ name: posix.basename(uri.path), mediaType, data });
      }
    } catch (error) {
      refused.push(messageOf(error));
    }
  }
  if (uris.length > MAX_FILES) refused.push(vscode.l10n.t('Only the first {0} files were attached.', MAX_FILES));
  return { attachments, images, refused };
}
