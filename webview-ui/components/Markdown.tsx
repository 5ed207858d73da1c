import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { settings } from '../store.ts';
import type { Block } from '../text/markdown.ts';
import { MarkdownStream, renderMarkdown } from '../text/markdown.ts';
import { enrichMarkdown } from './enrichMarkdown.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { pure } from './pure.tsx';

/** The HTML comes from markdown-it with `html: false` (docs/reference/libraries.md §8.2). */
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

export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => renderMarkdown(text), [text]);
  return <Blocks blocks={blocks} />;
}

/** For a text that is still growing; stays the same element when the text is complete. */
export function GrowingMarkdown({ text, complete }: { text: string; complete: boolean }) {
  const stream = useMemo(() => new MarkdownStream(), []);
  const blocks = useMemo(() => (complete ? stream.finish(text) : stream.update(text)), [stream, text, complete]);
  return <Blocks blocks={blocks} />;
}
