import type { EventMsg, EventMsgOf } from '../../protocol/event.ts';
import { isFromModel, type ResponseItem } from '../../protocol/responseItem.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import { inspectImageUrl } from '../util/imageData.ts';
import { imageKey, type ImagePart, imagesIn, placeholderFor, replaceImages } from '../history/images.ts';

type Emit = (msg: EventMsg) => void;
type LeftOut = NonNullable<EventMsgOf<'warning'>['imagesLeftOut']>[number];

/**
 * Decides which images of the thread are sent to the model. An image that is damaged, or that a server has refused,
 * would make every later request fail: it is replaced by a placeholder from then on, also after a resume, and the user
 * is warned once. The history keeps the image.
 */
export class ThreadImages {
  /** Reasons by `imageKey`. */
  readonly #leftOut: Map<string, string>;
  readonly #shown: Set<string>;
  /** The form in which an item is sent: the same object every time, so that its JSON is built once. */
  #sent = new WeakMap<ResponseItem, ResponseItem>();
  readonly #withoutAny = new WeakMap<ResponseItem, ResponseItem>();

  /** `state` is the thread before this process. */
  constructor(state: ThreadState) {
    const warnings = [...state.warnings, ...state.turns.flatMap((turn) => turn.warnings)];
    const leftOut = warnings.flatMap(({ imagesLeftOut }) => imagesLeftOut ?? []);
    this.#leftOut = new Map(leftOut.map(({ sha256, reason }) => [sha256, reason]));
    this.#shown = new Set(warnings.map(({ message }) => message));
  }

  /** The items as they can be sent, one for one. */
  sendable(
    items: readonly ResponseItem[],
    { model, takesImages }: { readonly model: string; readonly takesImages: boolean },
    emit: Emit,
  ): ResponseItem[] {
    if (takesImages) return items.map((item) => this.#checked(item, emit));
    if (items.some((item) => imagesIn(item).length > 0)) {
      const message = `${model} takes no images: the images of this thread are left out of what it is sent.`;
      if (!this.#shown.has(message)) emit({ type: 'warning', message });
      this.#shown.add(message);
    }
    return items.map((item) => cached(this.#withoutAny, item, () => replaceImages(item, () => NO_IMAGES)));
  }

  /**
   * The server has refused a request for an image of it. Servers rarely say which one: the images that are new since
   * the model last answered are left out, or all of them where none is new. Returns false when there is none to leave
   * out.
   */
  leaveOutRefused(items: readonly ResponseItem[], detail: string | undefined, emit: Emit): boolean {
    const answered = items.findLastIndex(isFromModel);
    const unread = this.#sentImages(items.slice(answered + 1));
    const images = unread.size > 0 ? unread : this.#sentImages(items);
    if (images.size === 0) return false;
    const reason = 'the server refused it';
    const [what, verb] = images.size === 1 ? ['an image', 'is'] : [`${images.size} images`, 'are'];
    const suffix = detail === undefined ? '.' : `: ${detail}`;
    const leftOut = [...images].map((sha256): LeftOut => ({ sha256, reason }));
    this.#leaveOut(leftOut, `The server refused ${what}, which ${verb} left out from now on${suffix}`, emit);
    this.#sent = new WeakMap();
    return true;
  }

  #checked(item: ResponseItem, emit: Emit): ResponseItem {
    return cached(this.#sent, item, () => replaceImages(item, (image) => this.#checkedImage(image, emit)));
  }

  #checkedImage(image: ImagePart, emit: Emit): ImagePart | ReturnType<typeof placeholderFor> {
    const sha256 = imageKey(image);
    const known = this.#leftOut.get(sha256);
    if (known !== undefined) return placeholderFor(known);
    const inspected = inspectImageUrl(image.image_url);
    switch (inspected.type) {
      case 'remote':
        return image;
      case 'image': {
        // Some servers do not check the bytes and trust the MIME type.
        const named = `data:${inspected.mediaType};base64,`;
        if (image.image_url.startsWith(named)) return image;
        return { ...image, image_url: named + image.image_url.slice(image.image_url.indexOf(',') + 1) };
      }
      case 'refused': {
        const { reason } = inspected;
        this.#leaveOut([{ sha256, reason }], `An image was left out of what the model is sent: ${reason}.`, emit);
        return placeholderFor(reason);
      }
    }
  }

  #leaveOut(images: readonly LeftOut[], message: string, emit: Emit): void {
    for (const { sha256, reason } of images) this.#leftOut.set(sha256, reason);
    emit({ type: 'warning', message, imagesLeftOut: [...images] });
  }

  #sentImages(items: readonly ResponseItem[]): ReadonlySet<string> {
    return new Set(
      items
        .flatMap(imagesIn)
        .map(imageKey)
        .filter((key) => !this.#leftOut.has(key)),
    );
  }
}

const NO_IMAGES = placeholderFor('this model takes no images');

function cached(
  known: WeakMap<ResponseItem, ResponseItem>,
  item: ResponseItem,
  make: () => ResponseItem,
): ResponseItem {
  let made = known.get(item);
  if (made === undefined) {
    made = make();
    known.set(item, made);
  }
  return made;
}
