import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { post } from '../bridge.ts';
import { plural, t } from '../l10n.ts';
import { OPEN_LINE, OutputBuffer, type OutputChunk } from '../text/outputBuffer.ts';
import { Link } from './Buttons.tsx';
import { pure } from './pure.tsx';
import { Runs } from './Runs.tsx';

const Chunk = pure(function Chunk({ chunk }: { chunk: OutputChunk }) {
  return (
    <span class={chunk.id === OPEN_LINE ? 'out-open' : 'out-chunk'}>
      <Runs runs={chunk.runs} />
    </span>
  );
});

/** Shows output as it arrives, and scrolls with its end unless the user has scrolled up. */
export function LiveOutput(props: {
  itemId: string;
  text: string;
  label: string;
  isRunning: boolean;
  /** True if the page has only the beginning and the end of the output. */
  isCut?: boolean;
}) {
  const { itemId, text, label, isRunning, isCut = false } = props;
  const frame = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  const buffer = useMemo(() => new OutputBuffer(), []);
  const { chunks, earlierLines } = useMemo(() => buffer.update(text), [buffer, text]);
  useLayoutEffect(() => {
    if (!follows.current) return undefined;
    const toEnd = () => {
      frame.current?.scrollTo({ top: 1e9, behavior: 'instant' });
      follows.current = true;
    };
    toEnd();
    // Elements that come into view by scrolling may be higher than the browser had estimated, so scroll again.
    const next = requestAnimationFrame(toEnd);
    return () => cancelAnimationFrame(next);
  }, [chunks]);
  const onScroll = ({ currentTarget }: { currentTarget: HTMLPreElement }) => {
    follows.current = currentTarget.scrollHeight - currentTarget.scrollTop - currentTarget.clientHeight < 24;
  };
  return (
    <pre class="out" tabIndex={0} role="group" aria-label={label} data-testid="output" ref={frame} onScroll={onScroll}>
      {earlierLines > 0 && (
        <span class="out-more">
          <Link testid="output-earlier" onClick={() => post({ type: 'open_output', itemId })}>
            {isCut ? t('Earlier lines') : plural(earlierLines, '{0} earlier line', '{0} earlier lines')}
          </Link>
          {'\n'}
        </span>
      )}
      {chunks.map((chunk) => (
        <Chunk key={chunk.id} chunk={chunk} />
      ))}
      {isRunning && <span class="caret" />}
    </pre>
  );
}
