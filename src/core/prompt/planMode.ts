import { PLAN_END, PLAN_START } from '../../protocol/text/proposedPlan.ts';
import { type MessageItem, textOf } from '../../protocol/responseItem.ts';

const INSTRUCTIONS = `The user wants a plan, and nothing changed yet. Patches and all commands that are not known to only read are refused.
1. Read until you know which files and functions the work concerns.
2. Ask the user, with \`request_user_input\` if you have it, only about choices that change the plan and that you cannot find out. Do not ask whether to go on.
3. End with one message that has the whole plan in Markdown between the lines ${PLAN_START} and ${PLAN_END}: a title (\`# …\`), what will be different, the steps with the files they change, and how the result is checked. The user edits it and starts it with a button.
To change a plan send the whole plan again. A question that needs no plan is answered without one.`;

const OVER = 'Plan mode is over: its restrictions no longer apply.';

/** A developer message that tells the model that plan mode has begun, or is over. */
export function planModeMessage(isOn: boolean): MessageItem {
  const text = `<plan_mode>\n${isOn ? INSTRUCTIONS : OVER}\n</plan_mode>`;
  return { type: 'message', role: 'developer', content: [{ type: 'input_text', text }] };
}

/** True for a message that starts plan mode, false for one that ends it; `undefined` for other messages. */
export function planModeIn(message: MessageItem): boolean | undefined {
  const text = textOf(message.content);
  if (message.role !== 'developer' || !text.startsWith('<plan_mode>')) return undefined;
  return !text.includes(OVER);
}
