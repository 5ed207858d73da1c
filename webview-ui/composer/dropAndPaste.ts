/** Attaches files and images that are dropped on the composer or pasted into it. Text is left to the browser. */
import { post } from '../bridge.ts';
import { t } from '../l10n.ts';
import { attachProblem } from '../store.ts';
import { attachImages, hashOf, showRefused } from './images.ts';

/** Maximum size in bytes of a file from outside of VS Code that is attached as text. */
const MAX_TEXT_BYTES = 10 * 1024 * 1024;

/** Attaches the images of the clipboard. Returns false if there are none: then the browser pastes the text. */
export function pasteImages(data: DataTransfer | null): boolean {
  const files = [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
  // Office programs put a picture of copied text on the clipboard, besides the text.
  if (files.length === 0 || data?.types.includes('text/plain') === true) return false;
  void attachAll(files, []);
  return true;
}

/** Returns true if the dragged data can be attached. */
export function isAttachable({ types }: DataTransfer): boolean {
  return ['Files', 'text/uri-list', 'application/vnd.code.uri-list', 'resourceurls'].some((type) =>
    types.includes(type),
  );
}

/** Attaches dropped files from the Explorer, an editor tab or another program. Returns false if text is dropped. */
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
  // Links that are dragged from a browser are treated as text.
  return list.split(/\r?\n/).filter((line) => /^(?!https?:|#)[a-z][\w+.-]*:\/\//i.test(line));
}

async function attachAll(images: readonly File[], texts: readonly File[]): Promise<void> {
  attachProblem.value = null;
  const named = images.map((blob) => ({ blob, name: blob.name || t('Pasted image') }));
  showRefused([...(await attachImages(named)), ...(await attachTexts(texts))]);
}

/**
 * Attaches files that were dropped from another program. They come without a path: if the host agrees, a copy of their
 * present text is attached. Resolves with a sentence for each file that the page refuses.
 */
async function attachTexts(files: readonly File[]): Promise<string[]> {
  const refused: string[] = [];
  for (const file of files) {
    const text = file.size > MAX_TEXT_BYTES ? null : await file.text().catch(() => null);
    if (text === null || text.includes('\0')) {
      refused.push(t('{0} was not attached: it is no text, or over 10 MiB.', file.name));
      continue;
    }
    // Two files may have the same name, so the id includes the text.
    const id = await hashOf(`${file.name}\n${text}`);
    post({ type: 'attach_copy', name: file.name, id, text });
  }
  return refused;
}
