import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';

/**
 * A link to a web page, labelled with its title or its address. An address that is not http or https is shown as plain
 * text.
 */
export function WebLink({ url, title = '', testid }: { url: string; title?: string; testid?: string }) {
  const label = visibleText(title.trim() === '' ? url : title);
  if (!isWebAddress(url)) return <span>{label}</span>;
  return (
    <a class="link" href={url} title={visibleText(url)} data-testid={testid}>
      {label}
    </a>
  );
}

/** True for an http or https address. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}
