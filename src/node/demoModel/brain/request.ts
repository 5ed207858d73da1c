/** Recognizes the few requests that the demo model supports. */
import type { Entry } from '../conversation.ts';

export type Request =
  /** To repair failing tests; `happened`: all entries since the request. */
  { readonly type: 'repair'; readonly happened: readonly Entry[] } | { readonly type: 'something_else' };

const ABOUT_TESTS = /\b(?:tests?|specs?|suite|bugs?|fail(?:s|ed|ing|ures?)?|broken)\b/i;
const REPAIR = /\b(?:fix|repair|mend|heal|solve|resolve|correct|debug|find)\b|\b(?:make|get)\b.*\b(?:pass|green|work)/i;
const ASKS_FOR_DEMO = /\b(?:run|show|start|try|see)\b.*\bdemo\b/i;
const NOT_REPAIR = /\b(?:don't|do not|never)\s+(?:fix|repair|mend)\b|\b(?:add|write|create)\s+(?:\w+\s+){0,2}tests?\b/i;
const GO_ON =
  /^\W*(?:yes|yep|ok(?:ay)?|sure|please|go on|go ahead|go|continue|proceed|(?:try )?again|retry|carry on)\b/i;

/** Decided by the user's last message; "go on" repeats the last recognized request. */
export function requestIn(entries: readonly Entry[]): Request {
  const messages = entries.flatMap((entry, index) => {
    const text = entry.type === 'user' ? spokenText(entry.texts) : '';
    return text === '' ? [] : [{ index, text }];
  });
  const last = messages.at(-1);
  if (last === undefined) return { type: 'something_else' };
  const goesOn = GO_ON.test(last.text) && messages.length > 1;
  if (!goesOn && !asksForRepair(last.text)) return { type: 'something_else' };
  return { type: 'repair', happened: entries.slice(last.index + 1) };
}

function asksForRepair(text: string): boolean {
  if (NOT_REPAIR.test(text)) return false;
  return ASKS_FOR_DEMO.test(text) || (ABOUT_TESTS.test(text) && REPAIR.test(text));
}

/** The text typed by the user, without the blocks that an editor adds to user messages. */
export function spokenText(texts: readonly string[]): string {
  return texts
    .join('\n')
    .replace(/^# AGENTS\.md instructions[\s\S]*?<\/INSTRUCTIONS>/gm, '')
    .replace(/<([a-z][\w-]*)(?: [^>]*)?>[\s\S]*?<\/\1>/g, '')
    .trim();
}
