import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { drawLater, usePartial } from './drawLater.ts';
import { settings } from '../store.ts';
import type { Block } from '../text/markdown.ts';
import { MarkdownStream, renderMarkdown } from '../text/markdown.ts';
import { keptLength, nextLength, SLICE } from '../text/slices.ts';
import { enrichMarkdown } from './enrichMarkdown.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { pure } from './pure.tsx';

/**
 * Inserts HTML as it is. Safe, because it comes from markdown-it with `html: false` (docs/reference/libraries.md §8.2).
 */
const Html = pure(function Html({ html }: { html: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const root = settings.value?.imageRoot;
  useLayoutEffect(() => {
    if (frame.current !== null) enrichMarkdown(frame.current, root);
  }, [html, root]);
  return <div class="md" ref={frame} dangerouslySetInnerHTML={{ __html: html }} />;
});

function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return (
    <>
      {blocks.map((block, index) =>
        block.type === 'html' ? (
          <Html key={index} html={block.html} />
        ) : (
          <CodeBlock key={index} info={block.info} code={block.code} complete={block.complete} />
        ),
      )}
    </>
  );
}

/** The number of blocks in one part. The browser does not lay out a part that is out of sight. */
const PART = 24;

/** The blocks of a text that may be long. */
function Parts({ blocks }: { blocks: readonly Block[] }) {
  const starts = Array.from({ length: Math.max(1, Math.ceil(blocks.length / PART)) }, (_, part) => part * PART);
  return (
    <>
      {starts.map((start) => (
        <div key={start} class={start + PART < blocks.length ? 'md-part is-followed' : 'md-part'}>
          <Blocks blocks={blocks.slice(start, start + PART)} />
        </div>
      ))}
    </>
  );
}

/** Draws a complete text of the model at once. */
export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => renderMarkdown(text), [text]);
  return <Blocks blocks={blocks} />;
}

/**
 * Draws a text that is still growing, and keeps the same element when the text is complete. A text that arrives all at
 * once is drawn in several frames.
 */
export function GrowingMarkdown({ text, complete }: { text: string; complete: boolean }) {
  const { stream, length } = useGrowth(text);
  const blocks = useMemo(
    () => (complete && length === text.length ? stream.finish(text) : stream.update(text.slice(0, length))),
    [stream, text, length, complete],
  );
  return <Parts blocks={blocks} />;
}

/**
 * Returns the parser of a text and the number of characters to draw now. A text that does not continue the one before
 * gets a new parser.
 */
function useGrowth(text: string): { readonly stream: MarkdownStream; readonly length: number } {
  const state = useRef({ stream: new MarkdownStream(), text, length: 0 });
  const [, redraw] = useState(0);
  const { text: before, length: drawn } = state.current;
  if (!text.startsWith(before)) {
    state.current = { stream: new MarkdownStream(), text, length: keptLength(text, before, drawn) };
  } else if (drawn === 0 || text.length - drawn <= SLICE) {
    // The text is drawn for the first time, or has grown by one piece of a stream. Anything longer is drawn in the next
    // frames.
    state.current.length = nextLength(text, drawn);
  }
  const { current } = state;
  current.text = text;
  const { stream, length } = current;
  usePartial(length < text.length);
  useEffect(() => {
    if (length >= text.length) return undefined;
    return drawLater(() => {
      // The text may have grown since this frame was requested.
      current.length = Math.max(current.length, nextLength(text, length));
      redraw((count) => count + 1);
    });
  }, [current, text, length]);
  return { stream, length };
}
