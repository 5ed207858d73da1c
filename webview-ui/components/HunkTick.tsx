import { useLayoutEffect, useRef } from 'preact/hooks';

/** A checkbox that includes a hunk or file of a pending patch; indeterminate when only a part is included. */
export function HunkTick(props: {
  testid: string;
  label: string;
  isTaken: boolean;
  isPartly: boolean;
  onChoose: (wanted: 'in' | 'out') => void;
}) {
  const { testid, label, isTaken, isPartly, onChoose } = props;
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = isPartly;
  });
  return (
    <input
      ref={box}
      type="checkbox"
      class="hunk-tick"
      data-testid={testid}
      aria-label={label}
      title={label}
      checked={isTaken}
      onChange={() => onChoose(isTaken ? 'out' : 'in')}
    />
  );
}
