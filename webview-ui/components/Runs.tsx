import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Paint, Run } from '../text/runs.ts';

/** Text with syntax or terminal colours. */
export function Runs({ runs }: { runs: readonly Run[] }) {
  return (
    <>
      {runs.map(({ text, ink, paint }, index) => {
        if (paint !== undefined) return <Painted key={index} text={text} ink={ink} paint={paint} />;
        if (ink === '') return text;
        return (
          <span key={index} class={ink}>
            {text}
          </span>
        );
      })}
    </>
  );
}

/**
 * A run with colours that are not in the style sheet. The content security policy forbids style attributes, but the
 * script may set colours on the element.
 */
function Painted({ text, ink, paint }: { text: string; ink: string; paint: Paint }) {
  const span = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    span.current?.style.setProperty('--a-ink', paint.ink);
    span.current?.style.setProperty('--a-ground', paint.ground ?? '');
  }, [paint.ink, paint.ground]);
  return (
    <span class={ink} ref={span}>
      {text}
    </span>
  );
}
