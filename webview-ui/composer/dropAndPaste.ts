/** Attaches what is dropped on the composer or pasted into it, besides text. */
import { post } from '../bridge.ts';
import { t } from '../l10n.ts';
import { attachProblem } from '../store.ts';
import { attachImages, hashOf, showRefused } from './images.ts';

/** Bytes of a file from outside of VS Code that is attached as text. */
const MAX_TEXT_BYTES = 10 * 1024 * 1024;

/** Images of the clipboard. Returns false where there is none: then the text is pasted. */
export function pasteImages(data: DataTransfer | null): boolean {
  const files = [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
  // Office programs offer a picture of copied text, too.
  if (files.length === 0 || data?.types.includes('text/plain') === true) return false;
  void attachAll(files, []);
  return true;
}

/** Returns true if a drag has something that can be attached. */
export function isAttachable({ types }: DataTransfer): boolean {
  return ['Files', 'text/uri-list', 'application/vnd.code.uri-list', 'resourceurls'].some((type) =>
    types.includes(type),
  );
}

/** Files from the Explorer, an editor tab or another program. Returns false for a drag of text. */
export function dropFiles(data: DataTransfer): boolean {
  const uris = urisOf(data);
  if (uris.length > 0) {
    post({ type: 'attach_uris', uris: uris.slice(0, 1_000) });
    return true;
  }
  const files = [...data.files];
  if (files.length === 0) return false;
  const images = files.filter(({ type }) => type.startsWith('image/'));
  const others = files.filter((file) => !images.includes(file));
  void attachAll(images, others);
  return true;
}

function urisOf(data: DataTransfer): readonly string[] {
  const resources = data.getData('resourceurls');
  if (resources !== '') {
    const parsed: unknown = JSON.parse(resources);
    if (Array.isArray(parsed)) return parsed.filter((uri) => typeof uri === 'string');
  }
  const list = data.getData('application/vnd.code.uri-list') || data.getData('text/uri-list');
  // Links of a browser are text.
  return list.split(/\r?\n/).filter((line) => /^(?!https?:|#)[a-z][\w+.-]*:\/\//i.test(line));
}

async function attachAll(images: readonly File[], texts: readonly File[]): Promise<void> {
  attachProblem.value = null;
  const named = images.map((blob) => ({ blob, name: blob.name || t('Pasted image') }));
  showRefused([...(await attachImages(named)), ...(await attachTexts(texts))]);
}

/**
 * Files of another program come without their path: their text is attached as it is now, if the host agrees. Resolves with
 * a sentence for each one that was refused here.
 */
async function attachTexts(files: readonly File[]): Promise<string[]> {
  const refused: string[] = [];
  for (const file of files) {
    const text = file.size > MAX_TEXT_BYTES ? null : await file.text().catch(() => null);
    if (text === null || text.includes('\0')) {
      refused.push(t('{0} was not attached: it is no text, or over 10 MiB.', file.name));
      continue;
    }
    // Two files may have one name.
    const id = await hashOf(`${file.name}\n${text}`);
    post({ type: 'attach_copy', name: file.name, id, text });
  }
  return refused;
}
